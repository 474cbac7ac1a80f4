import { setImmediate as immediate } from 'node:timers/promises';
import { prepareDocuments } from '../documents/prepare-documents.ts';
import type { NewNotification } from '../notifications/notification.ts';
import { type NotificationRow, rowOf } from '../notifications/notification-row.ts';
import { encryptValues } from '../notifications/sending/secret-values.ts';
import type { SendingService } from '../notifications/sending/sending-service.ts';
import type { RowFiles } from '../notifications/sending/store-rows.ts';
import { type HeldRow, holdRow } from '../notifications/windows/held-messages.ts';
import { earlier, type Timestamp, timestamp } from '../platform/clock.ts';
import type { RowWriter } from '../platform/db/row-writer.ts';
import type { TemplateRow } from '../templates/template-row.ts';
import { unsubscribeUrl } from '../unsubscribe/unsubscribe.ts';
import type { JobDeps } from './accept-job.ts';
import { jobRowIds } from './job-row-id.ts';
import type { JobRow } from './jobs.sql.ts';
import type { ReadyRow } from './uploads/ready-row.ts';
import { openingOf } from './waiting-files.ts';

interface JobChunk {
  job: JobRow;
  service: SendingService;
  template: TemplateRow;
  /** Null for a row with a problem, which is left out. */
  rows: Iterable<ReadyRow | null>;
  firstRow: number;
  expandedAt: Date;
  /** Normalised addresses that are not sent to. Their rows are stored as `created` and not queued. */
  suppressed: ReadonlyMap<string, unknown>;
  writer: RowWriter;
}

/** After so many rows, waiting requests are handled. 500 rows would keep them waiting for ten milliseconds. */
const rowsAtATime = 50;

interface ChunkNotifications {
  rows: NotificationRow[];
  /** The links to files of emails. */
  files: RowFiles[];
  /** Those that wait for a sending time. */
  held: HeldRow[];
  /** Letters to compose. */
  letters: NewNotification[];
  /** Emails to suppressed addresses. */
  suppressed: { id: string; address: string }[];
}

/** Creates and serializes the notifications of a chunk's rows. */
export async function notificationsOf(app: JobDeps, chunk: JobChunk): Promise<ChunkNotifications> {
  const { job, template, expandedAt, writer } = chunk;
  const idOf = jobRowIds(job.id, expandedAt);
  const created_at = timestamp(expandedAt);
  const lastMillisecond = timestamp(earlier(expandedAt, 1));
  const result: ChunkNotifications = { rows: [], files: [], held: [], letters: [], suppressed: [] };
  let offset = -1;
  for (const row of chunk.rows) {
    offset += 1;
    if (!row) continue;
    if (offset % rowsAtATime === rowsAtATime - 1) await immediate();
    const number = chunk.firstRow + offset;
    const id = idOf(number);
    const notification: NewNotification = {
      id,
      service_id: job.service_id,
      template_id: job.template_id,
      template_version: job.template_version,
      notification_type: job.notification_type,
      key_type: job.key_type,
      api_key_id: job.api_key_id,
      created_by_id: job.created_by_id,
      status: 'created',
      client_reference: row.client_reference ?? job.client_reference,
      recipient: row.recipient,
      normalised_recipient: row.normalised_recipient,
      personalisation: row.personalisation,
      reply_to_text: job.reply_to_text,
      postage: row.postage,
      international: row.international,
      rate_multiplier: row.rate_multiplier,
      one_click_unsubscribe_url: unsubscribeUrlOf(app, template, id, row),
      scheduled_for: null,
      created_at,
      lane: job.lane,
      due_at: inOrder(lastMillisecond, offset),
      language: row.language ?? null,
      job_id: job.id,
      job_row_number: number,
    };
    const address = row.normalised_recipient ?? '';
    const isSuppressed = chunk.suppressed.has(address);
    const allowed = isAllowed(chunk, notification) ? notification : failed(notification);
    const placed = isSuppressed ? { notification: { ...allowed, lane: null } } : placeInTime(app, chunk, allowed, row);
    const accepted = placed.notification;
    const serialized = rowOf(accepted, writer);
    result.rows.push(serialized ?? withoutUnstorableText(accepted, writer));
    if (!serialized || accepted.status !== 'created') continue;
    if (placed.held) result.held.push(placed.held);
    if (isSuppressed) {
      result.suppressed.push({ id, address });
      continue;
    }
    if (template.email_files.length > 0) result.files.push(await filesOf(app, template, accepted));
    if (accepted.notification_type === 'letter') result.letters.push(accepted);
  }
  return result;
}

/** Microseconds apart, in the last millisecond, so that rows are due at once and delivered in the order of the file. */
function inOrder(lastMillisecond: Timestamp, offset: number): Timestamp {
  return `${lastMillisecond.slice(0, -4)}${String(offset).padStart(3, '0')}Z`;
}

function unsubscribeUrlOf(app: JobDeps, template: TemplateRow, id: string, row: ReadyRow): string | null {
  if (!template.has_unsubscribe_link || template.template_type !== 'email') return null;
  return unsubscribeUrl(app, {
    ...{ id, address: row.normalised_recipient ?? row.recipient, template },
    language: row.language ?? template.languages?.default ?? null,
  });
}

/** Checked again for each row, because members, guests and trial mode may have changed since the file was checked. */
function isAllowed({ service }: JobChunk, { key_type, normalised_recipient }: NewNotification): boolean {
  if (key_type === 'test' || normalised_recipient === null) return true;
  return (key_type !== 'team' && !service.restricted) || service.allowed_recipients.has(normalised_recipient);
}

/** Fails a row whose sending time never begins, because the zones of its country are never open at the same time. */
function placeInTime(
  app: JobDeps,
  { job, service, template }: JobChunk,
  notification: NewNotification,
  { time_zone }: Pick<ReadyRow, 'time_zone'>,
): { notification: NewNotification; held?: HeldRow } {
  const times = job.ignores_sending_times || notification.lane === null ? null : service.sending_times;
  if (times === null) return { notification };
  const opening = openingOf(job);
  const placed = holdRow(app, times, notification, {
    ...{ process_type: template.process_type, time_zone },
    opening: opening === undefined ? undefined : new Date(opening),
  });
  return placed ?? { notification: failed(notification) };
}

/** Stored and counted, but not sent. */
function failed(notification: NewNotification): NewNotification {
  return { ...notification, status: 'validation-failed', lane: null };
}

function withoutUnstorableText(notification: NewNotification, writer: RowWriter): NotificationRow {
  const clean = (text: string) => Buffer.from(text).toString().replaceAll('\0', '');
  const { recipient, normalised_recipient } = notification;
  const cleaned: NewNotification = {
    ...failed(notification),
    recipient: clean(recipient),
    normalised_recipient: normalised_recipient && clean(normalised_recipient),
    personalisation: {},
    client_reference: null,
  };
  const row = rowOf(cleaned, writer);
  if (!row) throw new Error('A row of a job cannot be stored');
  return row;
}

async function filesOf(app: JobDeps, template: TemplateRow, notification: NewNotification): Promise<RowFiles> {
  const { id, service_id, recipient, normalised_recipient, created_at } = notification;
  const language = notification.language ?? template.languages?.default ?? null;
  const email = { service_id, recipient: normalised_recipient ?? recipient, language, now: new Date(created_at) };
  const { values, count, record } = await prepareDocuments(app, email, {
    uploads: [],
    ofTemplate: template.email_files,
  });
  if (!record) throw new Error('Files of a template without rows');
  return { id, secret_values: encryptValues(app, id, values), count, record };
}
