import { createHash } from 'node:crypto';
import type { ApiCaller } from '../../auth/api-caller.ts';
import type { Sheet } from '../../libraries/spreadsheet/sheet.ts';
import { SpreadsheetError } from '../../libraries/spreadsheet/spreadsheet-error.ts';
import { annualLimitExceeded } from '../../notifications/limits/annual-limits.ts';
import type { Admission } from '../../notifications/sending/admission.ts';
import { claimIdempotencyKey, findStoredResponse, replay, type Sent } from '../../notifications/sending/idempotency.ts';
import type { SendContext } from '../../notifications/sending/send-context.ts';
import type { Tx } from '../../platform/db/database.ts';
import { type Failure, invalid } from '../../platform/failure.ts';
import type { Channel } from '../../protocol/channels.ts';
import { planColumns } from '../../recipients/spreadsheet/columns.ts';
import type { FileSummary } from '../../recipients/spreadsheet/file-problems.ts';
import type { ReadyTemplate } from '../../templates/compiled-templates.ts';
import { acceptJob, type JobDeps } from '../accept-job.ts';
import type { JobRow } from '../jobs.sql.ts';
import { languageColumnsOf, placeholdersOf, timeZoneColumnsOf } from '../uploads/file-texts.ts';
import type { SheetThreads } from '../uploads/sheet-threads.ts';
import { type StoredUpload, storeSheet } from '../uploads/store-sheet.ts';
import type { UploadSlots } from '../uploads/upload-slots.ts';
import { deleteUpload } from '../uploads/uploads.sql.ts';
import { type BulkJob, getBulkJob } from './bulk-records.ts';
import { type BulkBody, type BulkSend, openBody } from './bulk-requests.ts';
import {
  getBulkTemplate,
  limitExceeded,
  noRows,
  refusalOfColumns,
  refusalOfProblems,
  refusalOfRows,
  tooManyRows,
} from './bulk-rules.ts';

/** Dependencies of bulk sends. */
export type BulkDeps = JobDeps & { sheetThreads: SheetThreads; uploadSlots: UploadSlots };

/** Sends only once per Idempotency-Key. The digest of a stream is known after it was read. */
export async function sendBulkOnce(
  app: BulkDeps,
  { context, idempotencyKey: key, stored }: Admission,
  caller: ApiCaller,
  { send, body, digest, finish }: BulkRequest,
): Promise<Sent<Response>> {
  if (key === undefined) {
    const { id } = await sendBulk(app, context, send, body, undefined);
    return { response: { data: await getBulkJob(app, app.db, caller, id) }, replayed: false };
  }
  if (stored) {
    await finish();
    return replay(stored, digest());
  }
  const service_id = context.service.id;
  return app.sending.running.alone(service_id, key, async () => {
    let digestOfThis: string | undefined;
    let response: Response | undefined;
    const claim = claimKey(
      { service_id, key, now: context.now },
      () => (digestOfThis = digest()),
      async (tx, job) => (response = { data: await getBulkJob(app, tx, caller, job.id) }),
    );
    try {
      await sendBulk(app, context, send, body, claim);
    } catch (error) {
      if (!(error instanceof KeyTaken)) throw error;
      const first = await findStoredResponse(app, service_id, key);
      if (!first || digestOfThis === undefined) throw error;
      return replay<Response>(first, digestOfThis);
    }
    if (!response) throw new Error('A send without a response');
    return { response, replayed: false };
  });
}

interface BulkRequest {
  send: BulkSend;
  body: BulkBody;
  digest(): string;
  finish(): Promise<void>;
}

interface Response {
  data: BulkJob;
}

/** Accepts all rows of a request as a job, or throws and stores nothing. */
async function sendBulk(
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
      when_limit_exceeded: ({ channel, remaining, annual }, { messages, parts, international }) =>
        annual
          ? annualLimitExceeded(context.service, annual)
          : limitExceeded(
              channel,
              remaining,
              channel === 'international_sms' ? { messages: international, parts: null } : { messages, parts },
            ),
      alsoStore: claim && ((tx, job) => claim.store(tx, job)),
    });
  } catch (error) {
    await deleteUpload(app.db, upload.id, 'checked');
    throw error;
  }
}

/** Returns what `sendBulk` would report about the rows, and stores nothing. */
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
  return (
    (await refusalOfRows(app, context, send, upload.summary)) ??
    (await refusalOfProblems(app.db, context, send, upload))
  );
}

async function storeBody(
  app: BulkDeps,
  { service, key_type, api_key_id }: SendContext,
  { name, reply_to_id }: BulkSend,
  template: ReadyTemplate,
  body: BulkBody,
): Promise<StoredUpload> {
  const channel = template.row.template_type;
  const { every, some } = placeholdersOf(template.row);
  const placeholders = [
    ...every,
    ...some,
    ...languageColumnsOf(template.row),
    ...timeZoneColumnsOf(service, template.row),
  ];
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
      // Refuses before it reads a hundred megabytes for nothing.
      refuseHeader(sheet, channel, every, some);
      return storeSheet(app, upload, sheet);
    });
  } catch (error) {
    if (!(error instanceof SpreadsheetError)) throw error;
    throw error.kind === 'too-many-rows' ? tooManyRows(app.config.bulk.maxRows) : invalid(error.message);
  }
}

function refuseHeader({ header }: Sheet, channel: Channel, every: string[], some: string[]): void {
  if (header.width === 0) throw noRows();
  const refusal = refusalOfColumns(planColumns(header, channel, every, some), channel);
  if (refusal) throw refusal;
}

/** Another request with the same Idempotency-Key was accepted first. */
class KeyTaken extends Error {}

/** Stores the response to a request with an Idempotency-Key, in the transaction that accepts the job. */
interface BulkClaim {
  store(tx: Tx, job: JobRow): Promise<void>;
}

function claimKey(
  owner: { service_id: string; key: string; now: Date },
  /** The digest of the request, which is known when its body was read. */
  digest: () => string,
  responseOf: (tx: Tx, job: JobRow) => Promise<unknown>,
): BulkClaim {
  const { service_id, key, now } = owner;
  return {
    async store(tx, job) {
      const claim = { key, request_digest: digest(), response: await responseOf(tx, job) };
      if (!(await claimIdempotencyKey(tx, service_id, claim, now))) throw new KeyTaken();
    },
  };
}

/** Does not depend on the order of the parameters. */
export function digestOfStream(type: string, parameters: object, digestOfBytes: string): string {
  const sorted = Object.entries(parameters).sort(([left], [right]) => (left < right ? -1 : 1));
  return createHash('sha256')
    .update(`bulk ${type} ${JSON.stringify(sorted)} ${digestOfBytes}`)
    .digest('base64url');
}
