import type { Outcome } from '../provider.ts';
import { statuses, statusName } from './commands.ts';

/** The message itself: its length, or its content. */
const refused = new Set<number>([statuses.invalidMessageLength, statuses.rejected]);
/** The recipient cannot get it. */
const permanent = new Set<number>([statuses.invalidDestination, statuses.permanentError, statuses.deliveryFailure]);

/**
 * For a submit_sm_resp with an error. All others are tried again, with another provider if there is one: those of the
 * settings can be corrected meanwhile, and what those above 0x400 mean is the vendor's.
 */
export function outcomeOfError(status: number): Exclude<Outcome, { kind: 'accepted' }> {
  const reason = statusName(status);
  if (permanent.has(status)) return { kind: 'refused', reason, status: 'permanent-failure' };
  if (refused.has(status)) return { kind: 'refused', reason, status: 'technical-failure' };
  return { kind: 'retry', reason };
}
