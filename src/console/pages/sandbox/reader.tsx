import type { ComponentChildren } from 'preact';
import type { Answer } from '../../../delivery/sandbox/answers.ts';
import type { InboxMessage } from '../../../delivery/sandbox/inbox.ts';
import type { SentEmail } from '../../../delivery/sandbox/sent-email.ts';
import { printDay } from '../../letter-days.ts';
import type { FormState } from '../../page.ts';
import { Live } from '../../parts/live.tsx';
import { MessageStatus } from '../../parts/message-status.tsx';
import { Time } from '../../parts/time.tsx';
import { Answers } from './answer-forms.tsx';
import { EmailReader } from './email-reader.tsx';
import { letterFacts, shortRecipient } from './inbox-list.tsx';
import { LetterReader } from './letter-reader.tsx';
import { type ListQuery, listUrl } from './list-query.ts';
import { TextReader } from './text-reader.tsx';

interface ReaderProps {
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

export function headingOf(message: InboxMessage): string {
  if (message.notification_type === 'email') return message.subject ?? '';
  return `${message.notification_type === 'sms' ? 'Text' : 'Letter'} to ${shortRecipient(message)}`;
}

/** One message, at the right of the list. */
export function Reader(props: ReaderProps) {
  const { message, list, formState, possible, isHeld, messagePage } = props;
  return (
    <article class="reader" aria-labelledby="message-heading">
      <header class="reader-head">
        <h2 id="message-heading">{headingOf(message)}</h2>
        {messagePage && (
          <a class="small" href={messagePage}>
            Open message
          </a>
        )}
      </header>
      <dl class="facts facts--mail">
        {factsOf(props).map(([label, value]) => [
          <dt key={label}>{label}</dt>,
          <dd key={`${label} value`}>{value}</dd>,
        ])}
      </dl>
      {message.notification_type === 'email' && <EmailReader {...props} />}
      {message.notification_type === 'sms' && <TextReader message={message} />}
      {message.notification_type === 'letter' && <LetterReader message={message} list={list} />}
      <Answers
        message={message}
        possible={possible}
        isHeld={isHeld}
        action={listUrl(`/${message.id}/answer`, list)}
        formState={formState}
      />
    </article>
  );
}

function factsOf({ message, email, now }: ReaderProps): [string, ComponentChildren][] {
  const { notification_type, recipient, sender, service_name } = message;
  const status: [string, ComponentChildren] = [
    'Status',
    <Live key="status" from={`/console/sandbox/${message.id}/status`}>
      <CurrentStatus message={message} email={email} />
    </Live>,
  ];
  const received: [string, ComponentChildren] = [
    'Received',
    <Time key="received" at={message.received_at} now={now} />,
  ];
  const service: [string, ComponentChildren] = ['Service', service_name];
  if (notification_type === 'letter') {
    return [['To', recipient.split('\n').join(', ')], ['Postage', letterFacts(message).join(', ')], service, status];
  }
  if (notification_type === 'sms') return [['From', sender], ['To', recipient], service, received, status];
  return [
    ['From', email?.from ?? sender],
    ['To', recipient],
    ...(email?.reply_to ? [['Reply to', email.reply_to] as [string, ComponentChildren]] : []),
    service,
    received,
    status,
  ];
}

/** Also a fragment: it changes while the page is open. */
export function CurrentStatus({ message, email }: { message: InboxMessage; email: SentEmail | undefined }) {
  return (
    <>
      <MessageStatus status={message.status} channel={message.notification_type} />{' '}
      <span class="muted">{statusNote(message, email)}</span>
    </>
  );
}

function statusNote(
  { notification_type, status, received_at, times_sent }: InboxMessage,
  email: SentEmail | undefined,
) {
  const repeated = times_sent > 1 ? [`received ${times_sent} times`] : [];
  if (notification_type === 'letter' && status === 'created') return `on ${printDay(received_at)}`;
  return [...(email?.unsubscribe_url ? ['unsubscribe: one click'] : []), ...repeated].join(', ');
}
