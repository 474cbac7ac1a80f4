import { type Static, Type } from 'typebox';
import { findExceededYear } from '../../notifications/limits/annual-limits.ts';
import { countsParts, remainingToday } from '../../notifications/limits/daily-limits.ts';
import type { SendingService } from '../../notifications/sending/sending-service.ts';
import { day_ms, timestamp } from '../../platform/clock.ts';
import type { Platform } from '../../platform/platform.ts';
import { type Channel, channels } from '../../protocol/channels.ts';
import { Datetime, Nullable, OneOf, Uuid } from '../../protocol/fields.ts';
import { planColumns } from '../../recipients/spreadsheet/columns.ts';
import { countFileProblems, type FileSummary, type Remaining } from '../../recipients/spreadsheet/file-problems.ts';
import { contactListProblemTexts } from '../../recipients/spreadsheet/spreadsheet-problems.ts';
import { textUnits } from '../../services/settings/text-unit.ts';
import { selectSentBefore, type UploadRow } from './uploads.sql.ts';

type UploadProblem = keyof typeof contactListProblemTexts;

/**
 * What is wrong with an upload now, in the order in which it is told, and about how many rows or columns. Limits and trial mode
 * are checked again: they change from day to day.
 */
export async function problemsOf(
  app: Platform,
  service: SendingService,
  upload: Pick<UploadRow, 'summary' | 'state' | 'key_type' | 'is_contact_list'>,
): Promise<[UploadProblem, number][]> {
  const { summary } = upload;
  if (summary === null) return [];
  if (upload.is_contact_list) {
    return summary.channel === null ? [['columns', 1]] : countFileProblems(summary);
  }
  const limited = isLimited(upload);
  return countFileProblems(summary, {
    refuseLetters: limited && service.restricted,
    remaining: limited && summary.channel ? await remainingOf(app, service, summary, summary.channel) : undefined,
  });
}

const isLimited = ({ state, key_type }: Pick<UploadRow, 'state' | 'key_type'>) =>
  state === 'checked' && key_type !== 'test';

async function remainingOf(
  app: Platform,
  service: SendingService,
  summary: FileSummary,
  channel: Channel,
): Promise<Remaining> {
  const year = await findExceededLimit(app, service, summary);
  return {
    ...(await remainingToday(app, service, channel)),
    beyondYear: year ? year.needed - year.remaining : 0,
    inParts: countsParts(app.country, service, channel, app.clock.now()),
  };
}

/** Finds an annual limit that has less left than the file needs. */
async function findExceededLimit(
  app: Platform,
  service: SendingService,
  { channel, row_count, part_count }: FileSummary,
) {
  if (channel === null) return undefined;
  return findExceededYear(app, service, channel, { messages: row_count, parts: part_count });
}

/** Whether a checked file can be sent at all; rows with problems and limits are checked when it is sent. */
export function isSendable(summary: FileSummary | null): boolean {
  if (summary === null || summary.channel === null) return false;
  return countFileProblems(summary).every(([problem]) => problem === 'row-errors');
}

/** How long uploads that are not sent are kept. */
export const keptUnsent_ms = day_ms;

const ProblemName = OneOf(Object.keys(contactListProblemTexts) as UploadProblem[]);
const Counts = (description: string) => Type.Record(Type.String(), Type.Integer(), { description });

export const ShownRow = Type.Object(
  {
    row: Type.Integer({ description: 'As the spreadsheet counts: the header is row 1' }),
    recipient: Nullable(Type.String()),
    cells: Type.Record(Type.String(), Type.Any(), { description: 'Text, a list of texts or null, by column' }),
    surplus: Type.Optional(Type.Array(Type.String(), { description: 'Cells without a column' })),
    problems: Type.Array(Type.Object({ column: Nullable(Type.String()), problem: Type.String() })),
  },
  { title: 'UploadRow' },
);

