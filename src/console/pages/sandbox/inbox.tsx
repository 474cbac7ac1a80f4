import type { Country } from '../../../countries/country.ts';
import type { PhoneRules } from '../../../countries/phone-rules.ts';
import { type InboxMessage, maxSearched } from '../../../delivery/sandbox/inbox.ts';
import { joined, t } from '../../../language/text.ts';
import { pageUrl } from '../../links.ts';
import { channelLabels, channelTabs, postageName } from '../../message-labels.ts';
import { count, several } from '../../money.ts';
import { formatPhoneNumber } from '../../parts/phone-number.ts';
import { Stamp } from '../../parts/status.tsx';
import { Segments } from '../../parts/tabs.tsx';
import { Time } from '../../parts/time.tsx';
import { type ListQuery, sandboxUrl, withoutMessageView } from './list-query.ts';

interface InboxProps {
  country: Country;
  messages: InboxMessage[];
  hasOlder: boolean;
  list: ListQuery;
  current: string | undefined;
  /** The ids of messages that the reader has opened. */
  opened: ReadonlySet<string>;
  now: Date;
}

/** The list of messages on the left. */
export function Inbox({ country, messages, hasOlder, list, current, opened, now }: InboxProps) {
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
              <Stamp channel={channelLabels[message.notification_type].stamp} />
              <Recipient phone={country.phone} message={message} isUnread={!opened.has(message.id)} />
              <Time at={message.received_at} now={now} brief />
              <span class="preview" dir="auto">
                {summarise(country, message)}
              </span>
            </a>
          </li>
        ))}
      </ul>
      {list.find !== '' ? (
        hasOlder && (
          <p class="inbox-note muted">
            {t('We found more messages than fit here. Search for something more precise.')}
          </p>
        )
      ) : (
        <Pages current={list} last={hasOlder ? messages.at(-1)?.id : undefined} />
      )}
    </>
  );
}

interface RecipientProps {
  phone: PhoneRules;
  message: InboxMessage;
  isUnread: boolean;
}

function Recipient({ phone, message, isUnread }: RecipientProps) {
  if (!isUnread) return <span>{firstLine(phone, message)}</span>;
  return (
    <span class="unread">
      <b>{firstLine(phone, message)}</b>
      <span class="sr"> {t('unread')}</span>
    </span>
  );
}

function Pages({ current, last }: { current: ListQuery; last: string | undefined }) {
  const list = withoutMessageView(current);
  if (last === undefined && list.before === undefined) return null;
  return (
    <nav class="inbox-note row" aria-label={t('Pages')}>
      {list.before !== undefined && <a href={sandboxUrl('', { ...list, before: undefined })}>{t('Newest messages')}</a>}
      {last !== undefined && <a href={sandboxUrl('', { ...list, before: last })}>{t('Older messages')}</a>}
    </nav>
  );
}

function emptyNote({ find, channel, before }: ListQuery): string {
  if (find !== '')
    return t('We found nothing in the newest {maxSearched} messages.', { maxSearched: count(maxSearched) });
  if (before !== undefined) return t('No older messages. The sandbox keeps messages for 7 days.');
  return channel ? t('None yet.') : t('No messages yet. Send a message to see it here.');
}

/** The phone number, the email address, or the first line of a postal address. */
export function firstLine(phone: PhoneRules, { notification_type, recipient }: InboxMessage): string {
  return notification_type === 'sms' ? formatPhoneNumber(phone, recipient) : (recipient.split('\n')[0] ?? '');
}

const maxPreview = 120;

function summarise(country: Country, message: InboxMessage): string {
  if (message.notification_type === 'letter')
    return joined([message.template_name ?? '', ...letterFacts(country, message)], ', ');
  return (message.subject ?? message.text).slice(0, maxPreview);
}

/** Known properties of a letter, such as "2 pages" and "second class". */
export function letterFacts(country: Country, { page_count, postage }: InboxMessage): string[] {
  const pages = page_count === null ? [] : [several(page_count, 'page')];
  return [...pages, ...(postage ? [postageName(country, postage)] : [])];
}

/** The filters of the list. The search uses POST, so that no recipient appears in a URL. */
export function SandboxToolbar({ current }: { current: ListQuery }) {
  const list = { ...withoutMessageView(current), before: undefined };
  return (
    <div class="toolbar">
      <Segments
        name={t('Channel')}
        tabs={channelTabs(list.channel, (channel) => sandboxUrl('', { ...list, channel }))}
      />
      <search aria-label={t('Sandbox')}>
        <form class="row" method="post" action={pageUrl('/sandbox')}>
          {list.channel && <input type="hidden" name="channel" value={list.channel} />}
          <label class="sr" for="find">
            {t('Recipient, subject or text')}
          </label>
          <input
            class="input input--small input--short"
            id="find"
            name="find"
            type="search"
            value={list.find}
            placeholder={t('Find…')}
            autocomplete="off"
          />
          <button class="button button--small" type="submit">
            {t('Find')}
          </button>
          {list.find !== '' && <a href={sandboxUrl('', { ...list, findToken: '' })}>{t('Show all')}</a>}
        </form>
      </search>
    </div>
  );
}
