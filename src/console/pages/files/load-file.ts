import { costOfLetter, costOfTexts, findKnownPrices } from '../../../billing/rates.ts';
import { homePostage } from '../../../countries/postage.ts';
import { previewEmail, previewText } from '../../../delivery/previews/previews.ts';
import { waitsForGuard } from '../../../jobs/expand-job.ts';
import { getJob } from '../../../jobs/jobs.ts';
import {
  countCheckedRows,
  findStoredRow,
  findStoredRows,
  type StoredRow,
  sampleMessages,
} from '../../../jobs/uploads/stored-rows.ts';
import { uploadRecord } from '../../../jobs/uploads/upload-record.ts';
import { findUpload, getService, getUpload } from '../../../jobs/uploads/uploads.ts';
import { type Text, t } from '../../../language/text.ts';
import { previewLetterTemplate } from '../../../letters/preview/letter-preview.ts';
import { listFirstMessages } from '../../../notifications/history/search-messages.ts';
import { remainingToday } from '../../../notifications/limits/daily-limits.ts';
import type { SendingService } from '../../../notifications/sending/sending-service.ts';
import { notFound } from '../../../platform/failure.ts';
import { planColumns } from '../../../recipients/spreadsheet/columns.ts';
import { sheetsOf } from '../../../rendering/pdf/letter-geometry.ts';
import { getReplyTo, getSmsSender } from '../../../services/senders/senders.ts';
import type { Service } from '../../../services/services.ts';
import { findTemplate, type ReadyTemplate } from '../../../templates/compiled-templates.ts';
import { hasRight } from '../../access/may.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { pageUrl } from '../../links.ts';
import { countedToday, leftToday } from '../../message-labels.ts';
import type { Preview } from '../send/message-preview.tsx';
import { listFields } from '../send/send-form.ts';
import { type Reader, refuseUnlessSeen } from '../templates/library.ts';
import { listProblems, type ProblemOfRow } from './problem-table.tsx';

type Upload = NonNullable<Awaited<ReturnType<typeof findUpload>>>;

type Job = Awaited<ReturnType<typeof getJob>>;
type UploadRecord = Awaited<ReturnType<typeof uploadRecord>>;

export interface CheckedFile {
  kind: 'checked';
  upload: Upload;
  record: UploadRecord;
  template: ReadyTemplate;
  sending: SendingService;
  /** Rows that can be sent once the file has no other problem. */
  goodRows: number;
  badRows: number;
  /** The problems of the first rows that have any. */
  problems: ProblemOfRow[];
  /** Rows for people outside of the team and guest list, and the first of them. */
  forOthers: { count: number; rows: readonly number[] };
  /** Rows whose text loses characters, and the first of them. */
  lossy: { count: number; rows: { row: number; characters: string[] }[] };
  /** Rows in which a value that should be yes or no is neither, and the first of them. */
  unclear: { count: number; rows: readonly number[] };
  /** Recipients in more than one row without problems, and the rows of the first of them. */
  repeated: { count: number; rowCount: number; rows: readonly (readonly number[])[] };
  left: Text;
  /** Undefined where it cannot be estimated. */
  cost: number | undefined;
  /** False while texts or letters have no prices. */
  isPriced: boolean;
  shown: ShownRow | undefined;
}

/** The row that is previewed. */
type ShownRow = StoredRow & { preview: Preview | undefined; lost: string[]; isForOthers: boolean };

export type LoadedFile =
  | { kind: 'checking'; upload: Upload; checkedRows: number }
  /** A saved or unsaved contact list has pages of its own. */
  | { kind: 'contact-list'; upload: Upload }
  | CheckedFile
  | SentFile;

interface SentFile {
  kind: 'sent';
  job: Job;
  messages: Awaited<ReturnType<typeof listFirstMessages>>;
  /** Messages of it wait, because sending to many is paused. */
  isPaused: boolean;
}

/** A file in its present state. Only those who can send see one that was not sent. */
export async function loadFile(app: ConsoleApp, reader: Reader, fileId: string, row = 0): Promise<LoadedFile> {
  const {
    service,
    visitor: { user },
  } = reader;
  const upload = await findUpload(app, service.id, fileId);
  if (!upload || upload.state === 'sent') {
    const job = await getJob(app, service.id, fileId);
    const messages = await listFirstMessages(app.db, service.id, job.id);
    return { kind: 'sent', job, messages, isPaused: await isPaused(app, job) };
  }
  if (!user.platform_admin && !hasRight('send', user.permissions[service.id] ?? [])) throw notFound();
  await refuseUnlessTemplateSeen(app, reader, upload);
  if (upload.is_contact_list) return { kind: 'contact-list', upload };
  const isChecked = upload.summary !== null && upload.summary.channel !== null && upload.template_id !== null;
  if (!isChecked) return { kind: 'checking', upload, checkedRows: await countCheckedRows(app.db, upload.id) };
  return loadChecked(app, service, upload, row);
}

