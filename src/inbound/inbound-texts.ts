import { Type } from 'typebox';
import { recordAuditEntry } from '../auth/audit-entry.ts';
import { addDays } from '../countries/calendar.ts';
import type { PhoneRules } from '../countries/phone-rules.ts';
import { t } from '../language/text.ts';
import { day_ms, earlier, type Timestamp, timestamp } from '../platform/clock.ts';
import { type Db, inTransaction, type Tx } from '../platform/db/database.ts';
import { refuseUnlessExists } from '../platform/db/exists.ts';
import { conflict, notFound } from '../platform/failure.ts';
import { newId } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import { Datetime, Uuid } from '../protocol/fields.ts';
import { normaliseRecipient } from '../recipients/recipient.ts';
import { findNumberOfService } from '../services/inbound-numbers/inbound-numbers.ts';
import { defaultRetentionDays, firstKeptId, listRetentionRules } from '../services/settings/data-retention.ts';
import {
  countInbox,
  deleteInboundTexts,
  deleteInboundTextsOf,
  deleteParts,
  deletePartsBefore,
  deletePartsOf,
  endReview,
  type InboundTextRow,
  insertInboundText,
  insertPart,
  lockParts,
  selectInboundText,
  selectInboundTexts,
  selectInboundTextsOf,
  selectInbox,
  selectNewestByPerson,
  selectParts,
  type TextOfParts,
} from './inbound-texts.sql.ts';
import type { KeywordRequest } from './opt-outs/keywords.ts';

/** A received text in the format of both APIs. */
export const InboundTextRecord = Type.Object({
  id: Uuid,
  created_at: Datetime,
  service_id: Uuid,
  notify_number: Type.String(),
  user_number: Type.String(),
  content: Type.String(),
  keyword: Type.Optional(
    Type.String({ description: 'STOP, START, HELP or the like, if the text is one and was obeyed. Only then' }),
  ),
});

/** Converts a row to the format of both APIs. */
export function recordOf<Text extends Pick<InboundTextRow, 'keyword' | 'keyword_action'>>({
  keyword,
  keyword_action,
  ...text
}: Text) {
  return { ...text, ...(keyword !== null && keyword_action !== 'review' ? { keyword } : {}) };
}

export type InboundText = InboundTextRow;

/** A text sent to a service, as reported by the provider. */
interface ReceivedText {
  service_id: string;
  /** The service's number, as stored. */
  notify_number: string;
  user_number: string;
  content: string;
  provider: string;
  provider_reference?: string;
  /** When the provider received it. */
  provider_date?: Date;
}

/** Returns the sender's number as it is stored. */
export function userNumberOf(phone: PhoneRules, from: string): string {
  return normaliseRecipient(phone, from);
}

export async function recordInboundText(
  tx: Tx,
  phone: PhoneRules,
  received: ReceivedText,
  now: Date,
  asked?: KeywordRequest,
): Promise<InboundText> {
  const row = {
    id: newId(now),
    service_id: received.service_id,
    notify_number: received.notify_number,
    user_number: normaliseRecipient(phone, received.user_number),
    content: received.content,
    provider: received.provider,
    provider_reference: received.provider_reference ?? null,
    provider_date: received.provider_date ? timestamp(received.provider_date) : null,
    created_at: timestamp(now),
    keyword: asked?.keyword ?? null,
    keyword_action: asked?.action ?? null,
  };
  await insertInboundText(tx, row);
  return row;
}

const inboundPageSize = 250;

export function listInboundTexts(db: Db, serviceId: string, olderThan?: string) {
  return selectInboundTexts(db, serviceId, { size: inboundPageSize, older_than: olderThan });
}

const inboxDays = 7;
const inboxPage = 50;

/** The front end's inbox shows one week, even if the service retains its texts longer. */
function inboxSince(app: Platform): Timestamp {
  return timestamp(app.country.calendar.start(addDays(app.country.calendar.day(app.clock.now()), -inboxDays)));
}

export async function listInbox(app: Platform, serviceId: string, phoneNumber?: string) {
  await refuseUnlessExists(app.db, 'services', serviceId);
  const person = !phoneNumber?.trim() ? {} : { user_number: normaliseRecipient(app.country.phone, phoneNumber) };
  return selectInbox(app.db, serviceId, { since: inboxSince(app), ...person }, inboundPageSize);
}

