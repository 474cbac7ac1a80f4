import type { ReceiptStatus } from '../reports.ts';

/** The key of our id in the context of a message, which each event about it returns. */
export const referenceKey = 'notification_id';

/** The parts of an event that we use. It comes in an SNS envelope. */
export interface AwsSmsEvent {
  eventType?: unknown;
  eventTimestamp?: unknown;
  isFinal?: unknown;
  context?: Record<string, unknown> | null;
}

const statuses = new Map<unknown, ReceiptStatus>([
  ['TEXT_DELIVERED', 'delivered'],
  // In some countries the carrier reports no more than this.
  ['TEXT_SUCCESSFUL', 'delivered'],
  ['TEXT_INVALID', 'permanent-failure'],
  ['TEXT_BLOCKED', 'permanent-failure'],
  ['TEXT_CARRIER_BLOCKED', 'permanent-failure'],
  ['TEXT_UNREACHABLE', 'temporary-failure'],
  ['TEXT_CARRIER_UNREACHABLE', 'temporary-failure'],
  ['TEXT_TTL_EXPIRED', 'temporary-failure'],
  // No carrier reported anything for 72 hours.
  ['TEXT_UNKNOWN', 'temporary-failure'],
  ['TEXT_INVALID_MESSAGE', 'technical-failure'],
  ['TEXT_SPAM', 'technical-failure'],
  ['TEXT_PROTECT_BLOCKED', 'technical-failure'],
]);

/** Undefined if the event is not final. */
export function statusOfAwsSmsEvent({ eventType, isFinal }: AwsSmsEvent): ReceiptStatus | undefined {
  return isFinal === false ? undefined : statuses.get(eventType);
}
