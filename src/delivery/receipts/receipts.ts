import { setTimeout as sleep } from 'node:timers/promises';
import type { RatesAbroad } from '../../countries/phone-rules.ts';
import { type FailedAttemptRow, reportedFailureRow } from '../../notifications/attempts/attempts.ts';
import {
  type ChangedNotification,
  type Status,
  type StatusChange,
  transitions,
} from '../../notifications/notification.ts';
import { startSpans } from '../../notifications/queue/message-spans.ts';
import { timestamp } from '../../platform/clock.ts';
import { type Db, inTransaction, type Tx } from '../../platform/db/database.ts';
import { isDatabaseUnavailable, retryOnConflict } from '../../platform/db/errors.ts';
import { GroupCommit } from '../../platform/db/group-commit.ts';
import { unavailable } from '../../platform/failure.ts';
import { isUuid } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import { parsePhoneNumber, withRate } from '../../recipients/phone-number.ts';
import { isAboutSender, policyCodeIn } from '../../sending-domains/readiness/policy-refusals.ts';
import { recordSuppressions } from '../../services/suppression/suppression-list.ts';
import { DeliveryMetrics } from '../delivery-metrics.ts';
import type { Receipt, ReceiptOutcome } from '../providers/reports.ts';
import { updateReported } from '../record-results.sql.ts';
import {
  type ReceiptTarget,
  selectIdsByProviderReference,
  selectIncomplete,
  selectMessageParts,
  selectTargets,
  updateDeliveredParts,
} from './receipts.sql.ts';

type ReceiptsDeps = Pick<Platform, 'metrics' | 'country'> & { db: Db | Tx };

interface RecordedReceipts {
  /** Same order as the receipts. `skipped`: another transaction has changed or locked the message meanwhile, so record it again. */
  outcomes: (ReceiptOutcome | 'skipped')[];
  changed: ChangedNotification[];
}

/**
 * Records all receipts or none. Repeated, late and unknown receipts, and those of another provider, change nothing: a status changes only
 * by an allowed transition, and never before the message was handed to a provider. With `skipsLocked`, receipts of messages that another
 * transaction has locked are skipped.
 */
export async function recordReceipts(
  app: ReceiptsDeps,
  receipts: Receipt[],
  now: Date,
  { skipsLocked = false } = {},
): Promise<RecordedReceipts> {
  const { db } = app;
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
  const rates = (await app.country.phone.readRatesAbroad?.()) ?? new Map();
  // Several receipts for one message are merged into one change: the last valid one counts.
  const changes = new Map<string, StatusChange>();
  const failures = new Map<string, FailedAttemptRow>();
  for (const receipt of receipts) {
    const target = targets.get(messageOf(receipt));
    if (!target || target.notification_type !== receipt.notification_type || isUnreliableReceipt(app, target, rates))
      continue;
    if (!isFromProvider(receipt, target)) continue;
    const status = receipt.statusFor(target);
    if (status === 'delivered' && incomplete.has(messageOf(receipt))) continue;
    const event = receipt.correctsDelivery ? 'bounced' : 'receipt';
    const mayChange: readonly Status[] = transitions[event];
    if (status === target.status || !mayChange.includes(target.status)) continue;
    const provider = target.provider === null && target.handed_to ? { provider: target.handed_to } : {};
    const { reason = '' } = receipt;
    const blame = target.notification_type === 'email' && isAboutSender(reason) && { blames_sender: true as const };
    changes.set(target.id, { id: target.id, status, event, ...provider, ...blame });
    failures.delete(target.id);
    if (reason && status.endsWith('-failure')) {
      failures.set(target.id, reportedFailureRow(target.id, { provider: receipt.provider, reason }, now));
    }
    // The next receipt for this message in the batch must see the new status.
    target.status = status;
  }
  const changed = await recordChanges(
    app,
    { changes: [...changes.values()], failures: [...failures.values()], targets, skipsLocked },
    now,
  );
  if (skipsLocked) for (const { id } of changed) changes.delete(id);
  const outcomes = receipts.map((receipt) => {
    const target = targets.get(messageOf(receipt));
    if (!target) return 'unknown';
    return skipsLocked && changes.has(target.id) ? 'skipped' : 'known';
  });
  return { outcomes, changed };
}

interface Changes {
  changes: StatusChange[];
  failures: FailedAttemptRow[];
  targets: ReadonlyMap<string, ReceiptTarget>;
  skipsLocked: boolean;
}

