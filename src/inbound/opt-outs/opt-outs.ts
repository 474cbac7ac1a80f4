import type { Country } from '../../countries/country.ts';
import { day_ms, earlier, type Timestamp, timestamp } from '../../platform/clock.ts';
import { type Db, inTransaction, type Tx } from '../../platform/db/database.ts';
import { refuseUnlessExists } from '../../platform/db/exists.ts';
import { invalidField, notFound } from '../../platform/failure.ts';
import { newId } from '../../platform/id.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { Platform } from '../../platform/platform.ts';
import { normaliseOwnNumber, parsePhoneNumber } from '../../recipients/phone-number.ts';
import { phoneNumberText } from '../../recipients/recipient-texts.ts';
import { getKeywordSettings } from './keyword-settings.ts';
import { type KeywordAction, type KeywordRequest, keywordSetFor, listKnownWords, readKeyword } from './keywords.ts';
import {
  claimReply,
  deleteEssentialTemplate,
  deleteOptOuts,
  deleteOptOutsOf,
  deleteRepliesBefore,
  insertEssentialTemplate,
  insertOptOuts,
  isEssentialTemplate,
  type OptOutRow,
  selectOptOut,
  selectOptOuts,
  selectOptOutsOf,
  selectOptOutsOfService,
  setLiftReason,
} from './opt-outs.sql.ts';
import type { OptOutSettings } from './settings.ts';

export type { OptOutRow } from './opt-outs.sql.ts';

type Deps = Platform & { config: { optOuts: OptOutSettings } };

interface Received {
  service_id: string;
  /** Digits with country code. */
  user_number: string;
  /** The service's number. */
  notify_number: string;
  content: string;
}

/** Returns the action that a text requests, or undefined. Names and short codes cannot opt out, because no texts can be sent to them. */
export async function readReceived(
  { country, config }: Pick<Deps, 'country' | 'config'>,
  tx: Tx,
  { service_id, user_number, content }: Received,
): Promise<KeywordRequest | undefined> {
  if (!parsePhoneNumber(country.phone, `+${user_number}`).ok) return undefined;
  const set = keywordSetFor(user_number);
  const isStopped = set === 'us' && (await selectOptOuts(tx, service_id, [user_number])).length > 0;
  const { words: own } = await getKeywordSettings(tx, service_id);
  return readKeyword(content, { set, known: listKnownWords(country, config.optOuts.languages), isStopped, own });
}

/** Inserts or deletes the opt-out, in the transaction that stores the text. */
export async function applyKeyword(
  app: Deps,
  tx: Tx,
  { action, keyword }: KeywordRequest,
  text: Received & { id: string },
  now: Date,
): Promise<void> {
  const { service_id, user_number } = text;
  const sender = normaliseOwnNumber(app.country.phone, text.notify_number);
  if (action === 'stop') {
    const row = { id: newId(now), service_id, user_number, sender, keyword, reason: 'keyword' as const };
    await insertOptOuts(tx, [{ ...row, inbound_sms_id: text.id, created_at: timestamp(now) }]);
  } else if (action === 'start') {
    const { scope } = await getKeywordSettings(tx, service_id);
    const ofSender = (scope ?? app.config.optOuts.scope) === 'sender';
    await deleteOptOuts(tx, service_id, user_number, ofSender ? sender : undefined);
  }
  countOptOuts(app.metrics, keywordSetFor(user_number), action);
}

const replyEvery_ms = day_ms;

/** Whether to reply to a keyword: at most once per kind in 24 hours. */
export function isReplyDue(
  tx: Tx,
  { service_id, user_number }: Pick<Received, 'service_id' | 'user_number'>,
  action: 'stop' | 'help',
  now: Date,
): Promise<boolean> {
  const times = { now: timestamp(now), since: timestamp(earlier(now, replyEvery_ms)) };
  return claimReply(tx, { service_id, user_number, action }, times);
}

/** Records opt-outs for texts that a provider refused because their recipients had replied STOP to it. */
export async function recordOptOutsAtProvider(
  app: Platform,
  tx: Tx,
  refused: readonly { service_id: string; user_number: string; sender: string | null }[],
  now: Date,
): Promise<void> {
  const rows = refused.map(({ sender, ...of }) => ({
    ...{ ...of, id: newId(now), sender: sender === null ? '*' : normaliseOwnNumber(app.country.phone, sender) },
    ...{ keyword: 'STOP', reason: 'provider' as const, inbound_sms_id: null, created_at: timestamp(now) },
  }));
  const added = await insertOptOuts(tx, rows);
  for (let n = 0; n < added; n += 1) countOptOuts(app.metrics, 'provider', 'stop');
}

