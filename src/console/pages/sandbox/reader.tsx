import type { ComponentChildren } from 'preact';
import type { Country } from '../../../countries/country.ts';
import type { PhoneRules } from '../../../countries/phone-rules.ts';
import type { Answer } from '../../../delivery/sandbox/answers.ts';
import type { SentEmail } from '../../../delivery/sandbox/email-sources.ts';
import type { InboxMessage } from '../../../delivery/sandbox/inbox.ts';
import { unfinishedStatuses } from '../../../notifications/notification.ts';
import { sheetSize } from '../../letter-paper.ts';
import { pageUrl } from '../../links.ts';
import { printDay } from '../../message-words.ts';
import { count, dataSize, several } from '../../money.ts';
import type { FormState } from '../../page.ts';
import { Field } from '../../parts/field.tsx';
import { Live } from '../../parts/live.tsx';
import { Turn } from '../../parts/pager.tsx';
import { MessageStatus } from '../../parts/status.tsx';
import { Copy } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { useViewer } from '../../viewer.ts';
import { EmailReader } from './email-reader.tsx';
import { firstLine, letterFacts } from './inbox.tsx';
import { type ListQuery, sandboxUrl } from './list-query.ts';

interface ReaderProps {
  country: Country;
  message: InboxMessage;
  email: SentEmail | undefined;
  possible: Answer[];
  isHeld: boolean;
  list: ListQuery;
  formState: FormState;
  now: Date;
  /** The page of the message in the console, where there is one. */
  messagePage: string | undefined;
}

export function formatHeading(phone: PhoneRules, message: InboxMessage): string {
  if (message.notification_type === 'email') return message.subject ?? '';
  return `${message.notification_type === 'sms' ? 'Text' : 'Letter'} to ${firstLine(phone, message)}`;
}

/** One message, at the right of the list. */
export function Reader(props: ReaderProps) {
  const { message, list, formState, possible, isHeld, messagePage } = props;
  return (
    <article class="reader" aria-labelledby="message-heading">
      <header class="reader-head">
        <h2 id="message-heading" dir="auto">
          {formatHeading(props.country.phone, message)}
        </h2>
        {messagePage && (
          <a class="small" href={messagePage}>
            Open message
          </a>
        )}
      </header>
      <dl class="facts facts--mail">
        {listFacts(props).map(([label, value]) => [
          <dt key={label}>{label}</dt>,
          <dd key={`${label} value`}>{value}</dd>,
        ])}
      </dl>
      {message.notification_type === 'email' && <EmailReader {...props} />}
      {message.notification_type === 'sms' && <TextReader message={message} />}
      {message.notification_type === 'letter' && <LetterReader message={message} list={list} />}
      <LiveAnswers message={message} possible={possible} isHeld={isHeld} list={list} />
      {possible.includes('reply') && <Reply action={sandboxUrl(`/${message.id}/answer`, list)} formState={formState} />}
    </article>
  );
}

function listFacts({ country, message, email, now }: ReaderProps): [string, ComponentChildren][] {
  const { notification_type, recipient, sender, service_name } = message;
  const status: [string, ComponentChildren] = [
    'Status',
    <Live key="status" from={pageUrl(`/sandbox/${message.id}/status`)}>
      <CurrentStatus message={message} email={email} />
    </Live>,
  ];
  const received: [string, ComponentChildren] = [
    'Received',
    <Time key="received" at={message.received_at} now={now} />,
  ];
  const service: [string, ComponentChildren] = ['Service', service_name];
  if (notification_type === 'letter') {
    return [
      ['To', recipient.split('\n').join(', ')],
      ['Postage', letterFacts(country, message).join(', ')],
      service,
      status,
    ];
  }
  if (notification_type === 'sms')
    return [['From', sender], ['To', firstLine(country.phone, message)], service, received, status];
  return [
    ['From', email?.from ?? sender],
    ['To', recipient],
    ...(email?.reply_to ? [['Reply to', email.reply_to] as [string, ComponentChildren]] : []),
    ...(email && email.attachments.length > 0
      ? [['Attachments', listAttachments(email)] as [string, ComponentChildren]]
      : []),
    service,
    received,
    status,
  ];
}

