import type { Status } from '../../notifications/notification.ts';
import { type ChangedNotification, type StatusChange, transitions } from '../../notifications/status.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { isUuid } from '../../platform/id.ts';
import { parsePhoneNumber } from '../../recipients/phone-number.ts';
import type { Receipt, ReceiptOutcome } from '../providers/reports.ts';
import { updateReported } from '../record-results.sql.ts';
import { findMessagesOfParts, recordDeliveredParts } from './message-parts.ts';
import { type ReceiptTarget, selectIdsByProviderReference, selectTargets } from './receipts.sql.ts';

interface RecordedReceipts {
  /** In the order of the receipts. */
  outcomes: ReceiptOutcome[];
  changed: ChangedNotification[];
}

/**
 * Records all receipts or none. Repeated, late and unknown receipts and those of another provider change nothing: a status
 * changes only by an allowed transition, and never before the message was given to a provider.
 */
export async function recordReceipts(db: Db | Tx, receipts: Receipt[], now: Date): Promise<RecordedReceipts> {
  if (receipts.length === 0) return { outcomes: [], changed: [] };
  const messages = await findMessagesOfParts(db, othersThanOurIds(receipts));
  const messageOf = ({ reference }: Receipt) => messages.get(reference) ?? reference;
  const targets = await findTargets(db, receipts.map(messageOf));
  const delivered = receipts.flatMap((receipt) => {
    const message_reference = messages.get(receipt.reference);
    const target = message_reference === undefined ? undefined : targets.get(message_reference);
    const isArrived = target && isFromProvider(receipt, target) && receipt.statusFor(target) === 'delivered';
    return isArrived && message_reference ? [{ reference: receipt.reference, message_reference }] : [];
  });
  const incomplete = await recordDeliveredParts(db, delivered, now);
  // Several receipts for one message are merged: the last valid one counts, without intermediate states.
  const changes = new Map<string, StatusChange>();
  for (const receipt of receipts) {
    const target = targets.get(messageOf(receipt));
    if (!target || target.notification_type !== receipt.notification_type || isUnreliableReceipt(target)) continue;
    if (!isFromProvider(receipt, target)) continue;
    const status = receipt.statusFor(target);
    if (status === 'delivered' && incomplete.has(messageOf(receipt))) continue;
    const event = receipt.correctsDelivery ? 'bounced' : 'receipt';
    const mayChange: readonly Status[] = transitions[event];
    if (status === target.status || !mayChange.includes(target.status)) continue;
    const provider = target.provider === null && target.handed_to ? { provider: target.handed_to } : {};
    changes.set(target.id, { id: target.id, status, event, ...provider });
    // The next receipt for this message in the batch sees the new status.
    target.status = status;
  }
  const changed = changes.size > 0 ? await updateReported(db, [...changes.values()], { now, ofProvider: true }) : [];
  const outcomes = receipts.map((receipt) => (targets.has(messageOf(receipt)) ? 'known' : 'unknown'));
  return { outcomes, changed };
}

/** Only the provider that has the message may report on it. The sandbox accepts receipts of any provider. */
export function isFromProvider(
  { provider, proven }: Pick<Receipt, 'provider' | 'proven'>,
  { handed_to }: ReceiptTarget,
): boolean {
  return handed_to === 'sandbox' || (handed_to === provider && proven);
}

/** The format of provider references; anything else cannot match. */
const printable = /^[\x21-\x7e]{1,255}$/;

function othersThanOurIds(receipts: Receipt[]): string[] {
  return receipts
    .map(({ reference }) => reference)
    .filter((reference) => !isUuid(reference) && printable.test(reference));
}

/** Finds messages by our id, which most providers return, or by the reference of the provider. */
export async function findTargets(db: Db | Tx, references: string[]): Promise<Map<string, ReceiptTarget>> {
  const byReference = new Map<string, string>();
  for (const reference of references) if (isUuid(reference)) byReference.set(reference, reference.toLowerCase());
  const others = references.filter((reference) => !byReference.has(reference) && printable.test(reference));
  if (others.length > 0) {
    for (const { id, provider_reference } of await selectIdsByProviderReference(db, others)) {
      // A provider may use a short reference again: the newest message counts.
      byReference.set(provider_reference, id);
    }
  }
  const rows = await selectTargets(db, [...new Set(byReference.values())]);
  const byId = new Map(rows.map((target) => [target.id, target]));
  const found = new Map<string, ReceiptTarget>();
  for (const [reference, id] of byReference) {
    const target = byId.get(id);
    if (target) found.set(reference, target);
  }
  return found;
}

/** Networks of some countries confirm every message, so their receipts are ignored and the message stays `sent`. */
function isUnreliableReceipt({ international, normalised_recipient }: ReceiptTarget): boolean {
  if (!international || !normalised_recipient) return false;
  const parsed = parsePhoneNumber(`+${normalised_recipient}`);
  return parsed.ok && !parsed.number.receiptsHonoured;
}
