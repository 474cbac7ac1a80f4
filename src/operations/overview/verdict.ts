import type { ProviderState, ShareMove } from '../../delivery/failover/provider-states.ts';
import { laneName } from '../../notifications/notification.ts';
import { type LaneDepth, maxCounted } from '../../notifications/queue/lane-depths.ts';
import { minute_ms, type Timestamp } from '../../platform/clock.ts';
import type { Channel } from '../../protocol/channels.ts';
import type { LiveFinding } from './live-checks.ts';
import type { StoreState } from './store-states.ts';

/** One thing that is wrong. `red`: messages are delayed or will be; `amber`: somebody should look. */
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

export interface Facts {
  now: Date;
  providers: ProviderState[];
  /** The names in use, by channel. */
  in_use: Record<'sms' | 'email', string[]>;
  lanes: LaneDepth[];
  workers: number;
  findings: LiveFinding[];
  late_letters: { not_printed: number; not_despatched: number; first_day: string | null };
  callbacks: { waiting: number; oldest_due_at: Timestamp | null };
  stores: StoreState[];
}

const plurals: Record<Channel, string> = { email: 'emails', sms: 'texts', letter: 'letters' };
const late_ms = minute_ms;
const tooLate_ms = 5 * minute_ms;

/** Everything that is wrong, the worst first. Empty: all is well. */
export function judge(facts: Facts): Problem[] {
  const all = [
    ...(['sms', 'email'] as const).flatMap((channel) => judgeProviders(facts, channel)),
    ...judgeStores(facts),
    ...judgeWorkers(facts),
    ...facts.lanes.flatMap((lane) => judgeLane(lane, facts)),
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
    return [{ tone: 'red', what, detail, since: undefined, done, move: undefined, about: 'providers' }];
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
      return [{ tone: 'red', what, detail, since: failing.since, ...same }];
    }
    if (check && !check.ok) {
      const what = `${display_name} cannot be reached`;
      return [{ tone: 'red', what, detail: sentence(check.description), since: check.since, ...same }];
    }
    if (failing) {
      const detail = `${failing.errors} of ${failing.calls} calls failed in the last minute.`;
      const what = `A call to ${display_name} failed`;
      return [{ tone: 'amber', what, detail, since: failing.since, ...same }];
    }
    if (health === 'slow' && in_time !== undefined) {
      const detail = `${Math.round(in_time * 100)}% of its texts arrive within 5 minutes.`;
      const what = `Working, but ${display_name} is slow`;
      return [{ tone: 'amber', what, detail, since: undefined, ...same, done: 'Nothing is lost.' }];
    }
    return [];
  });
}

function whatHappens(others: string[], what: string): string {
  return others.length === 0
    ? `The ${what} wait, and are tried again until it takes them. Nothing is lost.`
    : `What it does not take goes to ${others.join(' or ')} at once. Nothing is lost.`;
}

function judgeWorkers({ workers }: Facts): Problem[] {
  if (workers > 0) return [];
  return [
    {
      tone: 'red',
      what: 'No worker is running',
      detail: 'No process has sent a heartbeat for 8 seconds: start one with “pennypost serve” or “pennypost worker”.',
      since: undefined,
      done: 'Messages are accepted and wait in the queue. Nothing is lost.',
      move: undefined,
      about: 'system',
    },
  ];
}

function judgeLane({ notification_type, lane, waiting, oldest_due_at }: LaneDepth, { now }: Facts): Problem[] {
  const age_ms = now.getTime() - Date.parse(oldest_due_at);
  if (age_ms < late_ms) return [];
  const many = waiting >= maxCounted ? 'Over 100,000' : waiting.toLocaleString('en-GB');
  const one = waiting === 1;
  return [
    {
      tone: age_ms >= tooLate_ms ? 'red' : 'amber',
      what: `${plurals[notification_type].replace(/^./, (first) => first.toUpperCase())} wait too long`,
      detail: `${many} ${one ? 'message is' : 'messages are'} due in the ${laneName(lane)} lane.`,
      since: oldest_due_at,
      done: `${one ? 'It is' : 'They are'} sent as soon as a worker and a provider take ${one ? 'it' : 'them'}.`,
      move: undefined,
      about: 'providers',
    },
  ];
}

function judgeStores({ stores, findings }: Facts): Problem[] {
  return stores
    .filter(({ is_away }) => is_away)
    .map(({ number, services }) => {
      const check = findings.find(({ name, ok }) => name === `store ${number} database` && !ok);
      const whose = services === 1 ? 'Requests of its service get' : `Requests of its ${services} services get`;
      return {
        tone: 'red',
        what: `Message store ${number} is away`,
        detail: sentence(check ? `${whose} a 503. It ${check.description}` : `${whose} a 503`),
        since: check?.since,
        done: 'All other services work. It is used again as soon as it is back, and what was accepted is sent then.',
        move: undefined,
        about: 'system',
      };
    });
}

/** Checks of providers are judged with their calls, and stores that are away once for all of their checks. */
function judgeFindings({ findings, stores }: Facts): Problem[] {
  const away = stores.filter(({ is_away }) => is_away).map(({ number }) => `store ${number} `);
  return findings
    .filter(({ ok, provider }) => !ok && provider === undefined)
    .filter(({ name }) => !away.some((store) => name.startsWith(store)))
    .map(({ name, description, since }) => ({
      tone: 'red',
      what: `The check of the ${name} fails`,
      detail: sentence(description),
      since,
      done: '',
      move: undefined,
      about: 'system',
    }));
}

function judgeLetters({ late_letters: { not_printed, not_despatched, first_day } }: Facts): Problem[] {
  const late = not_printed + not_despatched;
  if (late === 0) return [];
  const parts = [
    not_printed > 0 ? `${not_printed.toLocaleString('en-GB')} missed their print run` : '',
    not_despatched > 0 ? `${not_despatched.toLocaleString('en-GB')} have been at the printer for two working days` : '',
  ].filter(Boolean);
  return [
    {
      tone: 'amber',
      what: late === 1 ? 'A letter is late' : `${late.toLocaleString('en-GB')} letters are late`,
      detail: `${parts.join(', ')}.`,
      since: first_day === null ? undefined : `${first_day}T12:00:00Z`,
      done: 'Letters that were not printed go into the next print run.',
      move: undefined,
      about: 'letters',
    },
  ];
}

function judgeCallbacks({ callbacks: { waiting, oldest_due_at }, now }: Facts): Problem[] {
  if (oldest_due_at === null || now.getTime() - Date.parse(oldest_due_at) < tooLate_ms) return [];
  return [
    {
      tone: 'amber',
      what: 'Callbacks to services wait too long',
      detail: `${waiting.toLocaleString('en-GB')} wait.`,
      since: oldest_due_at,
      done: 'They are sent in turn and tried again for a day.',
      move: undefined,
      about: 'system',
    },
  ];
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
