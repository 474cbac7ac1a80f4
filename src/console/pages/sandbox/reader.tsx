import type { ComponentChildren } from 'preact';
import type { Country } from '../../../countries/country.ts';
import type { PhoneRules } from '../../../countries/phone-rules.ts';
import type { SandboxEmail } from '../../../delivery/sandbox/email-sources.ts';
import type { InboxMessage } from '../../../delivery/sandbox/inbox.ts';
import type { SimulatedEvent } from '../../../delivery/sandbox/simulated-events.ts';
import { T } from '../../../language/sentence.tsx';
import { asIs, joined, type Text, t } from '../../../language/text.ts';
import { unfinishedStatuses } from '../../../notifications/notification.ts';
import { sheetSize } from '../../letter-paper.ts';
import { pageUrl } from '../../links.ts';
import { printDay } from '../../message-labels.ts';
import { dataSize, several } from '../../money.ts';
import type { FormState } from '../../page.ts';
import { Field } from '../../parts/field.tsx';
import { Live } from '../../parts/live.tsx';
import { ArrowLink } from '../../parts/pager.tsx';
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
  email: SandboxEmail | undefined;
  possible: SimulatedEvent[];
  isHeld: boolean;
  list: ListQuery;
  formState: FormState;
  now: Date;
  /** The page of the message in the console, if there is one. */
  messagePage: string | undefined;
}

export function formatHeading(phone: PhoneRules, message: InboxMessage): Text {
  if (message.notification_type === 'email') return asIs(message.subject ?? '');
  return t('{channel, select, sms {Text to {recipient}} other {Letter to {recipient}}}', {
    channel: message.notification_type,
    recipient: firstLine(phone, message),
  });
}

/** One message, to the right of the list. */
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
            {t('Open message')}
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
      <LiveSimulatedEvents message={message} possible={possible} isHeld={isHeld} list={list} />
      {possible.includes('reply') && <Reply action={sandboxUrl(`/${message.id}/answer`, list)} formState={formState} />}
    </article>
  );
}

function listFacts({ country, message, email, now }: ReaderProps): [string, ComponentChildren][] {
  const { notification_type, recipient, sender, service_name } = message;
  const status: [string, ComponentChildren] = [
    t('Status'),
    <Live key="status" from={pageUrl(`/sandbox/${message.id}/status`)}>
      <CurrentStatus message={message} email={email} />
    </Live>,
  ];
  const received: [string, ComponentChildren] = [
    t('Received'),
    <Time key="received" at={message.received_at} now={now} />,
  ];
  const service: [string, ComponentChildren] = [t('Service'), service_name];
  if (notification_type === 'letter') {
    return [
      [t('To'), recipient.split('\n').join(', ')],
      [t('Postage'), joined(letterFacts(country, message), ', ')],
      service,
      status,
    ];
  }
  if (notification_type === 'sms')
    return [[t('From'), sender], [t('To'), firstLine(country.phone, message)], service, received, status];
  return [
    [t('From'), email?.from ?? sender],
    [t('To'), recipient],
    ...(email?.reply_to ? [[t('Reply to'), email.reply_to] as [string, ComponentChildren]] : []),
    ...(email && email.attachments.length > 0
      ? [[t('Attachments'), listAttachments(email)] as [string, ComponentChildren]]
      : []),
    service,
    received,
    status,
  ];
}

/** Attachments can be opened in the downloaded email. */
function listAttachments({ attachments }: SandboxEmail): string {
  return joined(
    attachments.map(({ filename, size_in_bytes }) =>
      t('{filename} ({size})', { filename, size: dataSize(size_in_bytes) }),
    ),
    ', ',
  );
}

/** The status, also sent as a fragment because it changes while the page is open. */
export function CurrentStatus({ message, email }: { message: InboxMessage; email: SandboxEmail | undefined }) {
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
  email: SandboxEmail | undefined,
) {
  const repeated = times_sent > 1 ? [t('{count, plural, other {received # times}}', { count: times_sent })] : [];
  if (notification_type === 'letter' && status === 'created')
    return t('on {day}', { day: printDay(country, received_at) });
  return joined([...(email?.unsubscribe_url ? [t('unsubscribe: one click')] : []), ...repeated], ', ');
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
              <T>
                Code <code id="code-in-text">{{ code }}</code>
              </T>
            </span>
            <Copy of="code-in-text" what={t('the code')} />
          </span>
        )}
      </div>
    </>
  );
}

/** Finds a number that the text calls a code, such as a sign-in code. */
function findCode(text: string): string | undefined {
  return /\b(?:code|passcode|pin)\b/i.test(text) ? /(?<![\d£.])\d{4,8}(?![\d.]*\d)/.exec(text)?.[0] : undefined;
}

function describeEncoding({ encoding }: InboxMessage): string {
  return encoding === 'ucs2' ? t('Uses special characters, so fewer fit into one part (UCS-2)') : 'GSM-7';
}