function countOptOuts(metrics: Metrics, keyword_set: string, action: KeywordAction): void {
  metrics
    .counter('sms_opt_outs_total', 'Texts and refusals of providers that ask for no more texts, or for texts again', [
      'keyword_set',
      'action',
    ])
    .inc({ keyword_set, action });
}

/** The service, sender and template of a text that is about to be sent. */
interface ToSend {
  service_id: string;
  template_id: string;
  sender: string | null;
}

/** Returns the opt-outs that block a text, by number. Only needed for services with opt-outs. */
export async function findOptedOut(
  { country, config }: { country: Country; config: { optOuts: OptOutSettings } },
  db: Db | Tx,
  { service_id, template_id, sender }: ToSend,
  userNumbers: readonly string[],
): Promise<Map<string, OptOutRow>> {
  const from = sender === null ? undefined : normaliseOwnNumber(country.phone, sender);
  const found = (await selectOptOuts(db, service_id, userNumbers)).filter(
    ({ scope, ...row }) => (scope ?? config.optOuts.scope) === 'service' || row.sender === '*' || row.sender === from,
  );
  if (found.length === 0 || (await isEssentialTemplate(db, template_id))) return new Map();
  return new Map(found.map((row) => [row.user_number, row]));
}

export function optOutText({ calendar }: Country, { keyword, created_at }: { keyword: string; created_at: Timestamp }) {
  return `Can’t send to this recipient: they replied ${keyword} on ${calendar.longDate(new Date(created_at))}.`;
}

const optOutPageSize = 250;

/** Returns one page, newest first, and whether there are older opt-outs. */
export async function listOptOuts(
  db: Db,
  serviceId: string,
  { older_than, size = optOutPageSize }: { older_than?: string | undefined; size?: number } = {},
): Promise<{ entries: OptOutRow[]; hasOlder: boolean }> {
  await refuseUnlessExists(db, 'services', serviceId);
  const found = await selectOptOutsOfService(db, serviceId, { size: size + 1, older_than });
  return { entries: found.slice(0, size), hasOlder: found.length > size };
}

export async function getOptOut(db: Db, serviceId: string, id: string): Promise<OptOutRow> {
  const found = await selectOptOut(db, serviceId, id);
  if (!found) throw notFound();
  return found;
}

/** Returns a number's opt-outs, one for each sender. Accepts any spelling of the number. */
export function findOptOuts({ db, country }: Platform, serviceId: string, phoneNumber: string): Promise<OptOutRow[]> {
  return selectOptOuts(db, serviceId, [normalised(country, phoneNumber)]);
}

/** Deletes the opt-outs of a number, so that the service can send to it again. Returns the normalised number. */
export async function liftOptOut(
  { db, country }: Platform,
  serviceId: string,
  phoneNumber: string,
  reason = '',
): Promise<string> {
  await refuseUnlessExists(db, 'services', serviceId);
  const number = normalised(country, phoneNumber);
  const lifted = await inTransaction(db, async (tx) => {
    await setLiftReason(tx, reason);
    return deleteOptOuts(tx, serviceId, number);
  });
  if (lifted === 0) throw notFound('This number has not opted out');
  return number;
}

function normalised(country: Country, phoneNumber: string): string {
  const parsed = parsePhoneNumber(country.phone, phoneNumber);
  if (!parsed.ok) throw invalidField('phone_number', phoneNumberText(country.words, parsed.reason));
  return parsed.number.normalised;
}

/** Deletes opt-outs from one service, or from all. Returns their number. */
export function eraseOptOuts(tx: Tx, userNumber: string, serviceId: string | undefined): Promise<number> {
  return deleteOptOutsOf(tx, userNumber, serviceId);
}

export function findOptOutsOf(db: Db, userNumber: string, serviceId: string | undefined): Promise<OptOutRow[]> {
  return selectOptOutsOf(db, userNumber, serviceId);
}

/** Texts of an essential template are also sent to numbers that opted out. */
export function markEssential(
  tx: Db | Tx,
  template: { template_id: string; service_id: string },
  now: Date,
): Promise<void> {
  return insertEssentialTemplate(tx, { ...template, created_at: timestamp(now) });
}

export function unmarkEssential(db: Db, templateId: string): Promise<void> {
  return deleteEssentialTemplate(db, templateId);
}

export function isEssential(db: Db, templateId: string): Promise<boolean> {
  return isEssentialTemplate(db, templateId);
}

/** Replies are only recorded to limit their rate, which takes a day. */
export function deleteOldReplies(db: Db, now: Date): Promise<void> {
  return deleteRepliesBefore(db, timestamp(earlier(now, replyEvery_ms)));
}
