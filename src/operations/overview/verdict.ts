import type { ProviderState, ShareMove } from '../../delivery/failover/provider-states.ts';
import { lanes } from '../../notifications/notification.ts';
import { type LaneDepth, maxCounted, type Retries } from '../../notifications/queue/lane-depths.ts';
import { hour_ms, minute_ms, type Timestamp } from '../../platform/clock.ts';
import type { Channel } from '../../protocol/channels.ts';
import type { LiveFinding } from './live-checks.ts';

/** One thing that is wrong. `red`: messages are delayed or will be; `amber`: an operator should look. */
export interface Problem {
  tone: 'red' | 'amber';
  /** A short sentence without a full stop. */
  what: string;
  detail: string;
  since: Timestamp | undefined;
  /** What Pennypost has done about it, or what happens to the messages. */
  done: string;
  move: ShareMove | undefined;
  /** The page of the operator where it can be changed. */
  about: 'providers' | 'system';
}

/** Most problems began at no known time, and moved no messages to another provider. */
function problem(
  given: Pick<Problem, 'tone' | 'what' | 'detail' | 'about'> & Partial<Pick<Problem, 'since' | 'done' | 'move'>>,
): Problem {
  return { since: undefined, done: '', move: undefined, ...given };
}

export interface Facts {
  now: Date;
  providers: ProviderState[];
  /** The names in use, by channel. */
  in_use: Record<'sms' | 'email', string[]>;
  /** What to check about the receipts of a provider, by its name. */
  receipt_advice: ReadonlyMap<string, string>;
  lanes: LaneDepth[];
  retries: Retries[];
  /** A message that no provider takes is tried again for this long, then it fails. */
  retried_for_ms: number;
  workers: number;
  findings: LiveFinding[];
  late_letters: { not_printed: number; not_despatched: number; first_day: string | null };
  callbacks: { waiting: number; oldest_due_at: Timestamp | null };
}

const plurals: Record<Channel, string> = { email: 'emails', sms: 'texts', letter: 'letters' };
const priorityWords = new Map<number, string>([
  [lanes.priority, 'high'],
  [lanes.normal, 'normal'],
  [lanes.bulk, 'low'],
]);

export function priorityWord(lane: number): string {
  return priorityWords.get(lane) ?? String(lane);
}

const late_ms = minute_ms;
const tooLate_ms = 5 * minute_ms;
/** Retries that are red: single messages may be refused again and again. Same as in the alert rules. */
const retriesTooLate = { age_ms: 15 * minute_ms, waiting: 10 };

/** Everything that is wrong, the worst first. Empty: all is well. */
export function judge(facts: Facts): Problem[] {
  const all = [
    ...(['sms', 'email'] as const).flatMap((channel) => judgeProviders(facts, channel)),
    ...(['sms', 'email'] as const).flatMap((channel) => judgeReceipts(facts, channel)),
    ...judgeWorkers(facts),
    ...facts.lanes.flatMap((lane) => judgeLane(lane, facts)),
    ...facts.retries.flatMap((retries) => judgeRetries(retries, facts)),
    ...judgeFindings(facts),
    ...judgeLetters(facts),
    ...judgeCallbacks(facts),
  ];
  return [...all.filter(({ tone }) => tone === 'red'), ...all.filter(({ tone }) => tone === 'amber')];
}

export function providersInUse(facts: Pick<Facts, 'providers' | 'in_use'>, channel: 'sms' | 'email'): ProviderState[] {
  const isInUse = ({ identifier, notification_type }: ProviderState) =>
    notification_type === channel && facts.in_use[channel].includes(identifier);
  return facts.providers.filter(isInUse).toSorted((one, other) => one.display_name.localeCompare(other.display_name));
}

