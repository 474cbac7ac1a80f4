import { getJob } from '../../../jobs/jobs.ts';
import { countCheckedRows, findStoredRow, type StoredRow } from '../../../jobs/uploads/stored-rows.ts';
import { uploadRecord } from '../../../jobs/uploads/upload-record.ts';
import { findUpload, getService, type UploadRow } from '../../../jobs/uploads/uploads.ts';
import { remainingToday } from '../../../notifications/limits/remaining-today.ts';
import { notFound } from '../../../platform/failure.ts';
import type { Service } from '../../../services/services.ts';
import { findTemplate, type ReadyTemplate } from '../../../templates/compiled-templates.ts';
import { holds } from '../../access/may.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { Visitor } from '../../sessions/visitor.ts';
import type { Preview } from '../send/message-preview.tsx';
import { costOfFile } from './cost-of-file.ts';
import { previewOfRow } from './row-preview.ts';

type Job = Awaited<ReturnType<typeof getJob>>;
type UploadRecord = Awaited<ReturnType<typeof uploadRecord>>;

export interface CheckedFile {
  kind: 'checked';
  upload: UploadRow;
  record: UploadRecord;
  template: ReadyTemplate;
  goodRows: number;
  /** Recipients in more than one good row. */
  repeated: number;
  left: number;
  cost: number | undefined;
  /** The row that is previewed. */
  shown: (StoredRow & { preview: Preview | undefined }) | undefined;
}

export type LoadedFile =
  | { kind: 'checking'; upload: UploadRow; checkedRows: number }
  /** A saved or unsaved contact list has pages of its own. */
  | { kind: 'contact-list'; upload: UploadRow }
  | CheckedFile
  | { kind: 'sent'; job: Job };

/** A file in its present state. Only those who may send see one that was not sent. */
export async function loadFile(
  app: ConsoleApp,
  { user }: Visitor,
  service: Service,
  fileId: string,
  row = 0,
): Promise<LoadedFile> {
  const upload = await findUpload(app, service.id, fileId);
  if (!upload || upload.state === 'sent') return { kind: 'sent', job: await getJob(app, service.id, fileId) };
  if (!user.platform_admin && !holds('send', user.permissions[service.id] ?? [])) throw notFound();
  if (upload.is_contact_list) return { kind: 'contact-list', upload };
  const isChecked = upload.summary !== null && upload.summary.channel !== null && upload.template_id !== null;
  if (!isChecked) return { kind: 'checking', upload, checkedRows: await countCheckedRows(app.db, upload.id) };
  return loadChecked(app, service, upload, row);
}

async function loadChecked(app: ConsoleApp, service: Service, upload: UploadRow, row: number): Promise<CheckedFile> {
  const sending = await getService(app, service.id);
  const found = await findTemplate(app, service.id, upload.template_id ?? '');
  if (found.found !== 'here') throw notFound();
  const { template } = found;
  const record = await uploadRecord(app, sending, upload);
  const goodRows = upload.row_count - (upload.summary?.rows_with_problems ?? 0);
  const stored = await findStoredRow(app.db, upload, row || firstRow(record));
  const isSendable = stored?.message && record.missing_column_headers.length === 0;
  const preview =
    isSendable && stored.message ? await previewOfRow(app, template, upload, stored.row, stored.message) : undefined;
  const prefix = service.prefix_sms ? service.name : null;
  return {
    kind: 'checked',
    upload,
    record,
    template,
    goodRows,
    repeated: upload.summary?.repeated_recipients ?? 0,
    left: (await remainingToday(app, sending, template.row.template_type)).messages,
    cost: await costOfFile(app, template, upload, goodRows, prefix),
    shown: stored && { ...stored, preview },
  };
}

/** Row 2 is the first below the header; a row with a problem is in the list beside the preview. */
function firstRow({ rows_shown }: UploadRecord): number {
  const bad = new Set(rows_shown.filter(({ problems }) => problems.length > 0).map(({ row }) => row));
  for (let row = 2; row < 60; row++) if (!bad.has(row)) return row;
  return 2;
}