/** The pages that the printer gets, as images. */
function LetterReader({ message, list }: { message: InboxMessage; list: ListQuery }) {
  const { country } = useViewer();
  const { id, page_count: pageCount } = message;
  if (pageCount === null) {
    return (
      <div class="desk">
        <p>{t('The letter is not ready yet. Reload the page in a few seconds.')}</p>
      </div>
    );
  }
  const page = Math.min(list.page, pageCount);
  return (
    <>
      <div class="toolbar reader-bar">
        <div class="row">
          <ArrowLink
            to={page > 1 ? sandboxUrl(`/${id}`, list, { page: page - 1 }) : undefined}
            icon="left"
            label={t('Previous page')}
          />
          <span>
            <T>
              Page {{ page }} of {{ pageCount }}
            </T>
          </span>
          <ArrowLink
            to={page < pageCount ? sandboxUrl(`/${id}`, list, { page: page + 1 }) : undefined}
            icon="right"
            label={t('Next page')}
          />
        </div>
        <div class="row row--end">
          <a href={pageUrl(`/sandbox/letters/${id}/pdf`)} download>
            {t('Download PDF')}
          </a>
        </div>
      </div>
      <div class="desk">
        <img
          class="sheet"
          src={pageUrl(`/sandbox/letters/${id}/pages/${page}`)}
          alt={t('Page {page} of {pages} of the letter to {recipient}', {
            page,
            pages: pageCount,
            recipient: message.recipient.split('\n')[0] ?? '',
          })}
          {...sheetSize(country)}
        />
      </div>
    </>
  );
}

const emailLabels = { 'temporary-failure': t('Mailbox full'), 'permanent-failure': t('Bounce') };
const textLabels = { 'temporary-failure': t('Phone switched off'), 'permanent-failure': t('Number unknown') };

const labels: Record<SimulatedEvent, string> = {
  delivered: t('Delivered'),
  pending: t('Still trying'),
  'temporary-failure': t('Temporary failure'),
  'permanent-failure': t('Permanent failure'),
  'technical-failure': t('Technical failure'),
  reply: t('Reply'),
  complaint: t('Report as spam'),
  unsubscribe: t('Unsubscribe'),
  print: t('Print now'),
  posted: t('Posted'),
  rejected: t('Cannot be printed'),
  returned: t('Returned'),
};

const headings = {
  email: t('Respond as the recipient'),
  sms: t('Respond as the recipient'),
  letter: t('Respond as the printer'),
};

/** Notices that the next page shows once. */
export const notices: Record<SimulatedEvent, Text> = {
  delivered: t('Receipt sent.'),
  pending: t('Receipt sent.'),
  'temporary-failure': t('Receipt sent.'),
  'permanent-failure': t('Receipt sent.'),
  'technical-failure': t('Receipt sent.'),
  reply: t('Reply sent to the service.'),
  complaint: t('Email reported as spam.'),
  unsubscribe: t('Unsubscribe request sent to the service.'),
  print: t('Letter sent to the printer.'),
  posted: t('Letter posted.'),
  rejected: t('Letter refused by the printer.'),
  returned: t('Letter returned.'),
};

interface SimulatedEventsProps {
  message: InboxMessage;
  possible: SimulatedEvent[];
  list: ListQuery;
  /** Whether the sandbox waits for receipts instead of making them. */
  isHeld: boolean;
}

/** The possible answers depend on the status, until it is final. */
function LiveSimulatedEvents(props: SimulatedEventsProps) {
  const { message, list } = props;
  if (isFinal(message)) return <SimulatedEvents {...props} />;
  return (
    <Live from={sandboxUrl(`/${message.id}/answers`, list)} isWhole>
      <SimulatedEvents {...props} />
    </Live>
  );
}

/** Only the printer can change a letter later, because it may be returned. */
export function isFinal({ status }: InboxMessage): boolean {
  return !unfinishedStatuses.some((unfinished) => unfinished === status);
}

/** Buttons for what a provider, a recipient or a printer can do with the message now. Also sent as a fragment. */
export function SimulatedEvents({ message, possible, list, isHeld }: SimulatedEventsProps) {
  const { id, notification_type: channel } = message;
  const ownLabels: Partial<Record<SimulatedEvent, string>> =
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
    <form class="card-foot reply" method="post" action={action} aria-label={t('Reply')} noValidate>
      <input type="hidden" name="answer" value="reply" />
      <Field
        formState={formState}
        name="text"
        label={t('Reply as the recipient')}
        beside={
          <button class="button" type="submit">
            {t('Reply')}
          </button>
        }
      />
    </form>
  );
}

/** Explains why there are fewer buttons than expected. */
function explain({ notification_type, status }: InboxMessage, possible: SimulatedEvent[], isHeld: boolean): string {
  if (notification_type === 'letter') return possible.length > 0 ? '' : t('The printer has nothing to do now.');
  if (possible.includes('delivered')) return '';
  if (status === 'created') return t('We have not sent the message yet.');
  return isHeld
    ? t('The message already has a receipt.')
    : t('Delivered automatically. To choose the outcome yourself, start with SANDBOX_RECEIPTS=hold.');
}
