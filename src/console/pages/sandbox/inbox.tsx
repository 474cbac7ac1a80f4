import { type InboxMessage, maxSearched } from '../../../delivery/sandbox/inbox.ts';
import { channelTabs, channelWords, postageNames } from '../../message-words.ts';
import { count, several } from '../../money.ts';
import { Stamp } from '../../parts/status.tsx';
import { Segments } from '../../parts/tabs.tsx';
import { Time } from '../../parts/time.tsx';
import { type ListQuery, sandboxUrl, withoutMessageView } from './list-query.ts';

interface InboxProps {
  messages: InboxMessage[];
  hasOlder: boolean;
  list: ListQuery;
  current: string | undefined;
  now: Date;
}

/** The list of messages at the left. */
export function Inbox({ messages, hasOlder, list, current, now }: InboxProps) {
  return (
    <>
      {messages.length === 0 && <p class="inbox-note muted">{emptyNote(list)}</p>}
      <ul class="inbox">
        {messages.map((message) => (
          <li key={message.id}>
            <a
              href={sandboxUrl(`/${message.id}`, withoutMessageView(list))}
              aria-current={message.id === current ? 'true' : undefined}
            >
              <Stamp channel={channelWords[message.notification_type].stamp} small />
              <span>
                <b>{firstLine(message)}</b>
              </span>
              <Time at={message.received_at} now={now} brief />
              <span class="preview">{summarise(message)}</span>
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
      {list.before !== undefined && <a href={sandboxUrl('', { ...list, before: undefined })}>Newest messages</a>}
      {last !== undefined && <a href={sandboxUrl('', { ...list, before: last })}>Older messages</a>}
    </nav>
  );
}

function emptyNote({ find, channel, before }: ListQuery): string {
  if (find !== '') return `None of the newest ${count(maxSearched)} messages contains this.`;
  if (before !== undefined) return 'No older messages: the sandbox keeps them for a week.';
  return channel ? 'None yet.' : 'Nothing has been sent yet. Send a message with the API, and it appears here.';
}

/** The phone number, the email address, or the first line of a postal address. */
export function firstLine({ recipient }: Pick<InboxMessage, 'recipient'>): string {
  return recipient.split('\n')[0] ?? '';
}

const maxPreview = 120;

function summarise(message: InboxMessage): string {
  if (message.notification_type === 'letter') return [message.template_name, ...letterFacts(message)].join(', ');
  return (message.subject ?? message.text).slice(0, maxPreview);
}

/** What is known of a letter, such as "2 pages" and "second class". */
export function letterFacts({ page_count, postage }: InboxMessage): string[] {
  const pages = page_count === null ? [] : [several(page_count, 'page')];
  return [...pages, ...(postage ? [postageNames[postage]] : [])];
}

/** Which messages the list shows. A search is posted, so that no recipient is part of an address. */
export function SandboxToolbar({ current }: { current: ListQuery }) {
  const list = { ...withoutMessageView(current), before: undefined };
  return (
    <div class="toolbar">
      <Segments name="Channel" tabs={channelTabs(list.channel, (channel) => sandboxUrl('', { ...list, channel }))} />
      <search aria-label="Sandbox">
        <form class="row" method="post" action="/console/sandbox">
          {list.channel && <input type="hidden" name="channel" value={list.channel} />}
          <label class="sr" for="find">
            Recipient, subject or text
          </label>
          <input
            class="input input--small input--short"
            id="find"
            name="find"
            type="search"
            value={list.find}
            placeholder="Find…"
            autocomplete="off"
          />
          <button class="button button--small" type="submit">
            Find
          </button>
          {list.find !== '' && <a href={sandboxUrl('', { ...list, findToken: '' })}>Show all</a>}
        </form>
      </search>
    </div>
  );
}