function judgeProviders(facts: Facts, channel: 'sms' | 'email'): Problem[] {
  const all = providersInUse(facts, channel).filter(({ active }) => active);
  if (all.length === 0) {
    const detail = 'Every provider of this channel is paused.';
    const done = whatHappens([], channel, facts);
    const what = `No provider takes ${plurals[channel]}`;
    return [problem({ tone: 'red', what, detail, done, about: 'providers' })];
  }
  return all.flatMap((provider): Problem[] => {
    const { display_name, failing, health, identifier, in_time } = provider;
    const check = facts.findings.find((finding) => finding.provider === identifier && finding.name === channel);
    const move = provider.moves.find(({ before, priority }) => priority < before);
    const others = all.filter((one) => one !== provider).map((one) => one.display_name);
    const done = whatHappens(others, channel, facts);
    const same = { done, move, about: 'providers' as const };
    if (failing && health === 'failing') {
      const detail = `${failing.errors} of ${failing.calls} calls failed.`;
      const what = `${display_name} does not take ${plurals[channel]}`;
      return [problem({ tone: 'red', what, detail, since: failing.since, ...same })];
    }
    if (check && !check.ok) return [{ ...judgeCheck(provider, check, others, facts), move, about: 'providers' }];
    if (failing) {
      const detail = `${failing.errors} of ${failing.calls} calls failed in the last minute.`;
      const what = `A call to ${display_name} failed`;
      return [problem({ tone: 'amber', what, detail, since: failing.since, ...same })];
    }
    if (health === 'slow' && in_time !== undefined) {
      const detail = `${Math.round(in_time * 100)}% of its texts arrive within 5 minutes.`;
      const what = `Working, but ${display_name} is slow`;
      const late = 'The provider has the others, and they may still arrive.';
      return [problem({ tone: 'amber', what, detail, ...same, done: late })];
    }
    return [];
  });
}

function judgeReceipts(facts: Facts, channel: 'sms' | 'email'): Problem[] {
  return providersInUse(facts, channel).flatMap(({ identifier, display_name, unmatched_receipts }): Problem[] => {
    if (unmatched_receipts === undefined) return [];
    const advice = facts.receipt_advice.get(identifier) ?? 'Search the log for “receipt.unmatched”.';
    return [
      problem({
        tone: 'amber',
        what: `Receipts of ${display_name} match no message`,
        detail: `${unmatched_receipts.toLocaleString('en-GB')} in the last hour, which is most of them. ${advice}`,
        done: `The ${plurals[channel]} are sent, but stay in “sending” until they time out.`,
        about: 'providers',
      }),
    ];
  });
}

/** What becomes of messages that a provider does not take. */
function whatHappens(others: string[], channel: Channel, { retried_for_ms }: Pick<Facts, 'retried_for_ms'>): string {
  const messages = plurals[channel];
  return others.length === 0
    ? `The ${messages} wait. Each is tried again for up to ${duration(retried_for_ms)}, then it fails.`
    : `The ${messages} that it does not take are tried again through ${others.join(' or ')}.`;
}

/** A check may fail or take too long although messages are sent, so its calls say more. */
function judgeCheck(
  { display_name, notification_type, failing, last_success }: ProviderState,
  { description, is_unfinished, since }: LiveFinding,
  others: string[],
  facts: Facts,
): Pick<Problem, 'tone' | 'what' | 'detail' | 'since' | 'done'> {
  const detail = sentence(description);
  const messages = plurals[notification_type];
  if (failing) {
    const what = `${display_name} cannot be reached`;
    return { tone: 'red', what, detail, since, done: whatHappens(others, notification_type, facts) };
  }
  const [aMinuteAgo, taken] = [facts.now.getTime() - minute_ms, Date.parse(last_success ?? '')];
  const takes = taken >= aMinuteAgo || taken >= Date.parse(since ?? '');
  const done = takes
    ? `${display_name} still takes ${messages}: no call has failed.`
    : `No call has failed yet. ${whatHappens(others, notification_type, facts)}`;
  if (is_unfinished || takes) {
    const what = is_unfinished
      ? `The check of ${display_name} did not finish`
      : `The check of ${display_name} has failed`;
    return { tone: 'amber', what, detail, since, done };
  }
  return { tone: 'red', what: `${display_name} cannot be reached`, detail, since, done };
}

function judgeWorkers({ workers }: Facts): Problem[] {
  if (workers > 0) return [];
  return [
    problem({
      tone: 'red',
      what: 'No worker is running',
      detail: 'No process has sent a heartbeat for 8 seconds: start one with “pennypost serve” or “pennypost worker”.',
      done: 'New messages are accepted. They wait in the queue until a worker runs.',
      about: 'system',
    }),
  ];
}

