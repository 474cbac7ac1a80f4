import type { ProviderState, ShareMove } from '../../delivery/failover/provider-states.ts';
import { laneName } from '../../notifications/notification.ts';
import { type LaneDepth, maxCounted, type Retries } from '../../notifications/queue/lane-depths.ts';
import { minute_ms, type Timestamp } from '../../platform/clock.ts';
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
  about: 'providers' | 'system' | 'letters';
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
  workers: number;
  findings: LiveFinding[];
  late_letters: { not_printed: number; not_despatched: number; first_day: string | null };
  callbacks: { waiting: number; oldest_due_at: Timestamp | null };
}

const plurals: Record<Channel, string> = { email: 'emails', sms: 'texts', letter: 'letters' };
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
    const done = `All ${plurals[channel]} wait until one is active again.`;
    const what = `No provider takes ${plurals[channel]}`;
    return [problem({ tone: 'red', what, detail, done, about: 'providers' })];
  }
  return all.flatMap((provider): Problem[] => {
    const { display_name, failing, health, identifier, in_time } = provider;
    const check = facts.findings.find((finding) => finding.provider === identifier && finding.name === channel);
    const move = provider.moves.find(({ before, priority }) => priority < before);
    const others = all.filter((one) => one !== provider).map((one) => one.display_name);
    const done = whatHappens(others, plurals[channel]);
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
      return [problem({ tone: 'amber', what, detail, ...same, done: 'Nothing is lost.' })];
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

function whatHappens(others: string[], what: string): string {
  return others.length === 0
    ? `The ${what} wait, and are tried again until it takes them. Nothing is lost.`
    : `What it does not take goes to ${others.join(' or ')} at once. Nothing is lost.`;
}

/** A check may fail or take too long although messages are sent, so its calls say more. */
function judgeCheck(
  { display_name, notification_type, failing, last_success }: ProviderState,
  { description, is_unfinished, since }: LiveFinding,
  others: string[],
  { now }: Facts,
): Pick<Problem, 'tone' | 'what' | 'detail' | 'since' | 'done'> {
  const detail = sentence(description);
  const messages = plurals[notification_type];
  if (failing) {
    const what = `${display_name} cannot be reached`;
    return { tone: 'red', what, detail, since, done: whatHappens(others, messages) };
  }
  const [aMinuteAgo, taken] = [now.getTime() - minute_ms, Date.parse(last_success ?? '')];
  const takes = taken >= aMinuteAgo || taken >= Date.parse(since ?? '');
  const done = takes
    ? `It takes ${messages} all the same: no call fails.`
    : `No call has failed. ${capital(messages)} that it does not take ${others.length > 0 ? `go to ${others.join(' or ')}` : 'wait and are tried again'}.`;
  if (is_unfinished || takes) {
    const what = `The check of ${display_name} ${is_unfinished ? 'did not finish' : 'fails'}`;
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
      done: 'Messages are accepted and wait in the queue. Nothing is lost.',
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
      detail: `${capital(many(waiting))} ${one ? 'message is' : 'messages are'} due in the ${laneName(lane)} lane.`,
      since: oldest_due_at,
      done: `${one ? 'It is' : 'They are'} sent as soon as a worker and a provider take ${one ? 'it' : 'them'}.`,
      about: 'providers',
    }),
  ];
}

/** Where all of them are due, their lane says it. */
function judgeRetries({ notification_type, waiting, not_due, oldest_at }: Retries, { now }: Facts): Problem[] {
  if (oldest_at === null || not_due === 0) return [];
  const age_ms = now.getTime() - Date.parse(oldest_at);
  if (age_ms < tooLate_ms) return [];
  const one = waiting === 1;
  return [
    problem({
      tone: age_ms >= retriesTooLate.age_ms && waiting >= retriesTooLate.waiting ? 'red' : 'amber',
      what: `${capital(plurals[notification_type])} wait for another attempt`,
      detail: `Attempts to send ${many(waiting)} ${one ? 'message' : 'messages'} have failed.`,
      since: oldest_at,
      done: `${one ? 'It is' : 'They are'} tried again until a provider takes ${one ? 'it' : 'them'}, or until ${one ? 'it expires' : 'they expire'}.`,
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
        what: `The check of the ${name} ${is_unfinished ? 'did not finish' : 'fails'}`,
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
      about: 'letters',
    }),
  ];
}

function judgeCallbacks({ callbacks: { waiting, oldest_due_at }, now }: Facts): Problem[] {
  if (oldest_due_at === null || now.getTime() - Date.parse(oldest_due_at) < tooLate_ms) return [];
  return [
    problem({
      tone: 'amber',
      what: 'Callbacks to services wait too long',
      detail: `${waiting.toLocaleString('en-GB')} wait.`,
      since: oldest_due_at,
      done: 'They are sent in turn and tried again for a day.',
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

function many(waiting: number): string {
  return waiting >= maxCounted ? 'over 100,000' : waiting.toLocaleString('en-GB');
}
