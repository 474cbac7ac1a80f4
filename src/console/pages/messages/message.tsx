import type { ComponentChildren } from 'preact';
import type { Country } from '../../../countries/country.ts';
import type { ReceivedMessage } from '../../../delivery/previews/previews.ts';
import { T } from '../../../language/sentence.tsx';
import { joined, t } from '../../../language/text.ts';
import { canCancelLetter } from '../../../notifications/history/activity.ts';
import type { ActivityRecord } from '../../../notifications/history/activity-record.ts';
import type { ShownMessage } from '../../../notifications/history/shown-message.ts';
import type { Status } from '../../../notifications/notification.ts';
import { statusesOfGroup } from '../../../notifications/notification.ts';
import { canSendAgain } from '../../../notifications/one-off/one-off.ts';
import type { Channel } from '../../../protocol/channels.ts';
import { valueToText } from '../../../rendering/personalisation.ts';
import { Icon } from '../../layout/icon.tsx';
import { pageUrl } from '../../links.ts';
import { postageName, printDay, weekdayAndDate } from '../../message-labels.ts';
import { several } from '../../money.ts';
import type { View } from '../../page.ts';
import { Confirm } from '../../parts/form.tsx';
import { Live } from '../../parts/live.tsx';
import { Notice } from '../../parts/notice.tsx';
import { MessageStatus } from '../../parts/status.tsx';
import { Copy } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { useViewer } from '../../viewer.ts';
import { AsReceived, Preformatted } from './as-received.tsx';
import { statusHelp } from './statuses.pages.tsx';
import { Timeline, type TimelineEvent } from './timeline.tsx';

interface MessageProps {
  message: ShownMessage;
  received: ReceivedMessage;
  pageCount: number | null;
  /** The URL of the message. */
  path: string;
  /** How the message is shown. */
  display: { view: 'html' | 'text'; images: boolean; page: number };
  may: { send: boolean; sendAsMember: boolean };
  /** The URL of its template, if the visitor may open it. */
  templatePage: string | undefined;
  progress: ComponentChildren;
  /** Whether the message can still change. */
  isOpen: boolean;
  apiUrl: string;
  now: Date;
}

export function Message(props: MessageProps): Pick<View, 'actions' | 'content'> {
  const { message, received, pageCount, path, display, progress, isOpen, templatePage } = props;
  const isWide = received.channel === 'email';
  return {
    actions: <Actions {...props} />,
    content: (
      <div class="stack">
        <div class={isWide ? 'aside' : 'aside aside--lead'}>
          <section class="stack" aria-labelledby="received">
            <h2 class="sr" id="received">
              {t('As received')}
            </h2>
            <AsReceived received={received} record={message.record} path={path} pageCount={pageCount} {...display} />
            <MessageFacts message={message} received={received} pageCount={pageCount} templatePage={templatePage} />
          </section>
          {isOpen ? (
            <Live from={`${path}/progress`} isWhole>
              {progress}
            </Live>
          ) : (
            progress
          )}
        </div>
        <Raw message={message} apiUrl={props.apiUrl} />
      </div>
    ),
  };
}

function Actions({ message, path, may, now }: MessageProps) {
  const { country } = useViewer();
  const { record } = message;
  return (
    <>
      <span data-live-controls />
      {may.send && canCancelLetter(country, record, now) && (
        <Confirm label={t('Cancel sending')} action={t('Cancel this letter')} to={`${path}/cancel`}>
          {t('We will not print the letter. You cannot undo this.')}
        </Confirm>
      )}
      {may.send && record.held_until !== undefined && (
        <>
          <Confirm label={t('Cancel sending')} action={t('Cancel this message')} to={`${path}/cancel-waiting`}>
            {t('We will not send the message. You cannot undo this.')}
          </Confirm>
          <form method="post" action={`${path}/send-now`}>
            <button class="button button--primary" type="submit">
              {t('Send now')}
            </button>
          </form>
        </>
      )}
      {may.sendAsMember && canSendAgain(record) && (
        <form method="post" action={`${path}/send-again`}>
          <button class="button button--primary" type="submit">
            {t('Send again')}
          </button>
        </form>
      )}
    </>
  );
}

interface ProgressProps {
  record: ActivityRecord;
  /** The time zone of the recipient, if the message waits there for its sending time. */
  heldZone: string | undefined;
  events: TimelineEvent[];
  isOpen: boolean;
  replayUrl: ((callbackId: string) => string) | undefined;
  now: Date;
}

