import { day_ms, earlier, hour_ms, timestamp } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Platform } from '../../platform/platform.ts';
import {
  countRequestedMessages,
  deleteRequestedMessagesUntil,
  insertRequestedMessage,
  lockRequestedMessages,
} from './account-messages.sql.ts';

/** Templates of the platform service. The ids are fixed because tools that read sign-in messages match on them. */
export const accountTemplates = {
  smsCode: '36fb0730-6259-4da1-8a80-c8de22ad4246',
  emailCode: '299726d2-dba6-42b8-8209-30e1d66ea164',
  emailVerification: 'ece42649-22a8-4d06-b87f-d52d5d3f0a27',
  passwordReset: '474e9242-823b-4f99-813d-ed392e7f1201',
  alreadyRegistered: '0880fbb1-a0c6-46f0-9a8e-36c986381ceb',
  changeEmail: 'eb4d9930-87ab-4aef-9bce-786762687884',
  emailAddressChanged: 'c73f1d71-4049-46d5-a647-d013bdeca3f0',
  mobileNumberChanged: '8a31520f-4751-4789-8ea1-fe54496725eb',
  serviceInvite: '4f46df42-f795-4cc4-83bb-65ca312f49cc',
  organisationInvite: '203566f0-d835-47c5-aa06-932439c86573',
  serviceLive: '618185c6-3636-49cd-b7d2-6f6f5eb3bdde',
  joinRequest: '77677459-f862-44ee-96d9-b8cb2323d407',
  replyToCheck: 'a42f1d17-9404-46d5-a647-d013bdfca3e1',
  previousEmailAddress: 'cb1211ba-573f-40c6-a024-13109a541616',
  previousMobileNumber: 'f32ae1ee-6c8d-4f7d-bd7a-3c6e6c11bfd2',
  goLiveRequest: '5c7cfc0f-c3f4-4bd6-9a84-5a144aad5425',
  goLiveReceipt: 'c7083bfe-1b9a-4ff9-bd5c-30508727df6e',
  goLiveNextSteps: '62f12a62-742b-4458-9336-741521b131c7',
  goLiveRejected: '507d0796-9e23-4ad7-b83b-5efbd9496866',
  agreementSigned: '4fd2e43c-309b-4e50-8fb8-1955852d9d71',
  agreementSignedForOther: 'c20206d5-bf03-4002-9a90-37d5032d9e84',
  agreementSignedByOther: '522b6657-5ca5-4368-a294-6b527703bd0b',
  joinRequestReceipt: '38bcd263-6ce8-431f-979d-8e637c1f0576',
  joinRequestApproved: '4d8ee728-100e-4f0e-8793-5638cfa4ffa4',
  securityKeyDeleted: 'b0c5c5f0-3f0e-4f6c-9a55-6f2d1c7a9e41',
  operatorRoleChanged: '7d1f2a86-52f4-4a0b-8c1e-0e9b6a4d3c72',
  domainVerified: 'c1f6b0a2-6a0d-4c59-9a37-5d1e8f2b7a10',
  domainFailing: '2b9f4e67-0c1d-4f8e-8b52-7a6c3d9e1f24',
  domainSuspended: '9e3d7c15-4b8a-4d26-a1f0-6c2b5e8d9a37',
  domainRetired: '5f0a9c3e-8d27-4b61-b4e8-1c6f7d2a9b53',
  sendingPaused: '3b8e2f64-1c7d-4e0a-9f25-6a1d8c4b7e90',
  sendingWarning: 'e5d0a7c2-48b1-4f36-8d9e-2c7f1b6a3058',
  limitNear: '6d4c1b9e-7a25-4c83-b0f6-1e8d3a5c7f42',
  limitReached: 'a91f5e38-2b6d-4074-9c1a-8f7e4d0b2c65',
} as const;

/** A code, link or notice to a user: a template id and its values. */
export interface AccountMessage {
  template_id: string;
  /** An email address or a phone number, as entered. */
  to: string;
  personalisation: Record<string, string | string[]>;
  /** The recipient's language, if the message does not go to the address of their account. Null: they have chosen none. */
  language?: string | null | undefined;
  /** Reply-to address of an email; defaults to that of the platform service. */
  reply_to?: string;
}

/** Stores the message in the caller's transaction, so that it is sent only if the change it reports is committed. */
export interface AccountMessageSender {
  send(tx: Tx, message: AccountMessage): Promise<{ id: string }>;
}

/** Limits on the messages that the console sends for one account or service. Front ends that use the API have their own limits. */
const limits = {
  'reset-password': { max: 3, period_ms: hour_ms },
  'verify-email': { max: 3, period_ms: hour_ms },
  'change-email': { max: 3, period_ms: hour_ms },
  'reply-to-check': { max: 20, period_ms: day_ms },
  'join-request': { max: 20, period_ms: day_ms },
};
const longestPeriod_ms = day_ms;

export type RequestedMessage = keyof typeof limits;

/**
 * Returns whether the message may be sent, and counts it if so. Call it in the transaction that sends the message. Exact under concurrency.
 */
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

export interface AccountText {
  /** Emails only: a text without a subject is a text message. */
  subject?: string;
  paragraphs: string[];
}

export interface AccountTemplate extends AccountText {
  id: string;
  name: string;
  /** Every text from earlier releases. Installations that still have one of them get the new text. */
  formerly?: AccountText[];
}
