import type { CallbackRecord } from '../../../delivery/callbacks/callback-history.ts';
import { T } from '../../../language/sentence.tsx';
import { asIs, type Text, t } from '../../../language/text.ts';
import type { getPlan } from '../../../plans/channel-plans.ts';
import type { PlanMessageRecord } from '../../../plans/plan-messages.ts';
import { deadlineOf, isOpen, type MessageStatus, messageStatuses, type StepState } from '../../../plans/plan-rules.ts';
import type { Channel } from '../../../protocol/channels.ts';
import { channelLabels } from '../../message-labels.ts';
import { Empty } from '../../parts/notice.tsx';
import { Status } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { Copy } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { calledBack, Timeline, type TimelineEvent } from '../messages/timeline.tsx';

type Plan = Awaited<ReturnType<typeof getPlan>>;
type Step = PlanMessageRecord['steps'][number];
type Kind = Parameters<typeof Status>[0]['kind'];

const statuses: Record<MessageStatus, { kind: Kind; label: Text }> = {
  created: { kind: 'accepted', label: t('Accepted') },
  'in-progress': { kind: 'sending', label: t('In progress') },
  delivered: { kind: 'delivered', label: t('Delivered') },
  failed: { kind: 'failed', label: t('Failed') },
  cancelled: { kind: 'cancelled', label: t('Cancelled') },
};

const states: Record<StepState, { kind: Kind; label: Text }> = {
  waiting: { kind: 'accepted', label: t('Not started yet') },
  skipped: { kind: 'cancelled', label: t('Skipped') },
  sent: { kind: 'sending', label: t('Sent') },
  delivered: { kind: 'delivered', label: t('Delivered') },
  failed: { kind: 'failed', label: t('Failed') },
  expired: { kind: 'failed', label: t('Not delivered in time') },
  cancelled: { kind: 'cancelled', label: t('Cancelled') },
};

/** Why a step ended. */
const reasons = new Map<string, Text>([
  ['suppressed', t('The email address is on the suppression list.')],
  ['opted-out', t('The recipient asked for no more texts.')],
  ['not-allowed', t('Your service could not send it to this recipient.')],
  ['not-needed', t('It was not needed.')],
  ['withdrawn', t('It was withdrawn before a provider had it.')],
  ['cancelled', t('Somebody cancelled the message.')],
  ['stopped', t('The message was stopped.')],
  ['erased', t('The recipient’s data was erased.')],
  ['unreadable', t('We could not read the recipient and the details of the message.')],
  ['limit', t('Your service had reached a limit.')],
  ['template', t('Its template was deleted or could not be filled in.')],
  ['failed', t('It could not be delivered.')],
  ['temporary-failure', t('The recipient could not be reached.')],
  ['technical-failure', t('It was not sent because of a technical failure.')],
  ['validation-failed', t('It could not be printed.')],
  ['virus-scan-failed', t('It contained a virus.')],
]);

const reasonsByChannel = new Map<string, Record<Channel, Text>>([
  [
    'missing',
    {
      email: t('The request had no email address.'),
      sms: t('The request had no phone number.'),
      letter: t('The request had no postal address.'),
    },
  ],
  [
    'invalid',
    {
      email: t('We cannot send emails to this address.'),
      sms: t('We cannot send texts to this phone number.'),
      letter: t('We cannot send letters to this address.'),
    },
  ],
  [
    'permanent-failure',
    {
      email: t('The email address does not exist.'),
      sms: t('The phone number does not exist.'),
      letter: t('It could not be delivered.'),
    },
  ],
]);

function reasonOf({ reason, channel, state }: Step): Text {
  if (reason === null) return asIs('');
  if (reason === 'sending-times') {
    return state === 'waiting'
      ? t('It waits for its sending times.')
      : t('It has no sending times for this recipient.');
  }
  if (reason === 'not-needed' && state === 'skipped') return t('An earlier step could be sent.');
  return reasons.get(reason) ?? reasonsByChannel.get(reason)?.[channel] ?? asIs(reason);
}

