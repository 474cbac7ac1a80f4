import { day_ms, earlier, hour_ms, later, minute_ms } from '../../platform/clock.ts';
import type { Check } from '../checks/check.ts';
import type { DomainRow, KeyRow } from '../sending-domains.sql.ts';
import { wasTried } from './evaluate-domain.ts';

/** While the records of a new domain are missing, it is checked after these times, then hourly, then daily. */
const firstChecks_ms = [1, 2, 5, 10, 30, 60].map((minutes) => minutes * minute_ms);
const hourlyFor_ms = 72 * hour_ms;
const dailyFor_ms = 30 * day_ms;
const again_ms = 15 * minute_ms;
const usual_ms = 6 * hour_ms;
/** Jitter, so that domains that were added together are not always checked together. */
const spread = 0.2;

interface Checked {
  domain: Pick<DomainRow, 'state' | 'created_at'>;
  checks: readonly Check[];
  required: readonly Check[];
  /** The checks whose verdict differs from the previous one. */
  changed: readonly Check[];
  keys: readonly Pick<KeyRow, 'state' | 'retire_at'>[];
}

/** Returns when a domain is checked next; undefined: not again automatically. `random` is from 0 to 1. */
export function nextCheck(checked: Checked, now: Date, random: number): Date | undefined {
  const { domain, keys } = checked;
  if (domain.state === 'retired') return undefined;
  const usual =
    domain.state === 'pending' ? nextWhilePending(new Date(domain.created_at), now) : nextInUse(checked, now, random);
  if (!usual) return undefined;
  const forKeys = keys.some(({ state }) => state === 'waiting' || state === 'ready') ? [later(now, again_ms)] : [];
  return new Date(Math.min(...[usual, ...forKeys].map((moment) => moment.getTime())));
}

function nextWhilePending(added: Date, now: Date): Date | undefined {
  const first = firstChecks_ms.map((delay_ms) => later(added, delay_ms)).find((moment) => moment > now);
  if (first) return first;
  if (now < later(added, hourlyFor_ms)) return later(now, hour_ms);
  return now < later(added, dailyFor_ms) ? later(now, day_ms) : undefined;
}

/**
 * Checks again soon after something was wrong or unclear. An advisory check that stays wrong, such as a policy that the owner does not
 * want, does not count: it would cause a hundred checks a day.
 */
function nextInUse({ required, changed }: Checked, now: Date, random: number): Date {
  const isBad = (check: Check) => check.verdict === 'fail' || (check.verdict === 'unknown' && wasTried(check));
  if (required.some(isBad) || changed.some(isBad)) return later(now, again_ms);
  return later(now, usual_ms * (1 - spread + 2 * spread * random));
}

const readyAfter_ms = hour_ms;
const usedAfter_ms = day_ms;

/** Returns the change of a key after its record was found or not found. Undefined: no change. */
export function nextKeyState(
  key: Pick<KeyRow, 'state' | 'passed_since'>,
  { verdict }: Pick<Check, 'verdict'>,
  now: Date,
): { state: 'waiting' | 'ready'; passed_since: string | null; isDue: boolean } | undefined {
  if (verdict === 'unknown') return undefined;
  if (verdict === 'fail') return { state: 'waiting', passed_since: null, isDue: false };
  const passed_since = key.passed_since ?? now.toISOString();
  const isReady = new Date(passed_since) <= earlier(now, readyAfter_ms);
  // A key is ready after an hour, and signs automatically a day later.
  const isDue = new Date(passed_since) <= earlier(now, readyAfter_ms + usedAfter_ms);
  return { state: isReady ? 'ready' : 'waiting', passed_since, isDue };
}
