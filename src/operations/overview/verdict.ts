import type { ProviderState, ShareMove } from '../../delivery/failover/provider-states.ts';
import { asIs, capitalised, formatted, joined, list, type Text, t } from '../../language/text.ts';
import { lanes } from '../../notifications/notification.ts';
import { type LaneDepth, maxCounted, type Retries } from '../../notifications/queue/delivery-queue.ts';
import { hour_ms, minute_ms, type Timestamp } from '../../platform/clock.ts';
import type { Channel } from '../../protocol/channels.ts';
import { checkNames, type LiveFinding } from './live-checks.ts';

/** A problem. `red`: messages are delayed or will be; `amber`: an operator should look. */
export interface Problem {
  tone: 'red' | 'amber';
  /** A short sentence without a full stop. */
  what: Text;
  detail: Text | FoundByCheck;
  since: Timestamp | undefined;
  /** What Pennypost did about it, or what happens to the messages. */
  done: Text;
  move: ShareMove | undefined;
  /** The operator's page on which it can be fixed. */
  about: 'providers' | 'system';
}

/** The text of a command line check, in English. */
interface FoundByCheck {
  finding: string;
}

/** Most problems have no known beginning, and moved no messages to another provider. */
function problem(
  given: Pick<Problem, 'tone' | 'what' | 'detail' | 'about'> & Partial<Pick<Problem, 'since' | 'done' | 'move'>>,
): Problem {
  return { since: undefined, done: asIs(''), move: undefined, ...given };
}

export interface Facts {
  now: Date;
  providers: ProviderState[];
  /** The names in use, by channel. */
  in_use: Record<'sms' | 'email', string[]>;
  /** What to check about a provider's receipts, by its name. */
  receipt_advice: ReadonlyMap<string, Text>;
  lanes: LaneDepth[];
  retries: Retries[];
  /** A message that no provider accepts is retried for this long, and then fails. */
  retried_for_ms: number;
  workers: number;
  findings: LiveFinding[];
  late_letters: { not_printed: number; not_despatched: number; first_day: string | null };
  stalled_files: { count: number; since: Timestamp | undefined };
  callbacks: { waiting: number; oldest_due_at: Timestamp | null };
}

const priorityLabels = new Map<number, Text>([
  [lanes.priority, t('high', { context: 'priority of messages' })],
  [lanes.normal, t('normal', { context: 'priority of messages' })],
  [lanes.bulk, t('low', { context: 'priority of messages' })],
]);

export function priorityLabel(lane: number): Text {
  return priorityLabels.get(lane) ?? asIs(String(lane));
}

const late_ms = minute_ms;
export const tooLate_ms = 5 * minute_ms;
/** Retries beyond these values are red. Single messages may be refused repeatedly, so fewer are not. Same as in the alert rules. */
const retriesTooLate = { age_ms: 15 * minute_ms, waiting: 10 };

/** Returns every problem, worst first; empty if all is well. */
export function findProblems(facts: Facts): Problem[] {
  const all = [
    ...(['sms', 'email'] as const).flatMap((channel) => evaluateProviders(facts, channel)),
    ...(['sms', 'email'] as const).flatMap((channel) => evaluateReceipts(facts, channel)),
    ...evaluateWorkers(facts),
    ...facts.lanes.flatMap((lane) => evaluateLane(lane, facts)),
    ...facts.retries.flatMap((retries) => evaluateRetries(retries, facts)),
    ...evaluateFindings(facts),
    ...evaluateFiles(facts),
    ...evaluateLetters(facts),
    ...evaluateCallbacks(facts),
  ];
  return [...all.filter(({ tone }) => tone === 'red'), ...all.filter(({ tone }) => tone === 'amber')];
}

export function providersInUse(facts: Pick<Facts, 'providers' | 'in_use'>, channel: 'sms' | 'email'): ProviderState[] {
  const isInUse = ({ identifier, notification_type }: ProviderState) =>
    notification_type === channel && facts.in_use[channel].includes(identifier);
  return facts.providers.filter(isInUse).toSorted((one, other) => one.display_name.localeCompare(other.display_name));
}

