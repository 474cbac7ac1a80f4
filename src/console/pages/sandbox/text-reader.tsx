import type { InboxMessage } from '../../../delivery/sandbox/inbox.ts';

/** A text message as on a phone. */
export function TextReader({ message }: { message: InboxMessage }) {
  const { sender, text, billable_units: parts } = message;
  const size = `${text.length.toLocaleString('en-GB')} ${text.length === 1 ? 'character' : 'characters'}`;
  return (
    <>
      <div class="desk">
        <div class="phone">
          <header>{sender}</header>
          <p class="bubble">{text}</p>
        </div>
      </div>
      <p class="card-foot small muted">
        <span>{parts === 1 ? '1 part' : `${parts} parts`}</span>
        <span>{size}</span>
        <span>{encodingOf(message)}</span>
      </p>
    </>
  );
}

function encodingOf({ encoding }: InboxMessage): string {
  return encoding === 'ucs2' ? 'UCS-2: it contains letters that the alphabet of phones lacks' : 'GSM-7';
}
