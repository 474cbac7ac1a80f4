import type { Postage, Status } from './notification.ts';

/** From where each change may come; whatever else is asked for, repeated or late, changes nothing. */
export const transitions = {
  /** A provider took it. If its receipt was faster, this does what `handedOverLate` does. */
  handedOver: ['created'],
  /** What the hand-over adds is kept, the status stays. */
  handedOverLate: ['pending', 'delivered', 'temporary-failure', 'permanent-failure', 'technical-failure'],
  /** A delivery receipt: final states stay as they are. */
  receipt: ['created', 'sending', 'pending', 'sent', 'pending-virus-check'],
  /** No receipt came in time. */
  timedOut: ['sending', 'pending'],
  /** It could not be handed over at all. */
  givenUp: ['created', 'sending', 'pending-virus-check'],
  /** A letter’s file was checked or composed. */
  checked: ['created', 'pending-virus-check'],
  cancelled: ['created', 'pending-virus-check'],
  despatched: ['created', 'sending'],
  returned: ['created', 'sending', 'delivered'],
} as const satisfies Record<string, readonly Status[]>;

export interface StatusChange {
  id: string;
  /** Left out: it stays, and only the rest is kept. */
  status?: Status;
  event: keyof typeof transitions;
  provider?: string;
  provider_reference?: string;
  billable_units?: number;
  sent_at?: Date;
  postage?: Postage;
  international?: boolean;
  recipient?: string;
  normalised_recipient?: string;
}
