import { timestamp } from '../../platform/clock.ts';
import { canonicalId, newId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import type { RowBatch, Sheet } from '../../recipients/spreadsheet/sheet.ts';
import type { BulkSettings } from '../settings.ts';
import { type CheckAgainst, SheetCheck } from './sheet-check.ts';
import type { SheetThreads } from './sheet-threads.ts';
import { deleteUpload, finishReceiving, insertChunk, insertUpload, type UploadRow } from './uploads.sql.ts';

export type StoreDeps = Platform & {
  config: { bulk: BulkSettings };
  sheetThreads: SheetThreads;
};

/** A file to store. */
export interface NewUpload extends CheckAgainst {
  /** Undefined: a new one. */
  id?: string | undefined;
  original_file_name: string;
  sender_id: string | null;
  api_key_id: string | null;
  /** Of the bytes, once they were read. */
  digest: () => string | null;
  /** Stops when its client has gone. */
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
    const check = new SheetCheck(app.sheetThreads, upload, sheet.header, app.config.bulk.maxRows);
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
    original_file_name,
    header,
    is_contact_list,
    template_id: template?.row.id ?? null,
    template_version: template?.row.version ?? null,
    sender_id,
    key_type,
    api_key_id,
    created_at: timestamp(app.clock.now()),
  };
}
