import { postageSlots } from '../countries/postage.ts';
import type { Timestamp } from '../platform/clock.ts';
import type { Channel } from '../protocol/channels.ts';
import type { KeyType } from '../protocol/key-types.ts';

/** What has a daily limit of its own. */
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
  /** The job that it is a row of, and its row, from 0. */
  job_id?: string;
  job_row_number?: number;
  /** Of the text that was chosen; without it, the template's own. */
  language?: string | null;
}

/** What people ask for; each group stands for several statuses. */
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

/** What GC Notify says of a status. One without a label shows itself, and so do all statuses of letters. */
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
