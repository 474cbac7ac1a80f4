import { type Failure, invalid } from '../../platform/failure.ts';
import type { Channel } from '../../protocol/channels.ts';
import { comparableKey } from '../../protocol/comparable-key.ts';
import type { Columns } from '../../recipients/spreadsheet/columns.ts';
import { rowProblemTexts } from '../../recipients/spreadsheet/spreadsheet-problems.ts';
import { maxSmsCharacters } from '../../rendering/sms/sms.ts';

/** The texts of everything that can be wrong with the rows of a bulk send. Their order is in `bulk-rules.ts`. */

const maxRowsTold = 20;

export interface RowWithProblems {
  /** As a spreadsheet counts: the header is row 1. */
  row: number;
  problems: readonly { column: string | null; problem: string }[];
}

export const noRows = () => invalid('There must be at least one row');

export const tooManyRows = (max: number) => invalid(`Too many rows. Maximum number of rows allowed is ${max}`);

/** Any three columns of an address are enough. */
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

export function limitExceeded(channel: string, remaining: number, tried: number): Failure {
  const messages = { sms: 'sms messages', international_sms: 'international sms messages' }[channel] ?? 'messages';
  return invalid(
    `You only have ${remaining} remaining ${messages} before you reach your daily limit. You've tried to send ${tried} ${messages}.`,
  );
}

export function recipientsNotAllowed(ofTeamKey: boolean): Failure {
  return invalid(
    ofTeamKey
      ? 'You cannot send to these recipients because you used a team and safelist API key.'
      : 'You cannot send to these recipients because your service is in trial mode. You can only send to members of your team and your safelist.',
  );
}

export const isTooLong = ({ problems }: RowWithProblems) =>
  problems.some(({ problem }) => problem === rowProblemTexts['too-long']);

export function messageTooLong({ row }: RowWithProblems): Failure {
  return invalid(
    `Row ${dataRow(row)} - has a character count greater than ${maxSmsCharacters} characters. Some messages may be too long due to custom content.`,
  );
}

export function rowErrors(rows: readonly RowWithProblems[]): Failure {
  const told = rows.slice(0, maxRowsTold).map(({ row, problems }) => {
    const texts = problems.map(({ column, problem }) =>
      column === null ? problem : `\`${column}\`: ${shortText(problem)}`,
    );
    return `Row ${dataRow(row)} - ${texts.join(',')}.`;
  });
  return invalid(['Some rows have errors.', ...told].join(' '));
}

/** In a column, a value is missing or it is a recipient that is not valid. */
function shortText(problem: string): string {
  return problem === rowProblemTexts['missing-data'] ? problem : 'invalid recipient';
}

/** Clients count rows of data from 1. */
function dataRow(row: number): number {
  return row - 1;
}
