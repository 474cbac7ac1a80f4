import { recordAuditEntry } from '../../auth/audit-entry.ts';
import type { PhoneRules } from '../../countries/phone-rules.ts';
import { timestamp } from '../../platform/clock.ts';
import { type Db, inTransaction } from '../../platform/db/database.ts';
import { refuseUnlessExists } from '../../platform/db/exists.ts';
import { notFound } from '../../platform/failure.ts';
import { newId, nilId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import { normaliseRecipient } from '../../recipients/recipient.ts';
import { findService } from '../../services/services.ts';
import type { CallbackType } from '../../services/settings/callback-api.ts';
import { defaultRetentionDays, firstKeptId } from '../../services/settings/data-retention.ts';
import {
  type CallbackRow,
  countFailedCallbacksUpTo,
  countRetried,
  deleteCallbacks,
  deleteCallbacksAfter,
  deleteCallbacksOf,
  replayCallbacks,
  selectCallbackRecipients,
  selectCallbackRules,
  selectCallbacks,
  selectCallbacksAbout,
  selectWaitingCallbacks,
} from './callback-history.sql.ts';
import { insertCallbacks, selectTargets } from './service-callbacks.sql.ts';

const pageSize = 50;

export async function listCallbacks(
  app: Platform,
  serviceId: string,
  page: { status?: 'waiting' | 'delivered' | 'failed'; older_than?: string },
) {
  await refuseUnlessExists(app.db, 'services', serviceId);
  return (await selectCallbacks(app.db, serviceId, { size: pageSize, ...page })).map(callbackRecord);
}

/** Lists the callbacks about one message or received text, oldest first. */
export async function listCallbacksAbout(db: Db, serviceId: string, subjectId: string) {
  return (await selectCallbacksAbout(db, serviceId, subjectId, pageSize)).map(callbackRecord);
}

const maxCounted = 1_000;

/** Counts callbacks that the service's system has not accepted, up to 1,000. */
export function countRefusedCallbacks(db: Db, serviceId: string): Promise<number> {
  return countRetried(db, serviceId, maxCounted);
}

/** Counts the waiting callbacks of all services and finds when the oldest became due. */
export function summariseWaitingCallbacks({ db, clock }: Platform) {
  return selectWaitingCallbacks(db, timestamp(clock.now()));
}

interface AttemptOfCallback {
  at: string;
  status_code: number | null;
  error: string | null;
  duration_ms: number;
}

export type CallbackRecord = ReturnType<typeof callbackRecord>;

function callbackRecord({ due_at, attempt_log, ...row }: CallbackRow) {
  return {
    ...row,
    attempt_log: attempt_log as unknown as AttemptOfCallback[],
    next_attempt_at: row.status === 'waiting' ? due_at : null,
  };
}

/** For a page: "1,000 or more" is as good as the exact number. */
export const maxCountedCallbacks = 1_000;

export function countFailedCallbacks(app: Platform, serviceId: string): Promise<number> {
  return countFailedCallbacksUpTo(app.db, serviceId, maxCountedCallbacks);
}

export async function replayCallback(app: Platform, serviceId: string, callbackId: string): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    const which = { service_id: serviceId, id: callbackId };
    const [before] = await replayCallbacks(tx, which, timestamp(app.clock.now()));
    if (!before) throw notFound();
    const entry = { action: 'update', noun: 'callback', thing_id: callbackId, service_id: serviceId } as const;
    await recordAuditEntry(tx, { ...entry, before, after: { status: 'waiting' } });
  });
}

export async function replayFailedCallbacks(
  app: Platform,
  serviceId: string,
  which: { callback_type?: CallbackType; created_since?: string },
): Promise<number> {
  await refuseUnlessExists(app.db, 'services', serviceId);
  return inTransaction(app.db, async (tx) => {
    const { length } = await replayCallbacks(tx, { service_id: serviceId, ...which }, timestamp(app.clock.now()));
    if (length === 0) return 0;
    const entry = { action: 'update', noun: 'callback', thing_id: serviceId, service_id: serviceId } as const;
    await recordAuditEntry(tx, {
      ...entry,
      before: { status: 'failed', rows: length },
      after: { status: 'waiting', rows: length },
    });
    return length;
  });
}

const batchSize = 5_000;

/**
 * Deletes completed callbacks, because they contain recipients. They are kept for inspection and replay as long as the messages they are
 * about: for the service's retention period for the channel, or for a week.
 */