/** They can be opened in the downloaded email. */
function listAttachments({ attachments }: SentEmail): string {
  return attachments.map(({ filename, size_in_bytes }) => `${filename} (${dataSize(size_in_bytes)})`).join(', ');
}

/** The status is also sent as a fragment: it changes while the page is open. */
export function CurrentStatus({ message, email }: { message: InboxMessage; email: SentEmail | undefined }) {
  const { country } = useViewer();
  return (
    <span role="status">
      <MessageStatus status={message.status} channel={message.notification_type} />{' '}
      <span class="muted">{statusNote(country, message, email)}</span>
    </span>
  );
}

function statusNote(
  country: Country,
  { notification_type, status, received_at, times_sent }: InboxMessage,
  email: SentEmail | undefined,
) {
  const repeated = times_sent > 1 ? [`received ${count(times_sent)} times`] : [];
  if (notification_type === 'letter' && status === 'created') return `on ${printDay(country, received_at)}`;
  return [...(email?.unsubscribe_url ? ['unsubscribe: one click'] : []), ...repeated].join(', ');
}

/** Shows a text message as on a phone. */
function TextReader({ message }: { message: InboxMessage }) {
  const { sender, text, billable_units: parts } = message;
  const code = findCode(text);
  return (
    <>
      <div class="desk">
        <div class="phone">
          <header>{sender}</header>
          <p class="bubble">{text}</p>
        </div>
      </div>
      <div class="card-foot small muted">
        <span>{several(parts, 'part')}</span>
        <span>{several(text.length, 'character')}</span>
        <span>{describeEncoding(message)}</span>
        {code && (
          <span class="row row--tight">
            <span>
              Code <code id="code-in-text">{code}</code>
            </span>
            <Copy of="code-in-text" what="the code" />
          </span>
        )}
      </div>
    </>
  );
}

/** A number that a text calls a code, such as that of a sign-in. */
function findCode(text: string): string | undefined {
  return /\b(?:code|passcode|pin)\b/i.test(text) ? /(?<![\d£.])\d{4,8}(?![\d.]*\d)/.exec(text)?.[0] : undefined;
}

function describeEncoding({ encoding }: InboxMessage): string {
  return encoding === 'ucs2' ? 'Uses special characters, so fewer fit into one part (UCS-2)' : 'GSM-7';
}

/** The pages that the printer gets, as pictures. */
function LetterReader({ message, list }: { message: InboxMessage; list: ListQuery }) {
  const { country } = useViewer();
  const { id, page_count: pageCount } = message;
  if (pageCount === null) {
    return (
      <div class="desk">
        <p>The letter is not drawn yet. Load the page again in a few seconds.</p>
      </div>
    );
  }
  const page = Math.min(list.page, pageCount);
  return (
    <>
      <div class="toolbar reader-bar">
        <div class="row">
          <Turn
            to={page > 1 ? sandboxUrl(`/${id}`, list, { page: page - 1 }) : undefined}
            icon="left"
            label="Previous page"
          />
          <span>
            Page {page} of {pageCount}
          </span>
          <Turn
            to={page < pageCount ? sandboxUrl(`/${id}`, list, { page: page + 1 }) : undefined}
            icon="right"
            label="Next page"
          />
        </div>
        <div class="row row--end">
          <a href={pageUrl(`/sandbox/letters/${id}/pdf`)} download>
            Download PDF
          </a>
        </div>
      </div>
      <div class="desk">
        <img
          class="sheet"
          src={pageUrl(`/sandbox/letters/${id}/pages/${page}`)}
          alt={`Page ${page} of ${pageCount} of the letter to ${message.recipient.split('\n')[0] ?? ''}`}
          {...sheetSize(country)}
        />
      </div>
    </>
  );
}

