import { postageSlots } from '../countries/postage.ts';
import type { Timestamp } from '../platform/clock.ts';
import type { Channel } from '../protocol/channels.ts';
import type { KeyType } from '../protocol/key-types.ts';

/** Channels with separate daily limits. */
export type LimitedChannel = Channel | 'international_sms';

export const statuses = [
  'created',
  'sending',
  'sent',
  'pending',
  'delivered',
  'failed',
  'technical-failure',
  'temporary-failure',
  'permanent-failure',
  'cancelled',
  'pending-virus-check',
  'validation-failed',
  'virus-scan-failed',
  'returned-letter',
] as const;

export type Status = (typeof statuses)[number];

/** Messages in these statuses are still in progress. */
export const unfinishedStatuses = [
  'created',
  'sending',
  'pending',
  'pending-virus-check',
] as const satisfies readonly Status[];

/** Array indexes of letter totals, as the database function letter_kind computes them: 0 to 6 sheets, then postage. */
export const letterKinds = Array.from({ length: 7 * postageSlots }, (_, index) => index + 1);

/** Lower numbers go first. */
export const lanes = { priority: 0, normal: 1, bulk: 2 } as const;

const laneNames: Record<number, string> = Object.fromEntries(Object.entries(lanes).map(([name, lane]) => [lane, name]));

/** The name for logs and metrics. */
export function laneName(lane: number): string {
  return laneNames[lane] ?? 'unknown';
}

/** A notification to store: its row, its lane and when it is due. */
export interface NewNotification {
  id: string;
  service_id: string;
  template_id: string;
  template_version: number;
  notification_type: Channel;
  key_type: KeyType;
  api_key_id: string | null;
  created_by_id: string | null;
  status: Status;
  client_reference: string | null;
  recipient: string;
  normalised_recipient: string | null;
  personalisation: Record<string, unknown>;
  reply_to_text: string | null;
  postage: string | null;
  international: boolean;
  rate_multiplier: number;
  one_click_unsubscribe_url: string | null;
  scheduled_for: Timestamp | null;
  created_at: Timestamp;
  /** The lane of the delivery queue; null if the message is not ready for delivery. */
  lane: number | null;
  due_at: Timestamp;
  /** The job and the zero-based row that the message belongs to. */
  job_id?: string;
  job_row_number?: number;
  /** The language of the chosen text; unset for the template's own text. */
  language?: string | null;
}

/** Groups of statuses that people filter by. */
export const statusGroups = ['sending', 'delivered', 'failed'] as const;

export type StatusGroup = (typeof statusGroups)[number];

export const statusesOfGroup: Record<StatusGroup, readonly Status[]> = {
  sending: ['created', 'sending', 'pending', 'pending-virus-check'],
  delivered: ['delivered', 'sent', 'returned-letter'],
  failed: [
    'failed',
    'technical-failure',
    'temporary-failure',
    'permanent-failure',
    'validation-failed',
    'virus-scan-failed',
  ],
};

const inTransit = { created: 'In transit', sending: 'In transit', pending: 'In transit' };
const ofBothChannels = { ...inTransit, delivered: 'Delivered', 'technical-failure': 'Tech issue', failed: 'Failed' };

/** Labels that GC Notify uses for statuses. Statuses without a label, and all statuses of letters, are shown as they are. */
export const statusLabels: Record<Channel, Readonly<Record<string, string>>> = {
  email: {
    ...ofBothChannels,
    'pending-virus-check': 'In transit',
    sent: 'Delivered',
    'temporary-failure': 'Content or inbox issue',
    'permanent-failure': 'No such address',
    'virus-scan-failed': 'Attachment has virus',
    'pii-check-failed': 'Exceeds Protected A',
  },
  sms: {
    ...ofBothChannels,
    sent: 'Sent',
    'temporary-failure': 'Carrier issue',
    'permanent-failure': 'No such number',
    'provider-failure': 'No such number',
  },
  letter: {},
};

/** The statuses from which each event may change a message. Any other change, such as a repeated or late one, is ignored. */
export const transitions = {
  /** A provider accepted it. If the receipt came first, `handedOverLate` applies. */
  handedOver: ['created'],
  /** Never given to a provider: the simulated recipient determines the final status. */
  simulated: ['created'],
  /** Stores the provider details but keeps the status. */
  handedOverLate: ['pending', 'delivered', 'temporary-failure', 'permanent-failure', 'technical-failure'],
  /** A delivery receipt. Final statuses do not change. */
  receipt: ['created', 'sending', 'pending', 'sent', 'pending-virus-check'],
  /** The provider reports only failures, so a message without a report counts as delivered after a while. */
  assumedDelivered: ['sending', 'pending'],
  /** A failure that corrects an assumed delivery. Other final statuses do not change. */
  bounced: ['created', 'sending', 'pending', 'delivered'],
  /** No receipt arrived in time. */
  timedOut: ['sending', 'pending'],
  /** Delivery failed permanently. */
  givenUp: ['created', 'sending', 'pending-virus-check'],
  /** A letter's file was checked or composed. */
  checked: ['created', 'pending-virus-check'],
  cancelled: ['created', 'pending-virus-check'],
  /** Cancels all letters of a job, including failed ones. */
  letterJobCancelled: ['created', 'pending-virus-check', 'technical-failure', 'validation-failed', 'virus-scan-failed'],
  despatched: ['created', 'sending'],
  returned: ['created', 'sending', 'delivered'],
} as const satisfies Record<string, readonly Status[]>;

export interface StatusChange {
  id: string;
  /** Without it, the status does not change. */
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
  /** The receiver rejected an email because of its sender, so the address may still be right. */
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