function evaluateProviders(facts: Facts, channel: 'sms' | 'email'): Problem[] {
  const all = providersInUse(facts, channel).filter(({ active }) => active);
  if (all.length === 0) {
    const detail = t('Every provider of this channel is paused.');
    const done = whatHappens([], channel, facts);
    const what = t('{channel, select, email {No provider accepts emails} other {No provider accepts texts}}', {
      channel,
    });
    return [problem({ tone: 'red', what, detail, done, about: 'providers' })];
  }
  return all.flatMap((provider): Problem[] => {
    const { display_name, failing, health, identifier, in_time } = provider;
    const check = facts.findings.find((finding) => finding.provider === identifier && finding.name === channel);
    const move = provider.moves.find(({ before, priority }) => priority < before);
    const others = all.filter((one) => one !== provider).map((one) => one.display_name);
    const done = whatHappens(others, channel, facts);
    const same = { done, move, about: 'providers' as const };
    const named = { channel, name: display_name };
    if (failing && health === 'failing') {
      const detail = t('{errors} of {calls} calls failed.', failing);
      const what = t(
        '{channel, select, email {{name} does not accept emails} other {{name} does not accept texts}}',
        named,
      );
      return [problem({ tone: 'red', what, detail, since: failing.since, ...same })];
    }
    if (check && !check.ok) return [{ ...evaluateCheck(provider, check, others, facts), move, about: 'providers' }];
    if (failing) {
      const detail = t('{errors} of {calls} calls failed in the last minute.', failing);
      const what = t('A call to {name} failed', named);
      return [problem({ tone: 'amber', what, detail, since: failing.since, ...same })];
    }
    if (health === 'slow' && in_time !== undefined) {
      const detail = t('{share}% of its texts arrive within 5 minutes.', { share: Math.round(in_time * 100) });
      const what = t('Working, but {name} is slow', named);
      const late = t('The provider has the others, and they may still arrive.');
      return [problem({ tone: 'amber', what, detail, ...same, done: late })];
    }
    return [];
  });
}

function evaluateReceipts(facts: Facts, channel: 'sms' | 'email'): Problem[] {
  return providersInUse(facts, channel).flatMap(({ identifier, display_name, unmatched_receipts }): Problem[] => {
    if (unmatched_receipts === undefined) return [];
    return [
      problem({
        tone: 'amber',
        what: t('Receipts from {name} match no message', { name: display_name }),
        detail: joined([
          t('{count, number} in the last hour, which is most of them.', { count: unmatched_receipts }),
          facts.receipt_advice.get(identifier) ?? t('Search the log for “receipt.unmatched”.'),
        ]),
        done: t(
          '{channel, select, email {The emails are sent, but stay in “sending” until they time out.} other {The texts are sent, but stay in “sending” until they time out.}}',
          { channel },
        ),
        about: 'providers',
      }),
    ];
  });
}

/** Returns what happens to messages that a provider does not accept. */
function whatHappens(others: string[], channel: Channel, { retried_for_ms }: Pick<Facts, 'retried_for_ms'>): Text {
  return others.length === 0
    ? t(
        '{channel, select, email {The emails wait. Each is tried again for up to {time}, then it fails.} other {The texts wait. Each is tried again for up to {time}, then it fails.}}',
        { channel, time: duration(retried_for_ms) },
      )
    : t(
        '{channel, select, email {Emails that it does not accept are sent again through {others}.} other {Texts that it does not accept are sent again through {others}.}}',
        { channel, others: list(others, 'disjunction') },
      );
}

/** A check may fail or time out although messages are sent, so the calls count more. */
function evaluateCheck(
  { display_name, notification_type, failing, last_success }: ProviderState,
  { description, is_unfinished, since }: LiveFinding,
  others: string[],
  facts: Facts,
): Pick<Problem, 'tone' | 'what' | 'detail' | 'since' | 'done'> {
  const detail = { finding: sentence(description) };
  const named = { channel: notification_type, name: display_name };
  const wait = whatHappens(others, notification_type, facts);
  const unreachable = t('{name} cannot be reached', named);
  if (failing) return { tone: 'red', what: unreachable, detail, since, done: wait };
  const [aMinuteAgo, taken] = [facts.now.getTime() - minute_ms, Date.parse(last_success ?? '')];
  const takes = taken >= aMinuteAgo || taken >= Date.parse(since ?? '');
  const done = takes
    ? t(
        '{channel, select, email {{name} still accepts emails: no call has failed.} other {{name} still accepts texts: no call has failed.}}',
        named,
      )
    : joined([t('No call has failed yet.'), wait]);
  if (!is_unfinished && !takes) return { tone: 'red', what: unreachable, detail, since, done };
  const what = is_unfinished
    ? t('The check of {name} did not finish', named)
    : t('The check of {name} has failed', named);
  return { tone: 'amber', what, detail, since, done };
}

function evaluateWorkers({ workers }: Facts): Problem[] {
  if (workers > 0) return [];
  return [
    problem({
      tone: 'red',
      what: t('No worker is running'),
      detail: t(
        'No process has sent a heartbeat for 8 seconds: start one with “pennypost serve” or “pennypost worker”.',
      ),
      done: t('New messages are accepted. They wait in the queue until a worker runs.'),
      about: 'system',
    }),
  ];
}

