import { type InboxMessage, maxSearched } from '../../../delivery/sandbox/inbox.ts';
import { Stamp } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { type ListQuery, listUrl, withoutMessageView } from './list-query.ts';

interface InboxProps {
  messages: InboxMessage[];
  hasOlder: boolean;
  list: ListQuery;
  current: string | undefined;
  now: Date;
}

const stampOf = { email: 'email', sms: 'text', letter: 'letter' } as const;

/** The list at the left. */
export function Inbox({ messages, hasOlder, list, current, now }: InboxProps) {
  return (
    <>
      {messages.length === 0 && <p class="inbox-note muted">{emptyNote(list)}</p>}
      <ul class="inbox">
        {messages.map((message) => (
          <li key={message.id}>
            <a
              href={listUrl(`/${message.id}`, withoutMessageView(list))}
              aria-current={message.id === current ? 'true' : undefined}
            >
              <Stamp channel={stampOf[message.notification_type]} small />
              <span>
                <b>{shortRecipient(message)}</b>
              </span>
              <Time at={message.received_at} now={now} brief />
              <span class="preview">{previewOf(message)}</span>
            </a>
          </li>
        ))}
      </ul>
      {list.find !== '' ? (
        hasOlder && <p class="inbox-note muted">There are more. Search for something more precise.</p>
      ) : (
        <Pages current={list} last={hasOlder ? messages.at(-1)?.id : undefined} />
      )}
    </>
  );
}

function Pages({ current, last }: { current: ListQuery; last: string | undefined }) {
  const list = withoutMessageView(current);
  if (last === undefined && list.before === undefined) return null;
  return (
    <nav class="inbox-note row" aria-label="Pages">
      {list.before !== undefined && <a href={listUrl('', { ...list, before: undefined })}>Newest messages</a>}
      {last !== undefined && <a href={listUrl('', { ...list, before: last })}>Older messages</a>}
    </nav>
  );
}

function emptyNote({ find, channel, before }: ListQuery): string {
  if (find !== '') return `None of the newest ${maxSearched.toLocaleString('en-GB')} messages contains this.`;
  if (before !== undefined) return 'No older messages: the sandbox keeps them for a week.';
  return channel ? 'None yet.' : 'Nothing has been sent yet. Send a message with the API, and it appears here.';
}

/** The first line of an address. */
export function shortRecipient({ recipient }: Pick<InboxMessage, 'recipient'>): string {
  return recipient.split('\n')[0] ?? '';
}

const maxPreview = 120;

function previewOf(message: InboxMessage): string {
  if (message.notification_type === 'letter') return [message.template_name, ...letterFacts(message)].join(', ');
  return (message.subject ?? message.text).slice(0, maxPreview);
}

export const postageNames = {
  first: 'first class',
  second: 'second class',
  economy: 'economy',
  europe: 'to Europe',
  'rest-of-world': 'to the rest of the world',
};

/** Such as "2 pages", "second class". */
export function letterFacts({ page_count, postage }: InboxMessage): string[] {
  const pages = page_count === null ? [] : [page_count === 1 ? '1 page' : `${page_count} pages`];
  return [...pages, ...(postage ? [postageNames[postage]] : [])];
}
