import { hour_ms } from '../../platform/clock.ts';
import type { Check } from '../checks/check.ts';
import type { DomainRow } from '../sending-domains.sql.ts';

type State = Pick<DomainRow, 'state' | 'required_failing_since' | 'required_failures'>;

interface Found {
  checks: readonly Check[];
  /** The checks that must not fail. */
  required: readonly Check[];
  /** Since when the ownership record has a different token. */
  tokenDiffersSince: string | null;
}

/** A record that somebody deletes at 3 a.m. must not change the sender of emails within minutes. */
const suspendedAfter = { failures: 3, time_ms: 24 * hour_ms };
/** Shorter, because a different token means that somebody else has the name now. */
const suspendedByToken_ms = hour_ms;
/** The number of failed checks in a row before people are notified: about 45 minutes. */
export const failuresUntilNotice = 3;

/** Whether the check could run. Without its input, such as the addresses of servers, it never concludes anything. */
export function wasTried({ verdict, reason }: Pick<Check, 'verdict' | 'reason'>): boolean {
  return !(verdict === 'unknown' && reason === 'not-checked');
}

/** Returns the state of a domain after its checks. An unknown result changes nothing. */
export function evaluateDomain(before: State, { checks, required, tokenDiffersSince }: Found, now: Date): State {
  if (before.state === 'retired') return before;
  const failing = required.some(({ verdict }) => verdict === 'fail');
  if (failing) return evaluateFailing(before, tokenDiffersSince, now);
  if (required.length === 0 || required.some(({ verdict }) => verdict === 'unknown')) return before;
  const isUnclear = checks.some((check) => check.verdict === 'unknown' && wasTried(check));
  const hasWarning = checks.some(({ verdict }) => verdict === 'fail') || (before.state === 'warning' && isUnclear);
  return { state: hasWarning ? 'warning' : 'verified', required_failing_since: null, required_failures: 0 };
}

function evaluateFailing(before: State, tokenDiffersSince: string | null, now: Date): State {
  // No emails come from it yet.
  if (before.state === 'pending') return before;
  const required_failing_since = before.required_failing_since ?? now.toISOString();
  const required_failures = before.required_failures + 1;
  const isOver = (since: string, time_ms: number) => now.getTime() - new Date(since).getTime() >= time_ms;
  const isSuspended =
    (required_failures >= suspendedAfter.failures && isOver(required_failing_since, suspendedAfter.time_ms)) ||
    (tokenDiffersSince !== null && isOver(tokenDiffersSince, suspendedByToken_ms));
  const state = isSuspended ? 'suspended' : before.state;
  return { state, required_failing_since, required_failures };
}