/** Emails that bounced are suppressed in the same transaction. Most batches have none and need only one statement. */
async function recordChanges(
  app: ReceiptsDeps,
  { changes, failures, targets, skipsLocked }: Changes,
  now: Date,
): Promise<ChangedNotification[]> {
  if (changes.length === 0) return [];
  const refusals = failures.flatMap(({ notification_id: id, reason }) => {
    const refused_with = policyCodeIn(reason);
    return refused_with === undefined ? [] : [{ id, refused_with }];
  });
  const update = (db: Db | Tx) =>
    updateReported(app.country.calendar, db, changes, { now, ofProvider: true, failures, refusals, skipsLocked });
  const blaming = new Set(changes.filter(({ blames_sender }) => blames_sender).map(({ id }) => id));
  const bounced = [...targets.values()].filter(
    ({ id, notification_type, status }) =>
      notification_type === 'email' && status === 'permanent-failure' && !blaming.has(id),
  );
  if (bounced.length === 0) return update(app.db);
  const updateAndSuppress = async (tx: Tx) => {
    const changed = await update(tx);
    const failed = new Set(changed.filter(({ status }) => status === 'permanent-failure').map(({ id }) => id));
    const suppressions = bounced
      .filter(({ id }) => failed.has(id))
      .map(({ id, service_id, normalised_recipient }) => ({
        ...{ service_id, notification_id: id, email_address: normalised_recipient },
        reason: 'hard-bounce' as const,
      }));
    await recordSuppressions(app, tx, suppressions, now);
    return changed;
  };
  return app.db.isTransaction ? updateAndSuppress(app.db as Tx) : inTransaction(app.db, updateAndSuppress);
}

/** Only the provider that has the message may report on it. The sandbox accepts receipts of any provider. */
export function isFromProvider(
  { provider, proven }: Pick<Receipt, 'provider' | 'proven'>,
  { handed_to }: ReceiptTarget,
): boolean {
  return handed_to === 'sandbox' || (handed_to === provider && proven);
}

/** The format of provider references; nothing else can match. */
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
      // A provider may reuse a short reference: the newest message counts.
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

/** The networks of some countries confirm every message, so their receipts are ignored and the message stays `sent`. */
function isUnreliableReceipt(
  { country }: Pick<Platform, 'country'>,
  { international, normalised_recipient }: ReceiptTarget,
  rates: RatesAbroad,
): boolean {
  if (!international || !normalised_recipient) return false;
  const parsed = parsePhoneNumber(country.phone, `+${normalised_recipient}`);
  return parsed.ok && withRate(country.phone, parsed.number, rates)?.receiptsHonoured === false;
}

/** Maps the references of parts to those of their messages. Most references are of whole messages, and are not in the map. */
async function findMessagesOfParts(db: Db | Tx, references: string[]): Promise<Map<string, string>> {
  if (references.length === 0) return new Map();
  const parts = await selectMessageParts(db, references);
  return new Map(parts.map(({ reference, message_reference }) => [reference, message_reference]));
}

/** Records that these parts were delivered. Returns the references of messages that have another, undelivered part. */
async function recordDeliveredParts(
  db: Db | Tx,
  parts: { reference: string; message_reference: string }[],
  now: Date,
): Promise<Set<string>> {
  if (parts.length === 0) return new Set();
  const references = parts.map(({ reference }) => reference);
  const messages = parts.map(({ message_reference }) => message_reference);
  // Two statements: in one, two processes that record the last two parts at the same time would not see each other's change.
  await updateDeliveredParts(db, references, timestamp(now));
  return new Set(await selectIncomplete(db, messages));
}

/** Under load, interval between batches of receipts: a commit costs about the same for one and for a hundred. */
const recordEvery_ms = 15;

/** For a message that another transaction has locked: the delay before its receipt is tried again, which doubles, and their sum. */
const minLocked_ms = 20;
const maxLocked_ms = 1_000;

/** Concurrent receipts share a commit; each request gets its response only after the commit. */
export class ReceiptRecorder {
  private readonly commits: GroupCommit<Receipt, ReceiptOutcome | 'skipped'>;

  constructor(app: Platform) {
    const metrics = new DeliveryMetrics(app.metrics);
    this.commits = new GroupCommit({
      async commit(receipts) {
        const now = app.clock.now();
        const recording = () => recordReceipts(app, receipts, now, { skipsLocked: true });
        const { outcomes, changed } = await retryOnConflict(recording);
        metrics.observeReceipts(receipts, outcomes, changed, now);
        await traceReceipts(app, changed, now);
        return outcomes;
      },
      maxItems: 500,
      maxConcurrent: 2,
      every_ms: recordEvery_ms,
      affectsAll: isDatabaseUnavailable,
    });
  }

  /** A locked message delays only its own receipt. */
  async add(receipt: Receipt): Promise<ReceiptOutcome> {
    for (let wait_ms = minLocked_ms; ; wait_ms *= 2) {
      const outcome = await this.commits.add(receipt);
      if (outcome !== 'skipped') return outcome;
      if (wait_ms > maxLocked_ms / 2) throw unavailable('The message is being changed, try again shortly');
      await sleep(wait_ms);
    }
  }
}

/** Adds receipts to the traces of their messages, after they were recorded. */
export async function traceReceipts(app: Platform, changed: ChangedNotification[], began: Date): Promise<void> {
  const spans = await startSpans(
    app,
    changed.map(({ id, status, provider }) => ({
      notification_id: id,
      name: 'record receipt',
      kind: 'consumer',
      facts: { 'pennypost.status': status, ...(provider ? { 'pennypost.provider': provider } : {}) },
      began_ms: began.getTime(),
    })),
  );
  for (const span of spans.values()) span.end();
}
