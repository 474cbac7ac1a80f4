import type { Country } from '../../../countries/country.ts';
import type { Channel } from '../../../protocol/channels.ts';
import type { contactListProblemTexts } from '../../../recipients/spreadsheet/spreadsheet-problems.ts';
import { count } from '../../money.ts';

type FileProblem = keyof typeof contactListProblemTexts;

interface CheckedColumns {
  template_type: Channel | null;
  missing_column_headers: readonly string[];
  duplicate_recipient_column_headers: readonly string[];
}

const list = new Intl.ListFormat('en-GB', { type: 'conjunction' });
const quoted = (names: readonly string[]) => list.format(names.map((name) => `“${name}”`));

/** "Rows 2, 3 and 7" as part of a sentence. */
export const rowList = (rows: readonly number[]) => list.format(rows.map(count));

function describeRecipientColumns(channel: Channel, { address: { lines } }: Country): string {
  if (channel === 'sms') return 'Your file needs a column called “phone number”.';
  if (channel === 'email') return 'Your file needs a column called “email address”.';
  const names = ['“address line 1”', '“address line 2”', '“postcode”'];
  return lines.min <= 1
    ? `Your file needs columns with the address, such as ${list.format(names)}.`
    : `Your file needs at least ${lines.min} columns with the address, such as ${list.format(names)}.`;
}

/** What is wrong with a whole file, and what to do about it. Undefined where another sentence says it. */
export function describeFileProblem(
  country: Country,
  problem: FileProblem,
  file: CheckedColumns,
  maxRows: number,
): string | undefined {
  switch (problem) {
    case 'columns':
      return 'Your list needs one column, called “email address” or “phone number”.';
    case 'too-many-rows':
      return `Your file has too many rows. Split it into files of up to ${count(maxRows)} rows.`;
    case 'no-rows':
      return 'Your file has no rows. Add one row for each person.';
    case 'no-recipient-columns':
      return describeRecipientColumns(file.template_type ?? 'sms', country);
    case 'duplicate-recipient-columns':
      return `Your file has more than one column for the recipient: ${quoted(file.duplicate_recipient_column_headers)}. Keep one of them.`;
    case 'missing-columns':
      return describeMissing(
        file.missing_column_headers.filter((name) => !['phone number', 'email address'].includes(name)),
      );
    case 'row-errors':
      return 'Some rows have problems. Fix them and upload the file again.';
    case 'not-allowed-to-send-to':
      return 'Some rows are for people outside your team and guest list.';
    case 'letters-in-trial-mode':
      return 'Your service is in trial mode, so it cannot send letters yet. Ask to go live, then send the letters.';
    case 'too-many-messages':
      return 'Your file has more rows than your service can send messages today. Split it, or upload it again tomorrow.';
    case 'too-many-international':
      return 'Your file has more numbers in other countries than your service can send texts to today. Remove some, or upload it again tomorrow.';
  }
}

function describeMissing(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  return names.length === 1
    ? `Your file needs a column called “${names[0]}”.`
    : `Your file needs columns called ${quoted(names)}.`;
}

const rowProblems: ReadonlyMap<string, string> = new Map([
  ['Missing', 'Needs a value'],
  ['The message is too long', 'The message is too long. Shorten the values of this row'],
  ['The message is empty', 'The message is empty. Add a value to this row'],
]);

/** What is wrong with a row, where the words of the API are for programs. */
export const describeRowProblem = (problem: string) => rowProblems.get(problem) ?? problem;
