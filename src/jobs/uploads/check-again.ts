import type { SendingService } from '../../notifications/sending/sending-service.ts';
import { conflict, type Failure } from '../../platform/failure.ts';
import { newId } from '../../platform/id.ts';
import type { ReadyTemplate } from '../../templates/compiled-templates.ts';
import { SheetCheck } from './sheet-check.ts';
import type { StoreDeps, StoredUpload } from './store-sheet.ts';
import {
  beginCheck,
  countRepeatedRecipients,
  finishCheck,
  selectNextChunk,
  type UploadRow,
  updateChunk,
} from './uploads.sql.ts';

/** Checks the stored rows of an upload against another template, chunk by chunk. */
export async function checkAgain(
  app: StoreDeps,
  service: SendingService,
  { id, header, key_type, row_count, is_contact_list }: UploadRow,
  { template, sender_id }: { template: ReadyTemplate | null; sender_id: string | null },
): Promise<StoredUpload> {
  const check_id = newId(app.clock.now());
  if (!(await beginCheck(app.db, id, check_id))) throw changedMeanwhile();
  const { maxRows } = app.config.bulk;
  const check = new SheetCheck(app.sheetThreads, { service, key_type, template, is_contact_list }, header, maxRows);
  let stored = 0;
  for (
    let chunk = await selectNextChunk(app.db, id, -1);
    chunk;
    chunk = await selectNextChunk(app.db, id, chunk.first_row)
  ) {
    const { first_row, messages, problems, problem_count, abroad_count } = await check.checkStored(chunk);
    stored += chunk.row_count;
    const result = { upload_id: id, first_row, messages, problems, problem_count, abroad_count };
    if (!(await updateChunk(app.db, check_id, result))) throw changedMeanwhile();
  }
  // Rows beyond the limit were counted when the file was received, and not stored.
  const summary = {
    ...check.summary(),
    row_count,
    max_rows: stored < row_count ? stored : maxRows,
    repeated_recipients: await countRepeatedRecipients(app.db, id),
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
