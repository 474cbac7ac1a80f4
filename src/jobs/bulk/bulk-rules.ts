import { refuseUnlessFilesAreSetUp } from '../../documents/file-requests.ts';
import { refusalOfGuard } from '../../notifications/guard/guard.ts';
import { annualLimitExceeded, findExceededYear } from '../../notifications/limits/annual-limits.ts';
import { countsParts, remainingToday } from '../../notifications/limits/daily-limits.ts';
import type { SendContext } from '../../notifications/sending/send-context.ts';
import {
  chooseReplyTo,
  chooseSmsSender,
  refuseLettersInTrialMode,
  refuseLettersOfTeamKeys,
  refuseUnlessChannelIsAllowed,
} from '../../notifications/sending/send-rules.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Failure, invalid } from '../../platform/failure.ts';
import type { Channel } from '../../protocol/channels.ts';
import { comparableKey } from '../../protocol/comparable-key.ts';
import type { Columns } from '../../recipients/spreadsheet/columns.ts';
import type { FileSummary } from '../../recipients/spreadsheet/file-problems.ts';
import { rowProblemTexts } from '../../recipients/spreadsheet/spreadsheet-problems.ts';
import { maxSmsLength } from '../../rendering/sms/sms.ts';
import { getChosenTemplate } from '../../templates/chosen-template.ts';
import type { ReadyTemplate } from '../../templates/compiled-templates.ts';
import type { JobDeps } from '../accept-job.ts';
import type { StoredUpload } from '../uploads/store-sheet.ts';
import { rowsWithProblems } from '../uploads/stored-rows.ts';
import type { BulkSend } from './bulk-requests.ts';

/** Returns a template that the service may send with. Everything here is checked before the rows are read. */
export async function getBulkTemplate(app: JobDeps, context: SendContext, send: BulkSend): Promise<ReadyTemplate> {
  const { service } = context;
  const template = await getChosenTemplate(app, service.id, send);
  if (template.row.archived) throw invalid(`Template ${template.row.id} has been deleted`);
  const channel = template.row.template_type;
  refuseUnlessChannelIsAllowed(context, channel);
  refuseUnlessFilesAreSetUp(app, service, template.row.email_files.length > 0);
  if (channel === 'sms') chooseSmsSender(context, template, send.reply_to_id);
  else if (channel === 'email') chooseReplyTo(context, template, send.reply_to_id);
  else {
    refuseLettersOfTeamKeys(context);
    refuseLettersInTrialMode(context);
    if (send.reply_to_id !== undefined) throw invalid('reply_to_id cannot be used with a letter template');
  }
  return template;
}

/** Returns the first rule that the rows break, in the order of the API. Problems of single rows come after these. */
export async function refusalOfRows(
  app: JobDeps,
  { service, key_type }: SendContext,
  { scheduled_for, on_error }: BulkSend,
  summary: FileSummary,
): Promise<Failure | undefined> {
  const { channel, row_count, rows_with_problems, international_count } = summary;
  if (channel === null) throw new Error('Rows that were not checked against a template');
  if (row_count === 0) return noRows();
  const paused = refusalOfGuard(app, service, { notification_type: channel, key_type });
  if (paused) return paused;
  if (scheduled_for === null && key_type !== 'test') {
    const count = on_error === 'skip' ? row_count - rows_with_problems : row_count;
    const { messages, international } = await remainingToday(app, service, channel);
    const parts = countsParts(app.country, service, channel, app.clock.now()) ? summary.part_count : null;
    if ((parts ?? count) > messages) return limitExceeded(channel, messages, { messages: count, parts });
    const year = await findExceededYear(app, service, channel, { messages: count, parts });
    if (year) return annualLimitExceeded(service, year.quota);
    if (international !== null && international_count > international) {
      return limitExceeded('international_sms', international, { messages: international_count, parts: null });
    }
  }
  if (row_count > summary.max_rows) return tooManyRows(summary.max_rows);
  if (summary.not_allowed_count > 0) return recipientsNotAllowed(key_type === 'team');
  return undefined;
}

