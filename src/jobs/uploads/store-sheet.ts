import type { RowBatch, Sheet } from '../../libraries/spreadsheet/sheet.ts';
import type { SendingService } from '../../notifications/sending/sending-service.ts';
import { timestamp } from '../../platform/clock.ts';
import { conflict, type Failure } from '../../platform/failure.ts';
import { canonicalId, newId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import { withoutHiddenCharacters } from '../../protocol/hidden-characters.ts';
import { simulatedRecipients } from '../../recipients/recipient.ts';
import type { ReadyTemplate } from '../../templates/compiled-templates.ts';
import type { BulkSettings } from '../settings.ts';
import { type CheckAgainst, SheetCheck } from './sheet-check.ts';
import type { SheetThreads } from './sheet-threads.ts';
import {
  beginCheck,
  deleteUpload,
  findRepeatedRecipients,
  finishCheck,
  finishReceiving,
  insertChunk,
  insertUpload,
  selectNextChunk,
  type UploadRow,
  updateChunk,
} from './uploads.sql.ts';

type StoreDeps = Platform & {
  config: { bulk: BulkSettings };
  sheetThreads: SheetThreads;
};

/** A file to store. */
export interface NewUpload extends CheckAgainst {
  /** Undefined for a new id. */
  id?: string | undefined;
  original_file_name: string;
  sender_id: string | null;
  api_key_id: string | null;
  /** Returns the digest of the bytes. Call it after they were read. */
  digest: () => string | null;
  /** Aborts when the client has disconnected. */
  signal?: AbortSignal;
}

/** An upload that is complete, with the result of its check. */
export type StoredUpload = UploadRow & { summary: NonNullable<UploadRow['summary']> };

/**
 * Reads a file to its end, checks its rows and stores them as chunks. Memory is constant: while one batch is checked and
 * stored, the next one is read. If anything fails, nothing is stored.
 */
export async function storeSheet(app: StoreDeps, upload: NewUpload, sheet: Sheet): Promise<StoredUpload> {
  const id = canonicalId(upload.id ?? newId(app.clock.now()));
  const batches = sheet.batches[Symbol.asyncIterator]();
  let isInserted = false;
  try {
    await insertUpload(app.db, rowOf(app, id, upload, sheet));
    isInserted = true;
    const check = new SheetCheck(app, upload, sheet.header, app.config.bulk.maxRows);
    await inOrder({ [Symbol.asyncIterator]: () => batches }, async ({ firstRow, rows }) => {
      upload.signal?.throwIfAborted();
      const chunk = await check.check(firstRow, rows);
      if (chunk) await insertChunk(app.db, { upload_id: id, ...chunk });
    });
    const summary = check.summary();
    const file = { encoding: sheet.encoding(), row_count: summary.row_count, digest: upload.digest(), summary };
    upload.signal?.throwIfAborted();
    const stored = await finishReceiving(app.db, id, file);
    if (!stored) throw new Error('The upload was deleted while it was received');
    return { ...stored, summary };
  } catch (error) {
    await batches.return?.();
    if (isInserted) await deleteReceived(app, id);
    throw error;
  }
}

/** Works on one batch while the next one is read. */
async function inOrder(batches: AsyncIterable<RowBatch>, work: (batch: RowBatch) => Promise<void>): Promise<void> {
  let running: Promise<unknown> = Promise.resolve();
  let failed: { error: unknown } | undefined;
  try {
    for await (const batch of batches) {
      await running;
      if (failed) break;
      running = work(batch).catch((error) => {
        failed = { error };
      });
    }
  } finally {
    await running;
  }
  if (failed) throw failed.error;
}

/** If the database cannot be reached now, a task deletes it later. */
async function deleteReceived(app: StoreDeps, id: string): Promise<void> {
  await deleteUpload(app.db, id, 'receiving').catch((error) =>
    app.log.warn({ event: 'upload.not_deleted', err: error, upload_id: id }, 'An unfinished upload is deleted later'),
  );
}

function rowOf(app: StoreDeps, id: string, upload: NewUpload, { header }: Sheet) {
  const { service, template, is_contact_list, original_file_name, sender_id, key_type, api_key_id } = upload;
  return {
    id,
    service_id: service.id,
    state: 'receiving' as const,
    original_file_name: withoutHiddenCharacters(original_file_name),
    header,
    is_contact_list,
    template_id: template?.row.id ?? null,
    template_version: template?.row.version ?? null,
    sender_id,
    key_type,
    api_key_id,
    language: upload.language ?? null,
    created_at: timestamp(app.clock.now()),
  };
}

/** Checks the stored rows of an upload against another template, chunk by chunk. */
export async function recheckRows(
  app: StoreDeps,
  service: SendingService,
  { id, header, key_type, row_count, is_contact_list, language }: UploadRow,
  { template, sender_id }: { template: ReadyTemplate | null; sender_id: string | null },
): Promise<StoredUpload> {
  const check_id = newId(app.clock.now());
  if (!(await beginCheck(app.db, id, check_id))) throw changedMeanwhile();
  const { maxRows } = app.config.bulk;
  const check = new SheetCheck(app, { service, key_type, template, is_contact_list, language }, header, maxRows);
  let stored = 0;
  for (
    let chunk = await selectNextChunk(app.db, id, -1);
    chunk;
    chunk = await selectNextChunk(app.db, id, chunk.first_row)
  ) {
    const { first_row, messages, problems, problem_count, abroad_count, part_count } = await check.checkStored(chunk);
    stored += chunk.row_count;
    const result = { upload_id: id, first_row, messages, problems, problem_count, abroad_count, part_count };
    if (!(await updateChunk(app.db, check_id, result))) throw changedMeanwhile();
  }
  // Rows beyond the limit were counted when the file was received, and not stored.
  const summary = {
    ...check.summary(),
    row_count,
    max_rows: stored < row_count ? stored : maxRows,
    ...(await findRepeatedRecipients(app.db, id, simulatedRecipients(app.country))),
  };
  const checked = await finishCheck(app.db, id, {
    check_id,
    summary,
    sender_id,
    template_id: template?.row.id ?? null,
    template_version: template?.row.version ?? null,
  });
  if (!checked) throw changedMeanwhile();
  return { ...checked, summary };
}

export function changedMeanwhile(): Failure {
  return conflict('This upload was changed by another request at the same time');
}