export const UploadRecord = Type.Object(
  {
    id: Uuid,
    original_file_name: Type.String(),
    encoding: Nullable(Type.String({ description: 'Of csv and tsv' })),
    row_count: Type.Integer({ description: 'Without the header' }),
    column_headers: Type.Array(Type.String()),
    template_id: Nullable(Uuid),
    template_version: Nullable(Type.Integer()),
    template_type: Nullable(OneOf(channels)),
    sender_id: Nullable(Uuid),
    contact_list: Type.Boolean({ description: 'Whether it was checked as a contact list' }),
    contact_list_id: Nullable(Uuid),
    state: OneOf(['checked', 'sent', 'saved']),
    valid: Type.Boolean({ description: 'Whether it can be sent, or saved as a contact list' }),
    first_problem: Nullable(ProblemName),
    problem_counts: Counts('How many rows or columns each problem is about'),
    row_problem_counts: Counts('Rows with each kind of problem'),
    language_counts: Type.Optional(Counts('Rows by the language of their text, if the template has several')),
    fell_back_count: Type.Optional(Type.Integer({ description: 'How many of them asked for another language' })),
    part_count: Type.Optional(Type.Integer({ description: 'The parts of texts of all rows without problems' })),
    limit_unit: Type.Optional(
      Type.Literal('parts', { description: 'Only where limits count the parts of texts, not messages' }),
    ),
    too_little_this_year: Type.Optional(
      Type.Object(
        { unit: OneOf(textUnits), needed: Type.Integer(), remaining: Type.Integer() },
        { description: 'The limit of the year that has too little left' },
      ),
    ),
    missing_column_headers: Type.Array(Type.String()),
    duplicate_recipient_column_headers: Type.Array(Type.String()),
    rows_shown: Type.Array(ShownRow, { description: 'The first 50 rows with a problem, or else the first 50' }),
    sent_before: Type.Boolean({
      description: 'The same file was sent with this version of the template, or today one of the same name',
    }),
    created_at: Datetime,
    expires_at: Nullable(Datetime),
  },
  { title: 'Upload' },
);

type Record = Static<typeof UploadRecord>;

export async function uploadRecord(app: Platform, service: SendingService, upload: UploadRow): Promise<Record> {
  const { summary, header } = upload;
  const problems = await problemsOf(app, service, upload);
  const [first] = problems;
  const createdAt = new Date(upload.created_at).getTime();
  const beyondYear = problems.some(([problem]) => problem === 'too-many-for-year');
  const tooLittle = beyondYear && summary ? await findExceededLimit(app, service, summary) : undefined;
  return {
    id: upload.id,
    original_file_name: upload.original_file_name,
    encoding: upload.encoding,
    row_count: upload.row_count,
    column_headers: planColumns(header, null, []).names,
    template_id: upload.template_id,
    template_version: upload.template_version,
    template_type: summary?.channel ?? null,
    sender_id: upload.sender_id,
    contact_list: upload.is_contact_list,
    contact_list_id: upload.contact_list_id,
    state: upload.state as Record['state'],
    valid: summary !== null && summary.channel !== null && problems.length === 0,
    first_problem: first ? first[0] : null,
    problem_counts: Object.fromEntries(problems),
    row_problem_counts: { ...summary?.row_problem_counts } as Record['row_problem_counts'],
    ...(summary?.languages
      ? { language_counts: summary.languages.rows, fell_back_count: summary.languages.fell_back }
      : {}),
    ...(summary?.channel && countsParts(app.country, service, summary.channel, app.clock.now())
      ? { limit_unit: 'parts', part_count: summary.part_count }
      : {}),
    ...(tooLittle
      ? {
          too_little_this_year: {
            ...{ unit: tooLittle.quota.unit, needed: tooLittle.needed, remaining: tooLittle.remaining },
          },
        }
      : {}),
    missing_column_headers: summary?.missing_columns ?? [],
    duplicate_recipient_column_headers: summary?.duplicate_columns ?? [],
    rows_shown: summary?.rows_shown ?? [],
    sent_before: await isSentBefore(app, upload),
    created_at: upload.created_at,
    expires_at: upload.state === 'checked' ? timestamp(new Date(createdAt + keptUnsent_ms)) : null,
  };
}

/** Whether to warn: the same bytes were sent with this version of the template, or a file of the same name was sent today. */
async function isSentBefore({ db, clock, country: { calendar } }: Platform, upload: UploadRow): Promise<boolean> {
  if (upload.template_id === null || upload.template_version === null) return false;
  return selectSentBefore(db, upload, timestamp(calendar.start(calendar.day(clock.now()))));
}