/** A file that was not sent shows and sends the texts of its template. */
export async function getOpenFile(app: ConsoleApp, reader: Reader, fileId: string): Promise<Upload> {
  const upload = await getUpload(app, reader.service.id, fileId);
  await refuseUnlessTemplateSeen(app, reader, upload);
  return upload;
}

/** Folders do not limit messages that were sent. */
async function refuseUnlessTemplateSeen(app: ConsoleApp, reader: Reader, upload: Upload): Promise<void> {
  if (upload.state === 'sent' || upload.template_id === null) return;
  const found = await findTemplate(app, reader.service.id, upload.template_id);
  if (found.found === 'here') await refuseUnlessSeen(app, reader, found.template.row.folder);
}

async function isPaused(app: ConsoleApp, job: Job): Promise<boolean> {
  const guard = (await app.sending.services.find(job.service))?.guard ?? null;
  if (guard === null || job.template_type !== 'email') return false;
  const isHandedOver =
    job.job_status.startsWith('finished') && !job.statistics.some(({ status }) => status === 'created');
  return !isHandedOver && waitsForGuard(app, job.id);
}

async function loadChecked(app: ConsoleApp, service: Service, upload: Upload, row: number): Promise<CheckedFile> {
  const sending = await getService(app, service.id);
  const found = await findTemplate(app, service.id, upload.template_id ?? '');
  if (found.found !== 'here') throw notFound();
  const { template } = found;
  const record = await uploadRecord(app, sending, upload);
  const { summary } = upload;
  const {
    not_allowed = [],
    only_not_allowed_count = 0,
    lossy = [],
    lossy_count = 0,
    unclear = [],
    unclear_count = 0,
  } = summary?.notes ?? {};
  const withProblems = summary?.rows_with_problems ?? 0;
  const badRows = withProblems + only_not_allowed_count;
  const goodRows = hasUsableColumns(record) ? upload.row_count - badRows : 0;
  const prefix = service.prefix_sms ? service.name : null;
  return {
    kind: 'checked',
    upload,
    record,
    template,
    sending,
    goodRows,
    badRows,
    problems: [
      ...(withProblems > 0 ? listProblems(record.rows_shown) : []),
      ...describeOthers(template, await findStoredRows(app.db, upload, not_allowed)),
    ]
      .sort((a, b) => a.row - b.row)
      .slice(0, maxProblems),
    forOthers: { count: record.problem_counts['not-allowed-to-send-to'] ?? 0, rows: not_allowed },
    lossy: {
      count: lossy_count,
      rows: (await findStoredRows(app.db, upload, lossy)).map((one) => ({
        row: one.row,
        characters: findLost(template, one),
      })),
    },
    unclear: { count: unclear_count, rows: unclear },
    repeated: {
      count: summary?.repeated_recipients ?? 0,
      rowCount: summary?.repeated_row_count ?? 0,
      rows: summary?.repeated_rows ?? [],
    },
    left: leftToday(
      countedToday(app, sending, template.row.template_type),
      (await remainingToday(app, sending, template.row.template_type)).messages,
    ),
    cost: await estimateCost(app, template, upload, goodRows, prefix),
    isPriced: { email: true, ...(await findKnownPrices(app)) }[template.row.template_type],
    shown: await loadShownRow(app, { sending, template, upload, record }, row),
  };
}

const maxProblems = 50;

/** Without the recipient, or with two of them, no row can be sent. */
function hasUsableColumns({ missing_column_headers, problem_counts }: UploadRecord): boolean {
  return (
    missing_column_headers.length === 0 &&
    !('no-recipient-columns' in problem_counts) &&
    !('duplicate-recipient-columns' in problem_counts)
  );
}

function describeOthers(template: ReadyTemplate, rows: readonly StoredRow[]): ProblemOfRow[] {
  return rows.map(({ row, cells }) => {
    const names = cells.map(({ column }) => column);
    const { columns } = planColumns({ names, width: names.length }, template.row.template_type, listFields(template));
    const cell = cells.find(({ column }) => columns.some(({ recipient, name }) => recipient && name === column));
    return { row, column: cell?.column ?? null, value: cell?.text ?? '', problem: t('Not in your team or guest list') };
  });
}

/** In the language of the row, which the template may have lost since the check. */
function inLanguageOf(app: ConsoleApp, template: ReadyTemplate, { language }: { language?: string }): ReadyTemplate {
  const variants = template.row.languages?.variants ?? [];
  const isKnown = variants.some((variant) => variant.language === language);
  return app.compiledTemplates.inLanguage(template, isKnown ? (language ?? null) : null);
}

function findLost({ compiled }: ReadyTemplate, { message }: StoredRow): string[] {
  return compiled.template_type === 'sms' && message ? compiled.lostCharacters(message.personalisation) : [];
}

