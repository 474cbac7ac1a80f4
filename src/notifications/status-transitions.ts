import type { Timestamp } from '../platform/clock.ts';
import type { Channel } from '../protocol/channels.ts';
import type { KeyType } from '../protocol/key-types.ts';
import type { Status } from './notification.ts';

/** Allowed previous statuses of each event. Any other change, such as a repeated or late one, is ignored. */
export const transitions = {
  /** A provider accepted it. If the receipt came first, `handedOverLate` applies. */
  handedOver: ['created'],
  /** Never given to a provider: the recipient says how it ends. */
  simulated: ['created'],
  /** Stores the provider details but keeps the status. */
  handedOverLate: ['pending', 'delivered', 'temporary-failure', 'permanent-failure', 'technical-failure'],
  /** A delivery receipt. Final statuses do not change. */
  receipt: ['created', 'sending', 'pending', 'sent', 'pending-virus-check'],
  /** The provider reports failures only, so a message without a report counts as delivered after a while. */
  assumedDelivered: ['sending', 'pending'],
  /** A failure that corrects such an assumption. Other final statuses do not change. */
  bounced: ['created', 'sending', 'pending', 'delivered'],
  /** No receipt arrived in time. */
  timedOut: ['sending', 'pending'],
  /** Delivery failed for good. */
  givenUp: ['created', 'sending', 'pending-virus-check'],
  /** A letter's file was checked or composed. */
  checked: ['created', 'pending-virus-check'],
  cancelled: ['created', 'pending-virus-check'],
  /** All letters of a job: those that failed are cancelled, too. */
  letterJobCancelled: ['created', 'pending-virus-check', 'technical-failure', 'validation-failed', 'virus-scan-failed'],
  despatched: ['created', 'sending'],
  returned: ['created', 'sending', 'delivered'],
} as const satisfies Record<string, readonly Status[]>;

export interface StatusChange {
  id: string;
  /** If omitted, the status does not change. */
  status?: Status;
  event: keyof typeof transitions;
  provider?: string;
  provider_reference?: string;
  billable_units?: number;
  sent_at?: Date;
  postage?: string;
  international?: boolean;
  recipient?: string;
  normalised_recipient?: string;
  /** The receiver refused an email because of who sends it: no reason to think that the address is wrong. */
  blames_sender?: true;
}

export interface ChangedNotification {
  id: string;
  service_id: string;
  notification_type: Channel;
  key_type: KeyType;
  previous_status: Status;
  status: Status;
  provider: string | null;
  created_at: Timestamp;
  sent_at: Timestamp | null;
}