function judgeLane({ notification_type, lane, waiting, oldest_due_at }: LaneDepth, { now }: Facts): Problem[] {
  const age_ms = now.getTime() - Date.parse(oldest_due_at);
  if (age_ms < late_ms) return [];
  const one = waiting === 1;
  return [
    problem({
      tone: age_ms >= tooLate_ms ? 'red' : 'amber',
      what: `${capital(plurals[notification_type])} wait too long`,
      detail: one
        ? `1 message is due with ${priorityWord(lane)} priority.`
        : `${capital(many(waiting))} messages are due with ${priorityWord(lane)} priority.`,
      since: oldest_due_at,
      done: one
        ? 'Pennypost sends it as soon as a worker and a provider take it.'
        : 'Pennypost sends them as soon as a worker and a provider take them.',
      about: 'providers',
    }),
  ];
}

/** Where all of them are due, their lane says it. */
function judgeRetries({ notification_type, waiting, not_due, oldest_at }: Retries, facts: Facts): Problem[] {
  if (oldest_at === null || not_due === 0) return [];
  const age_ms = facts.now.getTime() - Date.parse(oldest_at);
  if (age_ms < tooLate_ms) return [];
  const one = waiting === 1;
  return [
    problem({
      tone: age_ms >= retriesTooLate.age_ms && waiting >= retriesTooLate.waiting ? 'red' : 'amber',
      what: `${capital(plurals[notification_type])} wait for another attempt`,
      detail: one
        ? 'An attempt to send 1 message has failed.'
        : `Attempts to send ${many(waiting)} messages have failed.`,
      since: oldest_at,
      done: `Each message is tried again for up to ${duration(facts.retried_for_ms)}, then it fails.`,
      about: 'providers',
    }),
  ];
}

/** Checks of providers are judged with their calls. What delays no message is not worth a look before it lasts. */
function judgeFindings({ findings, now }: Facts): Problem[] {
  const lasts = (since: Timestamp | undefined) => now.getTime() - Date.parse(since ?? '') >= tooLate_ms;
  return findings
    .filter(({ ok, provider }) => !ok && provider === undefined)
    .filter(({ is_minor = false, since }) => !is_minor || lasts(since))
    .map(({ name, description, since, is_unfinished, is_minor }) =>
      problem({
        tone: is_unfinished || is_minor ? 'amber' : 'red',
        what: is_unfinished ? `The check of the ${name} did not finish` : `The check of the ${name} has failed`,
        detail: sentence(description),
        since,
        about: 'system',
      }),
    );
}

function judgeLetters({ late_letters: { not_printed, not_despatched, first_day } }: Facts): Problem[] {
  const late = not_printed + not_despatched;
  if (late === 0) return [];
  const parts = [
    not_printed > 0 ? `${not_printed.toLocaleString('en-GB')} missed their print run` : '',
    not_despatched > 0 ? `${not_despatched.toLocaleString('en-GB')} have been at the printer for two working days` : '',
  ].filter(Boolean);
  return [
    problem({
      tone: 'amber',
      what: late === 1 ? 'A letter is late' : `${late.toLocaleString('en-GB')} letters are late`,
      detail: `${parts.join(', ')}.`,
      since: first_day === null ? undefined : `${first_day}T12:00:00Z`,
      done: 'Letters that were not printed go into the next print run.',
      about: 'system',
    }),
  ];
}

function judgeCallbacks({ callbacks: { waiting, oldest_due_at }, now }: Facts): Problem[] {
  if (oldest_due_at === null || now.getTime() - Date.parse(oldest_due_at) < tooLate_ms) return [];
  return [
    problem({
      tone: 'amber',
      what: 'Callbacks to services wait too long',
      detail: waiting === 1 ? '1 callback waits.' : `${waiting.toLocaleString('en-GB')} callbacks wait.`,
      since: oldest_due_at,
      done: 'Callbacks are sent in turn and tried again for a day.',
      about: 'system',
    }),
  ];
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function capital(text: string): string {
  return text.replace(/^./, (first) => first.toUpperCase());
}

function duration(ms: number): string {
  const [amount, unit] = ms < 2 * hour_ms ? [ms / minute_ms, 'minutes'] : [ms / hour_ms, 'hours'];
  return `${Math.round(amount)} ${unit}`;
}

function many(waiting: number): string {
  return waiting >= maxCounted ? 'over 100,000' : waiting.toLocaleString('en-GB');
}
