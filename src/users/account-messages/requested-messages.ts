import { day_ms, earlier, hour_ms, timestamp } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Platform } from '../../platform/platform.ts';
import {
  countRequestedMessages,
  deleteRequestedMessagesUntil,
  insertRequestedMessage,
  lockRequestedMessages,
} from './requested-messages.sql.ts';

/**
 * How many messages the console sends for one account, or one service, however often it is asked. Front ends that use the
 * API have limits of their own.
 */
const limits = {
  'reset-password': { max: 3, period_ms: hour_ms },
  'verify-email': { max: 3, period_ms: hour_ms },
  'change-email': { max: 3, period_ms: hour_ms },
  'reply-to-check': { max: 20, period_ms: day_ms },
  'join-request': { max: 20, period_ms: day_ms },
};
const longestPeriod_ms = day_ms;

export type RequestedMessage = keyof typeof limits;

/** Counts the message if it may be sent, in the transaction that sends it. Exact under concurrency. */
export async function mayRequestMessage(
  { clock }: Platform,
  tx: Tx,
  kind: RequestedMessage,
  requested_for: string,
): Promise<boolean> {
  const { max, period_ms } = limits[kind];
  const now = clock.now();
  await lockRequestedMessages(tx, requested_for);
  const since = timestamp(earlier(now, period_ms));
  if ((await countRequestedMessages(tx, { requested_for, kind, since })) >= max) return false;
  await insertRequestedMessage(tx, { requested_for, kind, requested_at: timestamp(now) });
  return true;
}

export function deleteOldRequestedMessages({ db, clock }: Platform): Promise<void> {
  return deleteRequestedMessagesUntil(db, timestamp(earlier(clock.now(), longestPeriod_ms)));
}