/** Status and timeline, also sent as a fragment. Polled until the status is final. */
export function Progress({ record, heldZone, events, isOpen, replayUrl, now }: ProgressProps) {
  const status = record.status as Status;
  const advice = findAdvice(record.notification_type, status, record.sent_by);
  return (
    <div class="stack" data-live={isOpen || undefined}>
      {statusesOfGroup.failed.includes(status) && advice ? (
        <div role="status">
          <Notice tone="red">
            <b>{advice.problem}</b> {advice.help}
          </Notice>
        </div>
      ) : (
        <p role="status">
          <MessageStatus status={status} channel={record.notification_type} />
        </p>
      )}
      <Held record={record} zone={heldZone} now={now} />
      <p class="small">
        <a href={pageUrl(statusHelp)} data-drawer data-say-close={t('Close')}>
          {t('What the statuses mean')}
        </a>
      </p>
      <Timeline events={events} replayUrl={replayUrl} />
    </div>
  );
}

/** Says until when a message waits for its sending time: in the recipient's time, if their zone is known. */
function Held({
  record: { held_until, scheduled_for },
  zone,
  now,
}: {
  record: ActivityRecord;
  zone: string | undefined;
  now: Date;
}) {
  if (held_until === undefined) return null;
  if (scheduled_for !== null && new Date(held_until) <= now) {
    return (
      <Notice tone="amber">
        <T>
          <b>
            Goes out <Time at={scheduled_for} now={now} />.
          </b>{' '}
          Its sending time has begun. Messages that waited are sent over the first minutes.
        </T>
      </Notice>
    );
  }
  return (
    <Notice tone="amber">
      {zone === undefined ? (
        <T>
          <b>
            Waits until <Time at={held_until} now={now} />.
          </b>{' '}
          The sending times of the service or of the template are closed where the recipient is.
        </T>
      ) : (
        <T>
          <b>
            Waits until <Time at={held_until} now={now} zone={zone} /> (their time).
          </b>{' '}
          The sending times of the service or of the template are closed where the recipient is.
        </T>
      )}
    </Notice>
  );
}

/** Shows developers the response of the API and how to request it. */
function Raw({ message, apiUrl }: { message: ShownMessage; apiUrl: string }) {
  const command = [
    `curl '${apiUrl}/v2/notifications/${message.record.id}' \\`,
    "  -H 'Authorization: Bearer YOUR-API-KEY'",
  ].join('\n');
  return (
    <details class="more">
      <summary>
        {t('Raw JSON and curl')}
        <Icon name="chevron" small />
      </summary>
      <div class="stack stack--tight">
        <Preformatted label={t('curl')}>{command}</Preformatted>
        <Preformatted label={t('Raw JSON')}>{JSON.stringify(message.response, null, 2)}</Preformatted>
      </div>
    </details>
  );
}

interface FactsProps {
  message: ShownMessage;
  received: ReceivedMessage;
  pageCount: number | null;
  /** The URL of its template, if the visitor may open it. */
  templatePage: string | undefined;
}

type Fact = [name: ComponentChildren, value: ComponentChildren];

/** The template, values, reference, sender, size and cost of a message. */
function MessageFacts({ message, received, pageCount, templatePage }: FactsProps) {
  const { country } = useViewer();
  const { record } = message;
  const template = `${record.template.name}, v${record.template_version}`;
  const rows: Fact[] = [
    [t('Template'), templatePage ? <a href={templatePage}>{template}</a> : template],
    ...(record.language === undefined
      ? []
      : [[t('Language'), <code key="language">{record.language}</code>] satisfies Fact]),
    ...Object.entries(record.personalisation).map(
      ([name, value]): Fact => [<bdi key="name">{name}</bdi>, valueToText(value, 'inline')],
    ),
    ...(record.client_reference === null
      ? []
      : [[t('Reference'), <bdi key="reference">{record.client_reference}</bdi>] satisfies Fact]),
    [t('Sent by'), describeOrigin(message)],
    ...planFact(message),
    ...sizeAndCost(country, message, received, pageCount),
    ...letterDays(country, message),
    [
      t('Id'),
      <>
        <code id="message-id">{record.id}</code> <Copy of="message-id" what={t('id')} />
      </>,
    ],
  ];
  return (
    <dl class="facts">
      {rows.map(([label, value], index) => [<dt key={index}>{label}</dt>, <dd key={`${index} value`}>{value}</dd>])}
    </dl>
  );
}