export function messageTabs(current: MessageStatus | undefined, to: (status?: MessageStatus) => string) {
  return (
    <Tabs
      name={t('Status')}
      tabs={[undefined, ...messageStatuses].map((status) => ({
        label: status ? <Status kind={statuses[status].kind}>{statuses[status].label}</Status> : t('All'),
        to: to(status),
        isCurrent: status === current,
      }))}
    />
  );
}

interface TableProps {
  messages: readonly PlanMessageRecord[];
  plans: readonly Plan[];
  /** The address of the list. */
  path: string;
  /** Whether there may be others. */
  isFiltered: boolean;
  now: Date;
}

export function PlanMessageTable({ messages, plans, path, isFiltered, now }: TableProps) {
  if (messages.length === 0 && isFiltered) {
    return <Empty title={t('No messages found')}>{t('Try another status, reference or plan.')}</Empty>;
  }
  if (messages.length === 0) {
    return (
      <Empty title={t('No messages with a channel plan')}>
        {t('A message appears here when your software names a channel plan in a request.')}
      </Empty>
    );
  }
  const nameOf = (id: string) => plans.find((plan) => plan.id === id)?.name;
  return (
    <Table
      caption={t('Messages with a channel plan, newest first')}
      rows={messages}
      keyOf={({ id }) => id}
      middle
      columns={[
        {
          head: t('Plan'),
          cell: ({ id, plan_id, reference }) => (
            <>
              <a href={`${path}/${id}`}>{nameOf(plan_id) ? <bdi>{nameOf(plan_id)}</bdi> : t('Archived plan')}</a>
              {reference !== null && (
                <small>
                  <bdi>{reference}</bdi>
                </small>
              )}
            </>
          ),
        },
        { head: t('Status'), cell: ({ status }) => <StatusOf status={status} /> },
        { head: t('Steps'), cell: ({ steps }) => <Steps steps={steps} /> },
        { head: t('Time'), cell: ({ created_at }) => <Time at={created_at} now={now} brief /> },
      ]}
    />
  );
}

const StatusOf = ({ status }: { status: MessageStatus }) => (
  <Status kind={statuses[status].kind}>{statuses[status].label}</Status>
);

const Steps = ({ steps }: { steps: readonly Step[] }) => (
  <>
    {steps.map(({ number, channel, state }) => (
      <small key={number}>
        {t('{channel}: {state}', { channel: channelLabels[channel].name, state: states[state].label })}
      </small>
    ))}
  </>
);

interface MessageProps {
  message: PlanMessageRecord;
  plan: Plan;
  /** Undefined where it is not known. */
  cost: Text | undefined;
  callbacks: CallbackRecord[];
  notificationUrl: (id: string) => string;
  now: Date;
}