function evaluateLane({ notification_type, lane, waiting, oldest_due_at }: LaneDepth, { now }: Facts): Problem[] {
  const age_ms = now.getTime() - Date.parse(oldest_due_at);
  if (age_ms < late_ms) return [];
  return [
    problem({
      tone: age_ms >= tooLate_ms ? 'red' : 'amber',
      what: t(
        '{channel, select, email {Emails are waiting too long} sms {Texts are waiting too long} other {Letters are waiting too long}}',
        { channel: notification_type },
      ),
      detail: t(
        '{waiting, plural, one {# message is due with {priority} priority.} other {{many} messages are due with {priority} priority.}}',
        { waiting, many: capitalised(many(waiting)), priority: priorityLabel(lane) },
      ),
      since: oldest_due_at,
      done: t(
        '{waiting, plural, one {Pennypost sends it as soon as a worker and a provider are free.} other {Pennypost sends them as soon as a worker and a provider are free.}}',
        { waiting },
      ),
      about: 'providers',
    }),
  ];
}

/** If all of them are due, the lane reports the problem. */
function evaluateRetries({ notification_type, waiting, not_due, oldest_at }: Retries, facts: Facts): Problem[] {
  if (oldest_at === null || not_due === 0) return [];
  const age_ms = facts.now.getTime() - Date.parse(oldest_at);
  if (age_ms < tooLate_ms) return [];
  return [
    problem({
      tone: age_ms >= retriesTooLate.age_ms && waiting >= retriesTooLate.waiting ? 'red' : 'amber',
      what: t(
        '{channel, select, email {Emails are waiting for another attempt} sms {Texts are waiting for another attempt} other {Letters are waiting for another attempt}}',
        { channel: notification_type },
      ),
      detail: t(
        '{waiting, plural, one {An attempt to send # message has failed.} other {Attempts to send {many} messages have failed.}}',
        { waiting, many: many(waiting) },
      ),
      since: oldest_at,
      done: t('Each message is tried again for up to {time}, then it fails.', { time: duration(facts.retried_for_ms) }),
      about: 'providers',
    }),
  ];
}

/** Provider checks are evaluated together with their calls. A minor problem is only reported when it lasts. */
function evaluateFindings({ findings, now }: Facts): Problem[] {
  const lasts = (since: Timestamp | undefined) => now.getTime() - Date.parse(since ?? '') >= tooLate_ms;
  return findings
    .filter(({ ok, provider }) => !ok && provider === undefined)
    .filter(({ is_minor = false, since }) => !is_minor || lasts(since))
    .map(({ name, description, since, is_unfinished, is_minor }) => {
      const check = checkNames.get(name) ?? asIs(name);
      return problem({
        tone: is_unfinished || is_minor ? 'amber' : 'red',
        what: is_unfinished
          ? t('{check}: this check did not finish', { check })
          : t('{check}: this check has failed', { check }),
        detail: { finding: sentence(description) },
        since,
        about: 'system',
      });
    });
}

function evaluateFiles({ stalled_files: { count, since } }: Facts): Problem[] {
  if (count === 0) return [];
  return [
    problem({
      tone: 'red',
      what: t(
        '{count, plural, one {A file has not moved for 10 minutes} other {# files have not moved for 10 minutes}}',
        { count },
      ),
      detail: t('Search the log for “job.stalled”, and for “task.failed” of expand-job.'),
      since,
      done: t('Pennypost tries again every minute. No row is lost, and none is sent twice.'),
      about: 'system',
    }),
  ];
}

function evaluateLetters({ late_letters: { not_printed, not_despatched, first_day } }: Facts): Problem[] {
  const late = not_printed + not_despatched;
  if (late === 0) return [];
  const parts = [
    ...(not_printed > 0 ? [t('{count, number} missed their print run', { count: not_printed })] : []),
    ...(not_despatched > 0
      ? [t('{count, number} have been at the printer for two working days', { count: not_despatched })]
      : []),
  ];
  return [
    problem({
      tone: 'amber',
      what: t('{late, plural, one {A letter is late} other {# letters are late}}', { late }),
      detail: t('{parts}.', { parts: joined(parts, ', ') }),
      since: first_day === null ? undefined : `${first_day}T12:00:00Z`,
      done: t('Letters that were not printed go into the next print run.'),
      about: 'system',
    }),
  ];
}

function evaluateCallbacks({ callbacks: { waiting, oldest_due_at }, now }: Facts): Problem[] {
  if (oldest_due_at === null || now.getTime() - Date.parse(oldest_due_at) < tooLate_ms) return [];
  return [
    problem({
      tone: 'amber',
      what: t('Callbacks to services are waiting too long'),
      detail: t('{waiting, plural, one {# callback is waiting.} other {# callbacks are waiting.}}', { waiting }),
      since: oldest_due_at,
      done: t('Callbacks are sent in turn and tried again for a day.'),
      about: 'system',
    }),
  ];
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function duration(ms: number): Text {
  return ms < 2 * hour_ms
    ? t('{count, plural, one {# minute} other {# minutes}}', { count: Math.round(ms / minute_ms) })
    : t('{count, plural, one {# hour} other {# hours}}', { count: Math.round(ms / hour_ms) });
}

function many(waiting: number): Text {
  return waiting >= maxCounted ? t('over 100,000') : formatted((language) => language.count(waiting));
}