/** Links to the channel plan message that this message is a step of. */
function planFact({ stored: { service_id }, response: { message_id } }: ShownMessage): Fact[] {
  if (message_id === undefined) return [];
  const to = pageUrl(`/services/${service_id}/plan-messages/${message_id}`);
  return [
    [
      t('Step of'),
      <a key="plan" href={to}>
        {t('a message with a channel plan')}
      </a>,
    ],
  ];
}

function describeOrigin({ record }: ShownMessage): string {
  const { job, job_row_number, key_name, created_by_name, created_via } = record;
  if (job)
    return job_row_number === null
      ? job.original_file_name
      : t('{file}, row {row}', { file: job.original_file_name, row: job_row_number + 2 });
  if (key_name === null) return created_by_name ?? 'Pennypost';
  return created_via === 'smtp'
    ? t('Key “{keyName}”, over SMTP', { keyName: key_name })
    : t('Key “{keyName}”', { keyName: key_name });
}

/** Omits the cost until it is known. */
function sizeAndCost(
  country: Country,
  { record, response }: ShownMessage,
  received: ReceivedMessage,
  pageCount: number | null,
): [string, string][] {
  const { cost_in_pounds, is_cost_data_ready, price_known = true } = response;
  const cost =
    is_cost_data_ready && price_known && cost_in_pounds !== null ? [country.money.price(cost_in_pounds)] : [];
  switch (received.channel) {
    case 'email':
      return [];
    case 'sms':
      return [[t('Size'), joined([several(record.billable_units || received.parts, 'part'), ...cost], ', ')]];
    case 'letter': {
      const pages = pageCount === null ? [] : [several(pageCount, 'page')];
      const postage = record.postage ? [postageName(country, record.postage)] : [];
      const known = [...pages, ...postage, ...cost];
      return known.length === 0 ? [] : [[t('Size'), joined(known, ', ')]];
    }
  }
}

function letterDays(country: Country, { record, response }: ShownMessage): [string, string][] {
  if (record.notification_type !== 'letter' || response.estimated_delivery === undefined) return [];
  return [
    [t('Print run'), printDay(country, record.created_at)],
    [
      t('Arrives'),
      t('about {day}', { day: weekdayAndDate(country.calendar.day(new Date(response.estimated_delivery))) }),
    ],
  ];
}

interface Advice {
  problem: string;
  help: string;
}

const adviceForAll: Partial<Record<Status, Advice>> = {
  failed: { problem: t('The message was not delivered.'), help: t('Send it again.') },
  'technical-failure': {
    problem: t('No provider accepted the message.'),
    help: t('The timeline shows what happened. Send the message again when the provider is working.'),
  },
};

const adviceByChannel: Record<Channel, Partial<Record<Status, Advice>>> = {
  sms: {
    'temporary-failure': {
      problem: t('The phone could not be reached for too long.'),
      help: t('The phone was switched off or out of reach. The number is right, so try again later.'),
    },
    'permanent-failure': {
      problem: t('The number does not exist.'),
      help: t('Ask the person for the right one and correct your records.'),
    },
  },
  email: {
    'temporary-failure': {
      problem: t('The inbox did not accept the email.'),
      help: t('The inbox may be full, or its server out of reach. The address is right, so try again later.'),
    },
    'permanent-failure': {
      problem: t('The address does not exist.'),
      help: t('Ask the person for the right one and correct your records.'),
    },
  },
  letter: {
    'technical-failure': {
      problem: t('The letter was not printed.'),
      help: t('You will not be charged. Send it again.'),
    },
    'validation-failed': {
      problem: t('The file cannot be printed.'),
      help: t('The page shows what is outside the printable area. Correct the file and send it again.'),
    },
    'virus-scan-failed': { problem: t('The file has a virus.'), help: t('We deleted it.') },
    'permanent-failure': { problem: t('The letter cannot be delivered.'), help: t('The printer refused it.') },
  },
};

const adviceForSuppressed: Advice = {
  problem: t('The email was not sent, because its recipient is on the suppression list.'),
  help: t(
    'The address bounced before, or the person complained or unsubscribed. You can remove the address in the email settings.',
  ),
};

/** Explains a failed status to the person who views it. `provider` is null if no provider got the message. */
function findAdvice(channel: Channel, status: Status, provider: string | null): Advice | undefined {
  if (channel === 'email' && status === 'permanent-failure' && provider === null) return adviceForSuppressed;
  return adviceByChannel[channel][status] ?? adviceForAll[status];
}