const emailLabels = { 'temporary-failure': 'Mailbox full', 'permanent-failure': 'Bounce' };
const textLabels = { 'temporary-failure': 'Phone switched off', 'permanent-failure': 'Number unknown' };

const labels: Record<Answer, string> = {
  delivered: 'Delivered',
  pending: 'Still trying',
  'temporary-failure': 'Temporary failure',
  'permanent-failure': 'Permanent failure',
  'technical-failure': 'Technical failure',
  reply: 'Reply',
  complaint: 'Report as spam',
  unsubscribe: 'Unsubscribe',
  print: 'Print now',
  posted: 'Posted',
  rejected: 'Cannot be printed',
  returned: 'Returned',
};

const headings = { email: 'Answer as the recipient', sms: 'Answer as the recipient', letter: 'Answer as the printer' };

/** What the next page says once about what was done. */
export const notices: Record<Answer, string> = {
  delivered: 'Receipt sent.',
  pending: 'Receipt sent.',
  'temporary-failure': 'Receipt sent.',
  'permanent-failure': 'Receipt sent.',
  'technical-failure': 'Receipt sent.',
  reply: 'Reply sent to the service.',
  complaint: 'Email reported as spam.',
  unsubscribe: 'Unsubscribe request sent to the service.',
  print: 'Letter sent to the printer.',
  posted: 'Letter posted.',
  rejected: 'Letter refused by the printer.',
  returned: 'Letter returned.',
};

interface AnswersProps {
  message: InboxMessage;
  possible: Answer[];
  list: ListQuery;
  /** Whether the sandbox waits for receipts instead of making them. */
  isHeld: boolean;
}

/** What can be answered changes with the status, until that is final. */
function LiveAnswers(props: AnswersProps) {
  const { message, list } = props;
  if (isFinal(message)) return <Answers {...props} />;
  return (
    <Live from={sandboxUrl(`/${message.id}/answers`, list)} isWhole>
      <Answers {...props} />
    </Live>
  );
}

/** Only the printer can change a letter later: it may come back. */
export function isFinal({ status }: InboxMessage): boolean {
  return !unfinishedStatuses.some((unfinished) => unfinished === status);
}

/** Buttons for what a provider, a recipient or a printer can do with the message now. They are also sent as a fragment. */
export function Answers({ message, possible, list, isHeld }: AnswersProps) {
  const { id, notification_type: channel } = message;
  const ownLabels: Partial<Record<Answer, string>> =
    channel === 'email' ? emailLabels : channel === 'sms' ? textLabels : {};
  return (
    <form
      class="card-foot small"
      method="post"
      action={sandboxUrl(`/${id}/answer`, list)}
      aria-label={headings[channel]}
      data-live={isFinal(message) ? undefined : ''}
    >
      <b>{headings[channel]}</b>
      {possible
        .filter((answer) => answer !== 'reply')
        .map((answer) => (
          <button key={answer} class="button button--small" type="submit" name="answer" value={answer}>
            {ownLabels[answer] ?? labels[answer]}
          </button>
        ))}
      <span class="muted">{explain(message, possible, isHeld)}</span>
    </form>
  );
}

function Reply({ action, formState }: { action: string; formState: FormState }) {
  return (
    <form class="card-foot reply" method="post" action={action} aria-label="Reply" noValidate>
      <input type="hidden" name="answer" value="reply" />
      <Field
        formState={formState}
        name="text"
        label="Reply as the recipient"
        beside={
          <button class="button" type="submit">
            Reply
          </button>
        }
      />
    </form>
  );
}

/** Says why there are fewer buttons than expected. */
function explain({ notification_type, status }: InboxMessage, possible: Answer[], isHeld: boolean): string {
  if (notification_type === 'letter') return possible.length > 0 ? '' : 'The printer has nothing to do now.';
  if (possible.includes('delivered')) return '';
  if (status === 'created') return 'We have not sent the message yet.';
  return isHeld
    ? 'The message has its receipt.'
    : 'Delivered automatically. To choose the outcome yourself, start with SANDBOX_RECEIPTS=hold.';
}