/** Returns the problems of single rows, unless the request sends the other rows. */
export async function refusalOfProblems(
  db: Db,
  { service }: SendContext,
  { on_error }: BulkSend,
  { id, summary }: StoredUpload,
): Promise<Failure | undefined> {
  const { rows_with_problems, row_count, rows_shown, row_problem_counts } = summary;
  if (rows_with_problems === 0 || (on_error === 'skip' && rows_with_problems < row_count)) return undefined;
  const tooLong = row_problem_counts['too-long'] ? await findFirstTooLong(db, id) : undefined;
  return tooLong ? messageTooLong(tooLong, maxSmsLength(service.api_dialect)) : rowErrors(rows_shown);
}

async function findFirstTooLong(db: Db, uploadId: string): Promise<RowWithProblems | undefined> {
  for await (const rows of rowsWithProblems(db, uploadId)) {
    const found = rows.map(({ index, problems }) => ({ row: index + 2, problems })).find(isTooLong);
    if (found) return found;
  }
  return undefined;
}

/** The texts of everything that can be wrong with the rows of a bulk send. Their order is in `bulk-rules.ts`. */

const maxRowsTold = 20;

interface RowWithProblems {
  /** The row number of a spreadsheet, whose header is row 1. */
  row: number;
  problems: readonly { column: string | null; problem: string }[];
}

export const noRows = () => invalid('There must be at least one row');

export const tooManyRows = (max: number) => invalid(`Too many rows. Maximum number of rows allowed is ${max}`);

/** Named in the error, although any three columns of an address are enough. */
const addressColumns = ['address line 1', 'address line 2', 'postcode'];

export function refusalOfColumns(
  { missing, duplicates, hasRecipient, byKey }: Columns,
  channel: Channel,
): Failure | undefined {
  const ofAddress = channel === 'letter' && !hasRecipient ? addressColumns : [];
  const names = [...missing, ...ofAddress.filter((name) => !byKey.has(comparableKey(name)))].sort();
  if (names.length > 0) return invalid(`Missing column headers: ${names.join(', ')}`);
  if (duplicates.length === 0) return undefined;
  return invalid(`Duplicate column headers: ${[...duplicates].sort().join(', ')}`);
}

interface Tried {
  messages: number;
  /** Null if the service has no limit on parts. */
  parts: number | null;
}

export function limitExceeded(channel: string, remaining: number, { messages, parts }: Tried): Failure {
  const named = { sms: 'sms messages', international_sms: 'international sms messages' }[channel] ?? 'messages';
  const [tried, what] = parts === null ? [messages, named] : [parts, `parts of ${named}`];
  return invalid(
    `You only have ${remaining} remaining ${what} before you reach your daily limit. You've tried to send ${tried} ${what}.`,
  );
}

function recipientsNotAllowed(ofTeamKey: boolean): Failure {
  return invalid(
    ofTeamKey
      ? 'You cannot send to these recipients because you used a team and safelist API key.'
      : 'You cannot send to these recipients because your service is in trial mode. You can only send to members of your team and your safelist.',
  );
}

const isTooLong = ({ problems }: RowWithProblems) =>
  problems.some(({ problem }) => problem === rowProblemTexts['too-long']);

function messageTooLong({ row }: RowWithProblems, limit: number): Failure {
  return invalid(
    `Row ${dataRow(row)} - has a character count greater than ${limit} characters. Some messages may be too long due to custom content.`,
  );
}

function rowErrors(rows: readonly RowWithProblems[]): Failure {
  const told = rows.slice(0, maxRowsTold).map(({ row, problems }) => {
    const texts = problems.map(({ column, problem }) =>
      column === null ? problem : `\`${column}\`: ${shortText(problem)}`,
    );
    return `Row ${dataRow(row)} - ${texts.join(',')}.`;
  });
  return invalid(['Some rows have errors.', ...told].join(' '));
}

const shortTexts: readonly string[] = [
  rowProblemTexts['missing-data'],
  rowProblemTexts['not-yes-or-no'],
  rowProblemTexts['unknown-time-zone'],
];

/** The remaining problems of a column all mean that the recipient is not valid. */
function shortText(problem: string): string {
  return shortTexts.includes(problem) ? problem : 'invalid recipient';
}

/** Clients count rows of data from 1. */
function dataRow(row: number): number {
  return row - 1;
}
