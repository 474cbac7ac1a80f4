import { megabytes } from '../../libraries/spreadsheet/sheet.ts';
import { SpreadsheetError } from '../../libraries/spreadsheet/spreadsheet-error.ts';
import type { SendState } from '../../notifications/sending/send-context.ts';
import type { SendingService } from '../../notifications/sending/sending-service.ts';
import { earlier, hour_ms, timestamp } from '../../platform/clock.ts';
import { Failure, invalid, invalidField, notFound } from '../../platform/failure.ts';
import { type BodyMemory, UnreadBody } from '../../platform/http/body/body-memory.ts';
import type { StreamedBody } from '../../platform/http/body/streamed-body.ts';
import { canonicalId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Task } from '../../platform/queue/queue.ts';
import { type CompiledTemplates, findTemplate, type ReadyTemplate } from '../../templates/compiled-templates.ts';
import type { BulkSettings } from '../settings.ts';
import { maxBytesOf, openFile } from './open-file.ts';
import type { SheetThreads } from './sheet-threads.ts';
import { changedMeanwhile, recheckRows, type StoredUpload, storeSheet } from './store-sheet.ts';
import { keptUnsent_ms } from './upload-record.ts';
import type { UploadSlots } from './upload-slots.ts';
import { deleteUpload, deleteUploadsBefore, refuseUsedId, selectUpload, type UploadRow } from './uploads.sql.ts';

export type { UploadRow };

export type UploadDeps = Platform & {
  config: { bulk: BulkSettings };
  bodyMemory: BodyMemory;
  compiledTemplates: CompiledTemplates;
  sending: Pick<SendState, 'services'>;
  sheetThreads: SheetThreads;
  uploadSlots: UploadSlots;
};

interface UploadRequest {
  /** An unused id that the caller has chosen. */
  id?: string;
  filename: string;
  template_id?: string;
  sender_id?: string;
  /** The language of rows that do not name one. */
  language?: string;
  is_contact_list: boolean;
  /** Only stores the rows. A task checks them against the template later. */
  check_later?: true;
  /** Undefined for an empty file. */
  body: Pick<StreamedBody, 'read' | 'digest'> | undefined;
  signal: AbortSignal;
}

/** Checks everything that does not depend on the rows before it reads the file. */
export async function receiveUpload(
  app: UploadDeps,
  service: SendingService,
  request: UploadRequest,
): Promise<StoredUpload> {
  const { filename, body, signal, is_contact_list } = request;
  if (is_contact_list && request.template_id !== undefined) {
    throw invalidField('template_id', 'A contact list has no template');
  }
  await refuseUsedId(app.db, request.id);
  const template = request.template_id === undefined ? null : await getTemplate(app, service, request.template_id);
  const sender_id = chooseSender(service, template, request.sender_id);
  return refuseBadFile(async () => {
    const maxBytes = maxBytesOf(app, filename);
    return app.uploadSlots.run(service.id, async () => {
      const sheet = await openFile(app, {
        serviceId: service.id,
        fileName: filename,
        bytes: body ? named(body.read(maxBytes), maxBytes) : nothing(),
        channel: template?.row.template_type,
      });
      const upload = await storeSheet(
        app,
        {
          id: request.id,
          service,
          key_type: 'normal',
          api_key_id: null,
          template: request.check_later ? null : template,
          is_contact_list,
          language: request.language,
          original_file_name: filename,
          sender_id,
          digest: () => body?.digest() ?? null,
          signal,
        },
        sheet,
      );
      logCheck(app, upload);
      return upload;
    });
  });
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** Names the maximum size in the error. */
async function* named(bytes: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (error) {
    if (!(error instanceof UnreadBody) || error.kind !== 'too-large') throw error;
    throw new SpreadsheetError('too-large', { limit: megabytes(maxBytes) }, { cause: error });
  }
}

/** Converts an error about the file into the texts of the API. */
async function refuseBadFile<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SpreadsheetError)) throw error;
    throw new UnreadBody(error.kind === 'too-large' ? 'too-large' : 'invalid', 'BadRequestError', error.message, {
      cause: error,
    });
  }
}

function logCheck({ log }: UploadDeps, { id, service_id, summary }: StoredUpload): void {
  const { row_count: rows, rows_with_problems } = summary;
  log.info({ event: 'upload.checked', upload_id: id, service_id, rows, rows_with_problems }, 'A file was checked');
}

export async function getService(app: Pick<UploadDeps, 'sending'>, serviceId: string): Promise<SendingService> {
  const service = await app.sending.services.find(canonicalId(serviceId));
  if (!service) throw notFound();
  return service;
}

