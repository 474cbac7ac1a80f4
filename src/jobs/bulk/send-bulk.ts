import type { SendContext } from '../../notifications/sending/send-context.ts';
import { type Failure, invalid } from '../../platform/failure.ts';
import type { Channel } from '../../protocol/channels.ts';
import { comparableKey } from '../../protocol/comparable-key.ts';
import { planColumns } from '../../recipients/spreadsheet/columns.ts';
import type { FileSummary } from '../../recipients/spreadsheet/file-problems.ts';
import type { Sheet } from '../../recipients/spreadsheet/sheet.ts';
import { SpreadsheetError } from '../../recipients/spreadsheet/spreadsheet-error.ts';
import type { ReadyTemplate } from '../../templates/compiled-templates.ts';
import { acceptJob } from '../accept-job.ts';
import type { JobRow } from '../jobs.sql.ts';
import { type StoredUpload, storeSheet } from '../uploads/store-sheet.ts';
import { deleteUpload } from '../uploads/uploads.sql.ts';
import type { BulkDeps } from './bulk-deps.ts';
import { limitExceeded, noRows, refusalOfColumns, tooManyRows } from './bulk-problems.ts';
import { getBulkTemplate, refusalOfProblems, refusalOfRows } from './bulk-rules.ts';
import type { BulkClaim } from './claim.ts';
import { type BulkBody, openBody } from './open-body.ts';
import type { BulkSend } from './read-bulk-request.ts';

/** Accepts all rows of a request as a job, or throws and stores nothing. */
export async function sendBulk(
  app: BulkDeps,
  context: SendContext,
  send: BulkSend,
  body: BulkBody,
  claim: BulkClaim | undefined,
): Promise<JobRow> {
  const template = await getBulkTemplate(app, context, send);
  const upload = await storeBody(app, context, send, template, body);
  try {
    const refusal = await refusalOf(app, context, send, upload);
    if (refusal) throw refusal;
    return await acceptJob(app, {
      service: context.service,
      upload_id: upload.id,
      created_by_id: null,
      scheduled_for: send.scheduled_for,
      client_reference: send.reference,
      on_error: send.on_error,
      when_limit_exceeded: ({ channel, remaining }, messages) => limitExceeded(channel, remaining, messages),
      alsoStore: claim && ((tx, job) => claim.store(tx, job)),
    });
  } catch (error) {
    await deleteUpload(app.db, upload.id, 'checked');
    throw error;
  }
}

/** What `sendBulk` would say of the rows. Nothing stays stored. */
export async function checkBulk(
  app: BulkDeps,
  context: SendContext,
  send: BulkSend,
  body: BulkBody,
): Promise<{ summary: FileSummary; refusal: Failure | undefined }> {
  const template = await getBulkTemplate(app, context, send);
  const upload = await storeBody(app, context, send, template, body);
  try {
    return { summary: upload.summary, refusal: await refusalOf(app, context, send, upload) };
  } finally {
    await deleteUpload(app.db, upload.id, 'checked');
  }
}

async function refusalOf(app: BulkDeps, context: SendContext, send: BulkSend, upload: StoredUpload) {
  return (await refusalOfRows(app, context, send, upload.summary)) ?? (await refusalOfProblems(app.db, send, upload));
}

async function storeBody(
  app: BulkDeps,
  { service, key_type, api_key_id }: SendContext,
  { name, reply_to_id }: BulkSend,
  template: ReadyTemplate,
  body: BulkBody,
): Promise<StoredUpload> {
  const channel = template.row.template_type;
  const files = new Set(template.row.email_files.map(({ filename }) => comparableKey(filename)));
  const placeholders = template.compiled.placeholders.filter((placeholder) => !files.has(comparableKey(placeholder)));
  const upload = {
    service,
    key_type,
    api_key_id,
    template,
    is_contact_list: false,
    original_file_name: name,
    sender_id: reply_to_id ?? null,
    digest: () => null,
  };
  try {
    return await app.uploadSlots.run(service.id, async () => {
      const sheet = await openBody(body, { channel, placeholders }, app.config.bulk.maxBytes);
      // Known before a hundred megabytes were read for nothing.
      refuseHeader(sheet, channel, placeholders);
      return storeSheet(app, upload, sheet);
    });
  } catch (error) {
    if (!(error instanceof SpreadsheetError)) throw error;
    throw error.kind === 'too-many-rows' ? tooManyRows(app.config.bulk.maxRows) : invalid(error.message);
  }
}

function refuseHeader({ header }: Sheet, channel: Channel, placeholders: string[]): void {
  if (header.width === 0) throw noRows();
  const refusal = refusalOfColumns(planColumns(header, channel, placeholders), channel);
  if (refusal) throw refusal;
}