export async function deleteOldCallbacks(app: Platform): Promise<void> {
  const now = app.clock.now();
  const rules = (await selectCallbackRules(app.db)).map(({ days_of_retention, ...rule }) => ({
    ...rule,
    before_id: firstKeptId(app.country.calendar, now, days_of_retention),
  }));
  const usual = firstKeptId(app.country.calendar, now, defaultRetentionDays);
  for (const rule of rules.filter(({ before_id }) => before_id > usual)) {
    while ((await deleteCallbacksOf(app.db, rule, batchSize)) === batchSize);
  }
  const kept = rules.filter(({ before_id }) => before_id < usual);
  for (let after: string | undefined = nilId; after !== undefined; ) {
    after = await deleteCallbacksAfter(app.db, after, usual, kept, batchSize);
  }
}

interface AboutRecipient {
  /** Undefined if only the message ids identify the callbacks, as for a postal address. */
  recipient: string | undefined;
  serviceId: string | undefined;
  /** The ids of the recipient's messages and texts. */
  subjects: ReadonlySet<string>;
}

/** Yields the callbacks about these messages or this recipient in batches. */
export async function* findCallbacksAbout(
  db: Db,
  phone: PhoneRules,
  { recipient, serviceId, subjects }: AboutRecipient,
) {
  for (let after = nilId; ; ) {
    const part = await selectCallbackRecipients(db, serviceId, after, batchSize);
    yield part.filter(
      ({ subject_id, person }) =>
        subjects.has(subject_id) ||
        (person !== null && recipient !== undefined && normaliseRecipient(phone, person) === recipient),
    );
    const last = part.at(-1);
    if (!last) return;
    after = last.id;
  }
}

/** Deletes callbacks about these messages or this recipient, except pending ones. */
export async function eraseCallbacks(db: Db, phone: PhoneRules, about: AboutRecipient) {
  const counts = { erased: 0, left: 0 };
  for await (const theirs of findCallbacksAbout(db, phone, about)) {
    const done = theirs.filter(({ is_waiting }) => !is_waiting).map(({ id }) => id);
    if (done.length > 0) await deleteCallbacks(db, done);
    counts.erased += done.length;
    counts.left += theirs.length - done.length;
  }
  return counts;
}

/** Sends an example to the service's URL like any other callback. The example is about no message, so its own id is its subject. */
export async function sendTestCallback(
  { db, clock }: Platform,
  serviceId: string,
  callback_type: CallbackType,
): Promise<string> {
  const now = clock.now();
  const id = newId(now);
  const at = timestamp(now);
  const isGc = (await findService(db, serviceId))?.api_dialect === 'gc';
  await inTransaction(db, async (tx) => {
    const [target] = await selectTargets(tx, callback_type, [serviceId]);
    if (!target) throw notFound();
    const body = JSON.stringify(isGc ? healthCheckOfGc : examples[callback_type](id, at));
    await insertCallbacks(tx, [{ ...target, id, callback_type, subject_id: id, body, due_at: at, created_at: at }]);
    const entry = { action: 'create', noun: 'callback', thing_id: id, service_id: serviceId } as const;
    await recordAuditEntry(tx, { ...entry, after: { callback_type, status: 'waiting' } });
  });
  return id;
}

/** GC Notify sends this body to check whether a receiver responds. */
const healthCheckOfGc = { health_check: 'true' };

const reference = 'test call';
/** A number reserved for fiction, so it belongs to nobody. */
const phoneNumber = '07700900000';

/** Example bodies with values that no real message has. */
const examples: Record<CallbackType, (id: string, at: string) => object> = {
  delivery_status: (id, at) => ({
    ...{ id, reference, to: phoneNumber, status: 'delivered', created_at: at, completed_at: at, sent_at: at },
    ...{ notification_type: 'sms', template_id: id, template_version: 1 },
  }),
  message_status: (id, at) => ({
    ...{ message_id: id, id, reference, to: phoneNumber, status: 'delivered', step: 1, channel: 'sms' },
    ...{
      created_at: at,
      completed_at: at,
      sent_at: at,
      notification_type: 'sms',
      template_id: id,
      template_version: 1,
    },
  }),
  complaint: (id, at) => ({
    ...{ notification_id: id, complaint_id: id, reference, to: 'test@example.org', complaint_date: at },
  }),
  inbound_sms: (id, at) => ({
    ...{ id, source_number: phoneNumber, destination_number: phoneNumber, message: 'Test call', date_received: at },
  }),
  returned_letter: (id, at) => ({
    ...{ notification_id: id, reference, date_sent: at, sent_by: 'API', template_name: 'Test call' },
    ...{ template_id: id, template_version: 1, spreadsheet_file_name: null, spreadsheet_row_number: null },
    ...{ upload_letter_file_name: null },
  }),
};
