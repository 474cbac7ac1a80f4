import type { ComponentChildren } from 'preact';
import { previewEmail, previewText } from '../../../delivery/previews/previews.ts';
import { t } from '../../../language/text.ts';
import { previewLetterTemplate } from '../../../letters/preview/letter-preview.ts';
import type { SendingService } from '../../../notifications/sending/sending-service.ts';
import type { ReadyTemplate } from '../../../templates/compiled-templates.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { sheetSize } from '../../letter-paper.ts';
import { pageUrl } from '../../links.ts';
import { MailFrame } from '../../parts/mail-frame.tsx';
import { TemplateText } from '../../parts/text.tsx';
import type { Visitor } from '../../sessions/sessions.ts';
import { useViewer } from '../../viewer.ts';
import { buildPersonalisation, type Filled } from './send-form.ts';

/** A message before it is sent, as its recipient would see it. */
export type Preview =
  | ({ channel: 'sms' } & Awaited<ReturnType<typeof previewText>>)
  /** `frame` is the URL of the rendered email; without one, its text is shown. */
  | {
      channel: 'email';
      from: string;
      reply_to: string | null;
      subject: string;
      text: string;
      html: string;
      frame: string | undefined;
    }
  /** `pages` are URLs of images. */
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
  const { country } = useViewer();
  switch (preview.channel) {
    case 'sms':
      return (
        <div class="phone">
          <header>
            {preview.sender}
            <small>{t('Text message')}</small>
          </header>
          <p class="bubble">
            <TemplateText text={preview.text} />
          </p>
        </div>
      );
    case 'email':
      return (
        <div class="card card--flush">
          <div class="card-head">
            <dl class="facts facts--mail">
              <dt>{t('From')}</dt>
              <dd>{preview.from}</dd>
              {preview.reply_to !== null && (
                <>
                  <dt>{t('Reply to')}</dt>
                  <dd>{preview.reply_to}</dd>
                </>
              )}
              <dt>{t('Subject')}</dt>
              <dd>
                <TemplateText text={preview.subject} />
              </dd>
            </dl>
          </div>
          {preview.frame === undefined ? (
            <pre class="desk">
              <TemplateText text={preview.text} />
            </pre>
          ) : (
            <div class="desk">
              <MailFrame src={preview.frame} html={preview.html} title={t('The email as its recipient will see it')} />
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
              alt={t('Page {page} of the letter', { page: index + 1 })}
              loading={index === 0 ? undefined : 'lazy'}
              {...sheetSize(country)}
            />
          ))}
        </div>
      );
  }
}

const purpose = 'console:preview';
/** Node rejects requests whose headers, including the URL, exceed 16 kB. */
const maxTokenLength = 10_000;

export interface ToPreview {
  service: SendingService;
  template: ReadyTemplate;
  filled: Filled;
}

/** Encrypts the values for the URL of a preview. They are encrypted for this person, because URLs reach logs. */
function encryptValues({ secrets }: ConsoleApp, { user }: Visitor, values: Record<string, string>): string {
  return secrets.encrypt(purpose, JSON.stringify(values), user.id);
}

export function decryptValues({ secrets }: ConsoleApp, { user }: Visitor, token: string): Record<string, string> {
  const plain = token && secrets.decrypt(purpose, token, user.id);
  return plain ? JSON.parse(plain.toString()) : {};
}

/** `pages` is the number of pages of a letter to show. */
export async function previewMessage(
  app: ConsoleApp,
  visitor: Visitor,
  { service, template, filled }: ToPreview,
  pages = 1,
): Promise<Preview> {
  const personalisation = buildPersonalisation(template, filled);
  const message = {
    template,
    recipient: filled.to,
    personalisation,
    reply_to_text: findSender(service, template, filled),
  };
  const path = pageUrl(`/services/${service.id}/send/${template.row.id}`);
  const token = encryptValues(app, visitor, personalisation);
  const query = `values=${token}${filled.language && `&language=${encodeURIComponent(filled.language)}`}`;
  switch (template.row.template_type) {
    case 'sms':
      return { channel: 'sms', ...(await previewText(app, service.id, message)) };
    case 'email': {
      const { from, reply_to, subject, text, html } = await previewEmail(app, service.id, message);
      const frame = token.length > maxTokenLength ? undefined : `${path}/email?${query}`;
      return { channel: 'email', from: `${from.name} <${from.address}>`, reply_to, subject, text, html, frame };
    }
    case 'letter': {
      const shown = token.length > maxTokenLength ? 0 : pages;
      const addresses = Array.from({ length: shown }, (_, index) => `${path}/pages/${index + 1}?${query}`);
      return { channel: 'letter', pages: addresses };
    }
  }
}

/** Returns the sender of a text or the reply-to address of an email: the chosen one, or else the default. */
function findSender(service: SendingService, { row }: ReadyTemplate, { sender_id }: Filled): string | null {
  const known = row.template_type === 'sms' ? service.sms_senders : service.email_reply_tos;
  return known.get(sender_id) ?? row.reply_to_text;
}

/** Renders the letter to count its pages. */
export function drawLetter(app: ConsoleApp, { template, filled }: ToPreview) {
  return previewLetterTemplate(app, template, buildPersonalisation(template, filled), 'pdf', 1);
}
