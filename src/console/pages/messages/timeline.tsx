import type { Calendar } from '../../../countries/calendar.ts';
import type { Country } from '../../../countries/country.ts';
import type { CallbackRecord } from '../../../delivery/callbacks/callback-history.ts';
import { T } from '../../../language/sentence.tsx';
import { asIs, formatted, joined, type Text, t, within } from '../../../language/text.ts';
import type { AttemptRecord } from '../../../notifications/attempts/attempts.ts';
import { statusLabel } from '../../../notifications/history/activity-export.ts';
import type { ShownMessage } from '../../../notifications/history/shown-message.ts';
import type { Status } from '../../../notifications/notification.ts';
import { type Timestamp, timestamp } from '../../../platform/clock.ts';
import { policyCodeIn, sentenceOfRefusal } from '../../../sending-domains/readiness/policy-refusals.ts';
import { Icon, type IconName } from '../../layout/icon.tsx';
import { providerName } from '../../message-labels.ts';
import { dayAndMonth, exactClockTime } from '../../parts/time.tsx';
import { useViewer } from '../../viewer.ts';

interface TimelineProps {
  events: TimelineEvent[];
  /** Returns the URL that replays a callback; undefined if the visitor may not replay it. */
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
        <h2 id="timeline">{t('Timeline')}</h2>
        <span class="small muted">
          {days.size === 1 ? t('{day}, {zoneName}', { day: day ?? '', zoneName }) : zoneName}
        </span>
      </div>
      <ol class="timeline">
        {events.map((event) => (
          <li key={event.key} class={event.isFuture ? 'is-future' : event.tone && `tone-${event.tone}`}>
            <When event={event} withDay={days.size > 1} />
            <Icon name={event.icon} />
            <div>
              <h3>{event.link === undefined ? event.title : <a href={event.link}>{event.title}</a>}</h3>
              <p>{event.text}</p>
              {event.replay !== undefined && replayUrl && (
                <form method="post" action={replayUrl(event.replay)}>
                  <button class="button button--quiet button--small" type="submit">
                    <T>
                      Replay<span class="sr"> {{ event: within(event.title) }}</span>
                    </T>
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
  title: Text;
  text: Text;
  /** A future event, of which only the day is known. */
  isFuture?: true;
  /** The callback that can be replayed. */
  replay?: string;
  /** The URL of its subject. */
  link?: string | undefined;
}

interface Happened {
  message: ShownMessage;
  attempts: AttemptRecord[];
  callbacks: CallbackRecord[];
}

/** Returns past and expected events of a message, oldest first. */
export function listEvents({ calendar }: Country, { message, attempts, callbacks }: Happened): TimelineEvent[] {
  const events = [
    accepted(message),
    ...scheduled(message),
    ...attempts.map((attempt, index) => attempted(attempt, index, message, attempts[index + 1])),
    ...result(message, attempts),
    ...callbacks.map(calledBack),
  ];
  // The sort is stable: events at the same moment keep the order above.
  const past = events.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
  return [...past, deletion(calendar, message)];
}

function accepted({ record, lane }: ShownMessage): TimelineEvent {
  const { key_name, created_by_name, job, job_row_number, template, template_version } = record;
  const who = job
    ? job_row_number === null
      ? [job.original_file_name]
      : [job.original_file_name, t('row {number}', { number: job_row_number + 2 })]
    : [key_name === null ? created_by_name : t('key “{name}”', { name: key_name })];
  const facts = [
    ...who,
    `${template.name} v${template_version}`,
    lane && t('{lane, select, high {high priority} low {low priority} other {normal priority}}', { lane }),
  ].filter((fact) => !!fact);
  const text = formatted(() => capitalise(facts.join(', ')));
  return { key: 'accepted', at: record.created_at, icon: 'accepted', title: t('Accepted'), text };
}

function scheduled({ record: { scheduled_for, held_until, sent_at, status } }: ShownMessage): TimelineEvent[] {
  if (scheduled_for === null || sent_at !== null || status !== 'created') return [];
  const text =
    held_until === undefined ? t('We will send the message then.') : t('Its sending time will have begun by then.');
  return [{ key: 'scheduled', at: scheduled_for, icon: 'clock', tone: 'amber', title: t('To be sent'), text }];
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
    const handed = provider === undefined ? t('Handed to a provider') : t('Handed to {provider}', { provider });
    const title = record.notification_type === 'letter' ? t('Printed') : handed;
    return {
      ...common,
      icon: 'sending',
      tone: 'amber',
      title,
      text: sinceAccepted(record, attempt.at),
    };
  }
  return {
    ...common,
    icon: 'failed',
    tone: 'red',
    title: titleOfFailure(attempt.outcome, provider, attempt.duration_ms),
    text: t('{reason}. {next}', {
      reason: capitalise(attempt.reason ?? ''),
      next: joined([...explainRefusal(attempt.reason), whatNext(attempt, next)]),
    }),
  };
}

function titleOfFailure(
  outcome: 'refused' | 'failed' | 'unknown',
  provider: string | undefined,
  duration_ms: number | null,
): Text {
  if (outcome === 'failed' && provider === undefined) return t('Not handed over');
  const values = { outcome, provider: String(provider) };
  if (duration_ms === null) {
    return t(
      '{outcome, select, refused {{provider} refused it} failed {{provider} did not accept it} other {{provider} did not respond}}',
      values,
    );
  }
  return t(
    '{outcome, select, refused {{provider} refused it after {time}} failed {{provider} did not accept it after {time}} other {{provider} did not respond after {time}}}',
    { ...values, time: formatDuration(duration_ms) },
  );
}

/** With these codes, receivers reject whatever the message and its recipient are. */
function explainRefusal(reason: string | null): Text[] {
  const code = policyCodeIn(reason ?? '');
  return code === undefined ? [] : [sentenceOfRefusal(code)];
}

function whatNext({ outcome, at, retry_at }: AttemptRecord, next: AttemptRecord | undefined): Text {
  if (outcome === 'refused') return t('We will not try again, because it would not help.');
  if (retry_at === null) return t('That was the last attempt.');
  if (next)
    return Date.parse(next.at) - Date.parse(at) < 10_000 ? t('We tried again at once.') : t('We tried again later.');
  return t('We will try again.');
}

/** The final or latest status, from a receipt, the printer or ourselves. */
function result({ record, response }: ShownMessage, attempts: AttemptRecord[]): TimelineEvent[] {
  const { completed_at, notification_type: channel, sent_at, updated_at } = record;
  const status = record.status as Status;
  if (status === 'pending' && updated_at) {
    const text = t('The provider is still trying.');
    return [{ key: 'result', at: updated_at, icon: 'sending', tone: 'amber', title: t('Receipt: pending'), text }];
  }
  if (completed_at === null || (status === 'sent' && sent_at !== null)) return [];
  const common = { key: 'result', at: completed_at };
  const label = statusLabel(channel, status);
  if (status === 'delivered') {
    const title = channel === 'letter' ? t('Posted') : t('Receipt: delivered');
    return [
      {
        ...common,
        icon: 'delivered',
        tone: 'green',
        title,
        text: sinceAccepted(record, completed_at),
      },
    ];
  }
  if (status === 'cancelled')
    return [{ ...common, icon: 'cancelled', title: t('Cancelled'), text: t('The message was not sent.') }];
  const isOwn = sent_at === null && (attempts.length === 0 || attempts.at(-1)?.outcome !== 'refused');
  const title =
    sent_at === null
      ? isOwn
        ? t('Stopped trying')
        : t('Failed')
      : channel === 'letter'
        ? asIs(label)
        : t('Receipt: {status}', { status: within(label) });
  return [
    {
      ...common,
      icon: 'failed',
      tone: 'red',
      title,
      text: joined(
        [
          formatted(() => capitalise(sent_at === null ? label : status.replaceAll('-', ' '))),
          ...(sent_at === null ? [] : explainRefusal(response.provider_response)),
        ],
        '. ',
      ),
    },
  ];
}

export function calledBack({
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
  const address = asIs(`${host}${pathname === '/' ? '' : pathname}`);
  const text = last ? answered(address, last, attempt_log.length) : address;
  const callback = callback_type;
  const common = { key: id, at: completed_at ?? last?.at ?? created_at };
  if (status === 'delivered') {
    return {
      ...common,
      icon: 'delivered',
      tone: 'green',
      title: t(
        'We told your system: {callback, select, delivery_status {its status} message_status {its status} complaint {a complaint} returned_letter {it was returned} other {{callback}}}',
        { callback },
      ),
      text,
      replay: id,
    };
  }
  if (status === 'failed') {
    return {
      ...common,
      icon: 'failed',
      tone: 'red',
      title: t(
        'We could not tell your system: {callback, select, delivery_status {its status} message_status {its status} complaint {a complaint} returned_letter {it was returned} other {{callback}}}',
        { callback },
      ),
      text,
      replay: id,
    };
  }
  const title =
    next_attempt_at && last
      ? t(
          'We will tell your system again: {callback, select, delivery_status {its status} message_status {its status} complaint {a complaint} returned_letter {it was returned} other {{callback}}}',
          { callback },
        )
      : t(
          'We will tell your system: {callback, select, delivery_status {its status} message_status {its status} complaint {a complaint} returned_letter {it was returned} other {{callback}}}',
          { callback },
        );
  return { ...common, icon: 'sending', tone: 'amber', title, text };
}

function answered(address: Text, last: CallbackRecord['attempt_log'][number], attempts: number): Text {
  const time = formatDuration(last.duration_ms);
  const response =
    last.status_code === null
      ? t('{address} {error} in {time}.', { address, error: last.error ?? t('no response'), time })
      : t('{address} responded {status} in {time}.', { address, status: last.status_code, time });
  if (attempts <= 1) return response;
  return joined([response, t('{count, plural, one {# attempt.} other {# attempts.}}', { count: attempts })]);
}

function deletion(calendar: Calendar, { deletion_day, kept_days }: ShownMessage): TimelineEvent {
  return {
    key: 'deletion',
    at: timestamp(calendar.start(deletion_day)),
    icon: 'accepted',
    title: t('Deleted on {day}, after {keptDays} days', { day: dayOfMonth(deletion_day), keptDays: kept_days }),
    text: t('We keep the totals.'),
    isFuture: true,
  };
}

const dayOfMonth = (day: string) => formatted(({ dates }) => dates.write(day, { day: 'numeric', month: 'long' }));

function sinceAccepted({ created_at }: { created_at: Timestamp }, at: Timestamp): Text {
  const time = formatDuration(Math.max(0, Date.parse(at) - Date.parse(created_at)));
  return t('{time} after it was accepted', { time });
}

/** "41 ms", "3.0 s", "5 min", "2 days" */
function formatDuration(ms: number): Text {
  if (ms < 1_000) return t('{count} ms', { count: Math.round(ms) });
  if (ms < 60_000) return t('{count} s', { count: (ms / 1_000).toFixed(1) });
  if (ms < 7_200_000) return t('{count} min', { count: Math.round(ms / 60_000) });
  return ms < 172_800_000
    ? t('{count, plural, other {# hours}}', { count: Math.round(ms / 3_600_000) })
    : t('{count, plural, other {# days}}', { count: Math.round(ms / 86_400_000) });
}

const capitalise = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
