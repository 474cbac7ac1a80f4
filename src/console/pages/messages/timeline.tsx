import { type Calendar, dayFormat } from '../../../countries/calendar.ts';
import type { Country } from '../../../countries/country.ts';
import type { CallbackRecord } from '../../../delivery/callbacks/callback-history.ts';
import type { AttemptRecord } from '../../../notifications/attempts/attempts.ts';
import { statusLabel } from '../../../notifications/history/activity-export.ts';
import type { ShownMessage } from '../../../notifications/history/shown-message.ts';
import type { Status } from '../../../notifications/notification.ts';
import { type Timestamp, timestamp } from '../../../platform/clock.ts';
import { Icon, type IconName } from '../../layout/icon.tsx';
import { providerName } from '../../message-words.ts';
import { dayAndMonth, exactClockTime } from '../../parts/time.tsx';
import { useViewer } from '../../viewer.ts';

interface TimelineProps {
  events: TimelineEvent[];
  /** The address that replays a callback. Undefined for those who may not replay it. */
  replayUrl: ((callbackId: string) => string) | undefined;
}

export function Timeline({ events, replayUrl }: TimelineProps) {
  const { calendar, zoneName } = useViewer();
  const past = events.filter(({ isFuture }) => !isFuture);
  const days = new Set(past.map(({ at }) => dayAndMonth(calendar, new Date(at))));
  const [day] = days;
  return (
    <section class="card" aria-labelledby="timeline">
      <div class="card-head">
        <h2 id="timeline">Timeline</h2>
        <span class="small muted">
          {days.size === 1 ? `${day}, ` : ''}
          {zoneName}
        </span>
      </div>
      <ol class="timeline">
        {events.map((event) => (
          <li key={event.key} class={event.isFuture ? 'is-future' : event.tone && `tone-${event.tone}`}>
            <When event={event} withDay={days.size > 1} />
            <Icon name={event.icon} />
            <div>
              <h3>{event.title}</h3>
              <p>{event.text}</p>
              {event.replay !== undefined && replayUrl && (
                <form method="post" action={replayUrl(event.replay)}>
                  <button class="button button--quiet button--small" type="submit">
                    Replay<span class="sr"> {event.title.toLowerCase()}</span>
                  </button>
                </form>
              )}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}

function When({ event: { at, isFuture }, withDay }: { event: TimelineEvent; withDay: boolean }) {
  const { calendar, country } = useViewer();
  const moment = new Date(at);
  return (
    <time dateTime={moment.toISOString()}>
      {isFuture ? dayAndMonth(country.calendar, moment) : exactClockTime(calendar, moment)}
      {!isFuture && withDay && <small>{dayAndMonth(calendar, moment)}</small>}
    </time>
  );
}

export interface TimelineEvent {
  key: string;
  at: Timestamp;
  icon: IconName;
  tone?: 'red' | 'amber' | 'green';
  title: string;
  text: string;
  /** Only the day is known of what will happen. */
  isFuture?: true;
  /** The callback that can be sent again. */
  replay?: string;
}

interface Happened {
  message: ShownMessage;
  attempts: AttemptRecord[];
  callbacks: CallbackRecord[];
}

/** What happened to a message, and what will: oldest first. */
export function listEvents({ calendar }: Country, { message, attempts, callbacks }: Happened): TimelineEvent[] {
  const events = [
    accepted(message),
    ...scheduled(message),
    ...attempts.map((attempt, index) => attempted(attempt, index, message, attempts[index + 1])),
    ...result(message, attempts),
    ...callbacks.map(calledBack),
  ];
  // What is recorded at the same moment stays in the order above.
  const past = events.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
  return [...past, deletion(calendar, message)];
}

function accepted({ record, lane }: ShownMessage): TimelineEvent {
  const { key_name, created_by_name, job, job_row_number, template, template_version } = record;
  const who = job
    ? `${job.original_file_name}${job_row_number === null ? '' : `, row ${job_row_number + 2}`}`
    : key_name === null
      ? created_by_name
      : `key “${key_name}”`;
  const facts = [who, `${template.name} v${template_version}`, lane && `${lane} priority`].filter(Boolean).join(', ');
  return { key: 'accepted', at: record.created_at, icon: 'accepted', title: 'Accepted', text: capitalise(facts) };
}

function scheduled({ record: { scheduled_for, sent_at, status } }: ShownMessage): TimelineEvent[] {
  if (scheduled_for === null || sent_at !== null || status !== 'created') return [];
  const text = 'We will send the message then.';
  return [{ key: 'scheduled', at: scheduled_for, icon: 'clock', tone: 'amber', title: 'To be sent', text }];
}

function attempted(
  attempt: AttemptRecord,
  index: number,
  { record }: ShownMessage,
  next: AttemptRecord | undefined,
): TimelineEvent {
  const provider = attempt.provider === null ? undefined : providerName(attempt.provider);
  const common = { key: `attempt ${index}`, at: attempt.at };
  if (attempt.outcome === 'handed-over') {
    const title = record.notification_type === 'letter' ? 'Printed' : `Handed to ${provider ?? 'a provider'}`;
    return {
      ...common,
      icon: 'sending',
      tone: 'amber',
      title,
      text: `${formatSince(record, attempt.at)} after it was accepted`,
    };
  }
  const took = attempt.duration_ms === null ? '' : ` after ${formatDuration(attempt.duration_ms)}`;
  const titles = {
    refused: `${provider} refused it${took}`,
    failed: provider ? `${provider} did not take it${took}` : 'Not handed over',
    unknown: `${provider} did not respond${took}`,
  };
  return {
    ...common,
    icon: 'failed',
    tone: 'red',
    title: titles[attempt.outcome],
    text: `${capitalise(attempt.reason ?? '')}. ${whatNext(attempt, next)}`,
  };
}

function whatNext({ outcome, at, retry_at }: AttemptRecord, next: AttemptRecord | undefined): string {
  if (outcome === 'refused') return 'We will not try again, because it would not help.';
  if (retry_at === null) return 'That was the last attempt.';
  if (next) return Date.parse(next.at) - Date.parse(at) < 10_000 ? 'We tried again at once.' : 'We tried again later.';
  return 'We will try again.';
}

/** The last status of the message, from a receipt, the printer or ourselves. */
function result({ record }: ShownMessage, attempts: AttemptRecord[]): TimelineEvent[] {
  const { completed_at, notification_type: channel, sent_at, updated_at } = record;
  const status = record.status as Status;
  if (status === 'pending' && updated_at) {
    const text = 'The provider is still trying.';
    return [{ key: 'result', at: updated_at, icon: 'sending', tone: 'amber', title: 'Receipt: pending', text }];
  }
  if (completed_at === null || (status === 'sent' && sent_at !== null)) return [];
  const common = { key: 'result', at: completed_at };
  const label = statusLabel(channel, status);
  if (status === 'delivered') {
    const title = channel === 'letter' ? 'Posted' : 'Receipt: delivered';
    return [
      {
        ...common,
        icon: 'delivered',
        tone: 'green',
        title,
        text: formatSince(record, completed_at, 'after it was accepted'),
      },
    ];
  }
  if (status === 'cancelled')
    return [{ ...common, icon: 'cancelled', title: 'Cancelled', text: 'The message was not sent.' }];
  const isOwn = sent_at === null && (attempts.length === 0 || attempts.at(-1)?.outcome !== 'refused');
  const title =
    sent_at === null
      ? isOwn
        ? 'Given up'
        : 'Failed'
      : channel === 'letter'
        ? label
        : `Receipt: ${decapitalise(label)}`;
  return [
    {
      ...common,
      icon: 'failed',
      tone: 'red',
      title,
      text: capitalise(sent_at === null ? label : status.replaceAll('-', ' ')),
    },
  ];
}

function calledBack({
  id,
  callback_type,
  url,
  status,
  attempt_log,
  next_attempt_at,
  created_at,
  completed_at,
}: CallbackRecord): TimelineEvent {
  const last = attempt_log.at(-1);
  const { host, pathname } = new URL(url);
  const answer = last
    ? ` ${last.status_code === null ? (last.error ?? 'no response') : `responded ${last.status_code}`} in ${formatDuration(last.duration_ms)}.`
    : '';
  const tries = attempt_log.length > 1 ? ` ${attempt_log.length} attempts.` : '';
  const text = `${host}${pathname === '/' ? '' : pathname}${answer}${tries}`;
  const what = callbackNames.get(callback_type) ?? callback_type;
  const common = { key: id, at: completed_at ?? last?.at ?? created_at };
  if (status === 'delivered') {
    return { ...common, icon: 'delivered', tone: 'green', title: `Your system was told: ${what}`, text, replay: id };
  }
  if (status === 'failed') {
    return {
      ...common,
      icon: 'failed',
      tone: 'red',
      title: `Your system could not be told: ${what}`,
      text,
      replay: id,
    };
  }
  const title = `Your system will be told${next_attempt_at && last ? ' again' : ''}: ${what}`;
  return { ...common, icon: 'sending', tone: 'amber', title, text };
}

const callbackNames = new Map([
  ['delivery_status', 'its status'],
  ['complaint', 'a complaint'],
  ['returned_letter', 'it was returned'],
]);

function deletion(calendar: Calendar, { deletion_day, kept_days }: ShownMessage): TimelineEvent {
  return {
    key: 'deletion',
    at: timestamp(calendar.start(deletion_day)),
    icon: 'accepted',
    title: `Deleted on ${dayInWords(deletion_day)}, after ${kept_days} days`,
    text: 'We keep the totals.',
    isFuture: true,
  };
}

const dayInWords = dayFormat({ day: 'numeric', month: 'long' });

function formatSince({ created_at }: { created_at: Timestamp }, at: Timestamp, words = ''): string {
  return `${formatDuration(Math.max(0, Date.parse(at) - Date.parse(created_at)))} ${words}`.trim();
}

/** "41 ms", "3.0 s", "5 min", "2 days" */
function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < 7_200_000) return `${Math.round(ms / 60_000)} min`;
  return ms < 172_800_000 ? `${Math.round(ms / 3_600_000)} hours` : `${Math.round(ms / 86_400_000)} days`;
}

const decapitalise = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);
const capitalise = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