async function getTemplate(app: UploadDeps, service: SendingService, templateId: string): Promise<ReadyTemplate> {
  const result = await findTemplate(app, service.id, templateId);
  if (result.found !== 'here') throw notFound();
  if (result.template.row.archived) throw invalidField('template', 'Template has been deleted');
  return result.template;
}

/** Returns the sender if it belongs to the channel of the template. Letters have none. */
export function chooseSender(
  service: SendingService,
  template: ReadyTemplate | null,
  senderId?: string | null,
): string | null {
  if (senderId === undefined || senderId === null) return null;
  const id = canonicalId(senderId);
  const type = template?.row.template_type;
  const known =
    (type !== 'email' && service.sms_senders.has(id)) || (type !== 'sms' && service.email_reply_tos.has(id));
  if (type === 'letter' || !known) throw invalidField('sender_id', 'No result found');
  return id;
}

/** Finds an upload that was received completely. */
export async function findUpload(app: Platform, serviceId: string, id: string): Promise<UploadRow | undefined> {
  const upload = await selectUpload(app.db, serviceId, id);
  return upload?.state === 'receiving' ? undefined : upload;
}

export async function getUpload(app: Platform, serviceId: string, id: string): Promise<UploadRow> {
  const upload = await findUpload(app, serviceId, id);
  if (!upload) throw notFound();
  return upload;
}

/** Chooses another template or sender, and checks all rows again. */
export async function changeUpload(
  app: UploadDeps,
  service: SendingService,
  uploadId: string,
  request: { template_id?: string; sender_id?: string | null },
): Promise<StoredUpload> {
  const upload = await getUnsentUpload(app, service, uploadId);
  if (upload.is_contact_list) throw invalidField('template_id', 'A contact list has no template');
  const templateId = request.template_id ?? upload.template_id;
  const template = templateId === null ? null : await getTemplate(app, service, templateId);
  const sender_id = chooseSender(
    service,
    template,
    request.sender_id === undefined ? upload.sender_id : request.sender_id,
  );
  return refuseBadFile(() =>
    app.uploadSlots.run(service.id, async () => {
      const checked = await recheckRows(app, service, upload, { template, sender_id });
      logCheck(app, checked);
      return checked;
    }),
  );
}

/** Checks a copy of a contact list for the first time. Deletes a copy that cannot be checked. */
export async function checkCopy(
  app: UploadDeps,
  service: SendingService,
  upload: UploadRow,
  request: { template_id?: string; sender_id?: string | null },
): Promise<StoredUpload> {
  try {
    return await changeUpload(app, service, upload.id, request);
  } catch (error) {
    await deleteUpload(app.db, upload.id, 'checked');
    throw error;
  }
}

export async function removeUpload(app: Platform, service: SendingService, uploadId: string): Promise<void> {
  const upload = await getUnsentUpload(app, service, uploadId);
  if (!(await deleteUpload(app.db, upload.id, 'checked'))) throw changedMeanwhile();
}

async function getUnsentUpload(app: Platform, service: SendingService, id: string): Promise<UploadRow> {
  const upload = await getUpload(app, service.id, id);
  if (upload.state === 'sent') throw invalid('This upload has already been sent');
  if (upload.state === 'saved') throw invalid('This upload has been saved as a contact list');
  return upload;
}

interface UploadToCheck {
  service_id: string;
  upload_id: string;
  template_id: string;
  sender_id: string | null;
}

export const checkUpload: Task<UploadToCheck> = {
  name: 'check-upload',
  description: 'Checks the rows of a file that was uploaded in the console against its template.',
  maxAttempts: 5,
};

/** Skips an upload that another request has deleted, sent or checked meanwhile. */
export async function runUploadCheck(
  app: UploadDeps,
  { service_id, upload_id, ...request }: UploadToCheck,
): Promise<void> {
  try {
    await changeUpload(app, await getService(app, service_id), upload_id, request);
  } catch (error) {
    if (!(error instanceof Failure) || !['not-found', 'invalid', 'conflict'].includes(error.kind)) throw error;
    app.log.info({ event: 'upload.not_checked', upload_id, err: error }, 'An upload needs no check any more');
  }
}

/** An upload takes minutes, so after an hour its process must have ended. */
const receivedWithin_ms = hour_ms;
/** An upload has up to 200 chunks. */
const batch = 20;

/** Deletes files that were not received completely, and those that were never sent. */
export async function deleteOldUploads({ db, clock }: Platform): Promise<void> {
  const now = clock.now();
  const before = {
    receiving: timestamp(earlier(now, receivedWithin_ms)),
    checked: timestamp(earlier(now, keptUnsent_ms)),
  };
  while ((await deleteUploadsBefore(db, before, batch)) === batch);
}
