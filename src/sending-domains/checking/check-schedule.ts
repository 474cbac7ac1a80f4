import { day_ms, earlier, hour_ms, later, minute_ms } from '../../platform/clock.ts';
import type { Check } from '../checks/check.ts';
import type { DomainRow, KeyRow } from '../sending-domains.sql.ts';
import { wasTried } from './judge-domain.ts';

/** After these times since a domain was added, then by the hour, then by the day, while its records are not there. */
const firstChecks_ms = [1, 2, 5, 10, 30, 60].map((minutes) => minutes * minute_ms);
const hourlyFor_ms = 72 * hour_ms;
const dailyFor_ms = 30 * day_ms;
const again_ms = 15 * minute_ms;
const usual_ms = 6 * hour_ms;
/** So that domains that were added together are not checked together for ever. */
const spread = 0.2;

interface Checked {
  domain: Pick<DomainRow, 'state' | 'created_at'>;
  checks: readonly Check[];
  required: readonly Check[];
  /** The checks with another verdict than the last time. */
  changed: readonly Check[];
  keys: readonly Pick<KeyRow, 'state' | 'retire_at'>[];
}

/** When a domain is checked next; undefined: never again by itself. `random` is from 0 to 1. */
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
 * Soon after something was wrong or unclear. An advisory check that stays wrong, such as a policy that the owner does not want, does
 * not: it would be asked for a hundred times a day.
 */
function nextInUse({ required, changed }: Checked, now: Date, random: number): Date {
  const isBad = (check: Check) => check.verdict === 'fail' || (check.verdict === 'unknown' && wasTried(check));
  if (required.some(isBad) || changed.some(isBad)) return later(now, again_ms);
  return later(now, usual_ms * (1 - spread + 2 * spread * random));
}

const readyAfter_ms = hour_ms;
const usedAfter_ms = day_ms;

/** What a key becomes once its record was found, or was not. Undefined: it stays what it is. */
export function nextKeyState(
  key: Pick<KeyRow, 'state' | 'passed_since'>,
  { verdict }: Pick<Check, 'verdict'>,
  now: Date,
): { state: 'waiting' | 'ready'; passed_since: string | null; isDue: boolean } | undefined {
  if (verdict === 'unknown') return undefined;
  if (verdict === 'fail') return { state: 'waiting', passed_since: null, isDue: false };
  const passed_since = key.passed_since ?? now.toISOString();
  const isReady = new Date(passed_since) <= earlier(now, readyAfter_ms);
  // An hour to become ready, then a day until it signs by itself.
  const isDue = new Date(passed_since) <= earlier(now, readyAfter_ms + usedAfter_ms);
  return { state: isReady ? 'ready' : 'waiting', passed_since, isDue };
}