export async function listConversations(app: Platform, serviceId: string, page: number) {
  await refuseUnlessExists(app.db, 'services', serviceId);
  const found = await selectNewestByPerson(app.db, serviceId, inboxSince(app), {
    size: inboxPage + 1,
    skip: (page - 1) * inboxPage,
  });
  return { data: found.slice(0, inboxPage), has_next: found.length > inboxPage };
}

export async function summariseInbox(app: Platform, serviceId: string) {
  await refuseUnlessExists(app.db, 'services', serviceId);
  return countInbox(app.db, serviceId, inboxSince(app));
}

/** Returns null if no stored text was sent to the number. */
export async function findLastUse(db: Db, serviceId: string): Promise<Timestamp | null> {
  const number = await findNumberOfService(db, serviceId);
  if (!number) throw notFound();
  const [last] = await selectInbox(db, serviceId, { notify_number: number.number }, 1);
  return last?.created_at ?? null;
}

export async function getInboundText(app: Platform, serviceId: string, textId: string) {
  const text = await selectInboundText(app.db, serviceId, textId);
  if (!text) throw notFound();
  return text;
}

/** Records a person's decision that a text that contains a word such as STOP is an opt-out. Returns the word. */
export async function confirmOptOut(tx: Tx, { id, keyword }: Pick<InboundText, 'id' | 'keyword'>): Promise<string> {
  if (keyword === null || !(await endReview(tx, id, true))) throw decided();
  return keyword;
}

/** Records a person's decision that the text is not an opt-out. */
export async function rejectOptOut(db: Db, service_id: string, thing_id: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    if (!(await endReview(tx, thing_id, false))) throw decided();
    const change = { before: { keyword_action: 'review' }, after: { keyword_action: null } };
    await recordAuditEntry(tx, { action: 'update', noun: 'inbound_text', thing_id, service_id, ...change });
  });
}

const decided = () => conflict(t('This text is not waiting for a decision.'));

/** Deletes all texts from one phone number and returns their ids. */
export async function eraseInboundTexts(tx: Tx, userNumber: string, serviceId: string | undefined): Promise<string[]> {
  await deletePartsOf(tx, userNumber, serviceId);
  return deleteInboundTextsOf(tx, userNumber, serviceId);
}

export function findInboundTextsOf(db: Db, userNumber: string, serviceId: string | undefined) {
  return selectInboundTextsOf(db, userNumber, serviceId);
}

/** Deletes received texts beyond the retention of their service for text messages. */
export async function deleteOldInboundTexts(app: Platform): Promise<void> {
  const now = app.clock.now();
  const rules = await listRetentionRules(app.country.calendar, app.db, now);
  const ofTexts = rules.filter(({ notification_type }) => notification_type === 'sms');
  const deleted = await deleteInboundTexts(
    app.db,
    firstKeptId(app.country.calendar, now, defaultRetentionDays),
    ofTexts,
  );
  const parts = await deletePartsBefore(app.db, timestamp(earlier(now, partsRetention_ms)));
  if (parts > 0) {
    app.log.warn({ event: 'received_parts.deleted', parts }, 'Deleted parts of texts that never arrived completely');
  }
  app.log.info({ event: 'inbound_texts.deleted', inbound_texts: deleted }, 'Deleted old received texts');
}

/** Longer than a network tries to deliver the last part. After that, a phone may reuse the number. */
const partsRetention_ms = day_ms;

/** Stores one part of a text. Returns the whole text once all parts have arrived, and undefined before. */
export async function joinReceivedParts(
  tx: Tx,
  phone: PhoneRules,
  { nth, content, ...given }: TextOfParts & { nth: number; content: string },
  now: Date,
): Promise<string | undefined> {
  const text = { ...given, user_number: normaliseRecipient(phone, given.user_number) };
  await lockParts(tx, text);
  await insertPart(tx, { ...text, nth, content, received_at: timestamp(now) });
  const contents = await selectParts(tx, text, timestamp(earlier(now, partsRetention_ms)));
  if (contents.length < text.total) return undefined;
  await deleteParts(tx, text);
  return contents.join('');
}