interface ToShow {
  sending: SendingService;
  template: ReadyTemplate;
  upload: Upload;
  record: UploadRecord;
}

async function loadShownRow(
  app: ConsoleApp,
  { sending, template, upload, record }: ToShow,
  row: number,
): Promise<ShownRow | undefined> {
  const stored = await findStoredRow(app.db, upload, row || firstRow(record));
  if (!stored) return undefined;
  const { message } = stored;
  const recipient = message?.normalised_recipient ?? null;
  return {
    ...stored,
    preview:
      message && hasUsableColumns(record) ? await previewRow(app, template, upload, stored.row, message) : undefined,
    lost: findLost(message ? inLanguageOf(app, template, message) : template, stored),
    isForOthers: sending.restricted && recipient !== null && !sending.allowed_recipients.has(recipient),
  };
}

/** Row 2 is the first below the header; a row with a problem is in the list beside the preview. */
function firstRow({ rows_shown }: UploadRecord): number {
  const bad = new Set(rows_shown.filter(({ problems }) => problems.length > 0).map(({ row }) => row));
  for (let row = 2; row < 60; row++) if (!bad.has(row)) return row;
  return 2;
}

type ReadyMessage = NonNullable<StoredRow['message']>;

/** The message of one row. Emails and letters have addresses of their own, without anything personal in them. */
async function previewRow(
  app: ConsoleApp,
  template: ReadyTemplate,
  upload: Upload,
  row: number,
  message: ReadyMessage,
): Promise<Preview> {
  const path = pageUrl(`/services/${upload.service_id}/files/${upload.id}/rows/${row}`);
  switch (template.row.template_type) {
    case 'sms': {
      const shown = await composeRow(app, template, upload, message);
      return { channel: 'sms', ...(await previewText(app, upload.service_id, shown)) };
    }
    case 'email': {
      const shown = await composeRow(app, template, upload, message);
      const { from, reply_to, subject, text, html } = await previewEmail(app, upload.service_id, shown);
      const sender = `${from.name} <${from.address}>`;
      return { channel: 'email', from: sender, reply_to, subject, text, html, frame: `${path}/email` };
    }
    case 'letter':
      return { channel: 'letter', pages: [`${path}/pages/1`] };
  }
}

async function composeRow(app: ConsoleApp, template: ReadyTemplate, upload: Upload, message: ReadyMessage) {
  const { recipient, personalisation } = message;
  const reply_to_text = await findSender(app, template, upload);
  return { template: inLanguageOf(app, template, message), recipient, personalisation, reply_to_text };
}

async function findSender({ db }: ConsoleApp, { row }: ReadyTemplate, upload: Upload): Promise<string | null> {
  if (upload.sender_id === null) return row.reply_to_text;
  if (row.template_type === 'sms') return (await getSmsSender(db, upload.service_id, upload.sender_id)).sms_sender;
  return (await getReplyTo(db, upload.service_id, upload.sender_id)).email_address;
}

export async function previewEmailOfRow(
  app: ConsoleApp,
  template: ReadyTemplate,
  upload: Upload,
  message: ReadyMessage,
) {
  return previewEmail(app, upload.service_id, await composeRow(app, template, upload, message));
}

export function previewLetterOfRow(
  app: ConsoleApp,
  template: ReadyTemplate,
  message: ReadyMessage,
  format: 'pdf' | 'png',
  page: number,
) {
  const values = Object.fromEntries(
    Object.entries(message.personalisation).map(([name, value]) => [name, String(value)]),
  );
  return previewLetterTemplate(app, inLanguageOf(app, template, message), values, format, page);
}

/**
 * About what the good rows of a file cost, from its first rows: to render all of them would take seconds. A letter is
 * counted as one sheet: how many it has is known once it is drawn.
 */
async function estimateCost(
  app: ConsoleApp,
  template: ReadyTemplate,
  upload: Pick<Upload, 'id'>,
  messages: number,
  prefix: string | null,
): Promise<number | undefined> {
  const { compiled, row } = template;
  if (compiled.template_type === 'email') return 0;
  const sample = await sampleMessages(app.db, upload.id);
  if (sample.length === 0) return undefined;
  if (compiled.template_type === 'letter') {
    const cost = await costOfLetter(
      app,
      sheetsOf(1),
      sample[0]?.postage ?? homePostage(app.country.postage, row.postage),
    );
    return cost === undefined ? undefined : cost * messages;
  }
  const parts = sample.map((message) => {
    const text = inLanguageOf(app, template, message).compiled;
    if (text.template_type !== 'sms') throw new Error('A text message has a template of another type');
    return text.render(message.personalisation, { prefix }).fragments * message.rate_multiplier;
  });
  const average = parts.reduce((sum, count) => sum + count, 0) / parts.length;
  return costOfTexts(app, average * messages);
}