/** What became of each step, and when. */
export function PlanMessage({ message, plan, cost, callbacks, notificationUrl, now }: MessageProps) {
  const { steps, status, reference, plan_version, scheduled_for } = message;
  return (
    <div class="stack">
      <p role="status">
        <StatusOf status={status} />
      </p>
      <dl class="facts">
        <dt>{t('Plan')}</dt>
        <dd>
          <T>
            <bdi>{{ name: plan.name }}</bdi>, version {{ version: plan_version }}
          </T>
        </dd>
        {reference !== null && (
          <>
            <dt>{t('Reference')}</dt>
            <dd>
              <bdi>{reference}</bdi>
            </dd>
          </>
        )}
        {scheduled_for !== null && (
          <>
            <dt>{t('Scheduled for')}</dt>
            <dd>
              <Time at={scheduled_for} now={now} />
            </dd>
          </>
        )}
        {cost !== undefined && (
          <>
            <dt>{t('Cost')}</dt>
            <dd>{cost}</dd>
          </>
        )}
        <dt>{t('Id')}</dt>
        <dd>
          <code id="message-id">{message.id}</code> <Copy of="message-id" what={t('id')} />
        </dd>
      </dl>
      <Table
        caption={t('Steps')}
        rows={steps}
        keyOf={({ number }) => String(number)}
        middle
        columns={[
          {
            head: t('Step'),
            cell: ({ number, channel, notification_id: id }) => {
              const name = t('{number}. {channel}', { number, channel: channelLabels[channel].name });
              return id === null ? name : <a href={notificationUrl(id)}>{name}</a>;
            },
          },
          {
            head: t('Outcome'),
            cell: (step) => (
              <>
                <Status kind={states[step.state].kind}>{states[step.state].label}</Status>
                {step.reason !== null && <small>{reasonOf(step)}</small>}
                {isOpen(status) && <Waiting step={step} now={now} />}
              </>
            ),
          },
          { head: t('Started'), cell: ({ started_at }) => <When at={started_at} now={now} /> },
          { head: t('Handed over'), cell: ({ handed_over_at }) => <When at={handed_over_at} now={now} /> },
          { head: t('Ended'), cell: ({ ended_at }) => <When at={ended_at} now={now} /> },
        ]}
      />
      <Timeline events={listEvents(message, callbacks, notificationUrl)} replayUrl={undefined} />
    </div>
  );
}

function Waiting({ step, now }: { step: Step; now: Date }) {
  const until = step.state === 'sent' ? deadlineOf(step) : null;
  if (until === null) return null;
  return (
    <small>
      <T>
        Waits until <Time at={until} now={now} />
      </T>
    </small>
  );
}

const When = ({ at, now }: { at: string | null; now: Date }) => (at === null ? <>–</> : <Time at={at} now={now} />);

/** Oldest first. */
function listEvents(
  { created_at, scheduled_for, steps }: PlanMessageRecord,
  callbacks: readonly CallbackRecord[],
  notificationUrl: (id: string) => string,
): TimelineEvent[] {
  const accepted: TimelineEvent = {
    ...{ key: 'accepted', at: created_at, icon: 'accepted', title: t('Accepted') },
    text: scheduled_for ? t('The first step starts at the scheduled time.') : t('The first step starts at once.'),
  };
  const events = [accepted, ...steps.flatMap((step) => eventsOf(step, notificationUrl)), ...callbacks.map(calledBack)];
  // What is recorded at the same moment stays in the order of the steps.
  return events.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

const tones: Record<Kind, Partial<TimelineEvent>> = {
  accepted: {},
  sending: { tone: 'amber' },
  delivered: { tone: 'green' },
  failed: { tone: 'red' },
  cancelled: {},
};

function eventsOf(step: Step, notificationUrl: (id: string) => string): TimelineEvent[] {
  const { number, channel, state, notification_id, started_at, handed_over_at, ended_at } = step;
  const name = channelLabels[channel].name;
  const link = notification_id === null ? undefined : notificationUrl(notification_id);
  const { kind, label } = states[state];
  const common = { link, text: t('Step {number}', { number }) };
  const sending = { ...common, icon: 'sending', tone: 'amber' } as const;
  return [
    ...(started_at === null
      ? []
      : [{ ...sending, key: `${number} started`, at: started_at, title: t('{channel} started', { channel: name }) }]),
    ...(handed_over_at === null
      ? []
      : [
          {
            ...sending,
            key: `${number} sent`,
            at: handed_over_at,
            title: t('{channel} handed over', { channel: name }),
          },
        ]),
    ...(ended_at === null
      ? []
      : [
          {
            ...common,
            ...tones[kind],
            ...{ key: `${number} ended`, at: ended_at, icon: kind },
            title: t('{channel}: {state}', { channel: name, state: label }),
            ...(step.reason === null ? {} : { text: reasonOf(step) }),
          },
        ]),
  ];
}
