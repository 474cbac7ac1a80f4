import type { ComponentChildren } from 'preact';

/** A message before it is sent, as its recipient would see it. */
export type Preview =
  | { channel: 'sms'; sender: string; text: string; parts: number }
  /** `frame`: the address of the email itself; without one, its text is shown. */
  | {
      channel: 'email';
      from: string;
      reply_to: string | null;
      subject: string;
      text: string;
      frame: string | undefined;
    }
  /** The addresses of pictures. */
  | { channel: 'letter'; pages: readonly string[] };

export function MessagePreview({ preview, foot }: { preview: Preview; foot?: ComponentChildren }) {
  return (
    <>
      <Message preview={preview} />
      {foot && <p class="small muted center">{foot}</p>}
    </>
  );
}

function Message({ preview }: { preview: Preview }) {
  switch (preview.channel) {
    case 'sms':
      return (
        <div class="phone">
          <header>
            {preview.sender}
            <small>Text message</small>
          </header>
          <p class="bubble">{withPlaceholders(preview.text)}</p>
        </div>
      );
    case 'email':
      return (
        <div class="card card--flush">
          <div class="card-head">
            <dl class="facts facts--mail">
              <dt>From</dt>
              <dd>{preview.from}</dd>
              {preview.reply_to !== null && (
                <>
                  <dt>Reply to</dt>
                  <dd>{preview.reply_to}</dd>
                </>
              )}
              <dt>Subject</dt>
              <dd>{withPlaceholders(preview.subject)}</dd>
            </dl>
          </div>
          {preview.frame === undefined ? (
            <pre class="desk">{withPlaceholders(preview.text)}</pre>
          ) : (
            <div class="desk">
              <iframe class="mail" src={preview.frame} sandbox="" title="The email as its recipient will see it" />
            </div>
          )}
        </div>
      );
    case 'letter':
      return (
        <div class="stack stack--tight">
          {preview.pages.map((src, index) => (
            <img
              key={src}
              class="sheet"
              src={src}
              alt={`Page ${index + 1} of the letter`}
              loading={index === 0 ? undefined : 'lazy'}
              width="595"
              height="842"
            />
          ))}
        </div>
      );
  }
}

/** Marks what has no value yet. */
function withPlaceholders(text: string): ComponentChildren[] {
  return text.split(/(\(\([^()]*\)\))/).map((part, index) =>
    index % 2 === 1 ? (
      <mark key={index} class="placeholder">
        {part}
      </mark>
    ) : (
      part
    ),
  );
}

export function partsInWords(parts: number): string {
  return parts === 1 ? '1 part' : `${parts} parts`;
}
