import type { Country } from '../../../countries/country.ts';
import { formatted, list, t } from '../../../language/text.ts';
import type { Channel } from '../../../protocol/channels.ts';
import type { contactListProblemTexts } from '../../../recipients/spreadsheet/spreadsheet-problems.ts';
import { count } from '../../money.ts';

type FileProblem = keyof typeof contactListProblemTexts;

interface CheckedColumns {
  template_type: Channel | null;
  row_count: number;
  problem_counts: Readonly<Record<string, number>>;
  limit_unit?: 'parts';
  too_little_this_year?: { unit: 'messages' | 'parts'; needed: number; remaining: number };
  missing_column_headers: readonly string[];
  duplicate_recipient_column_headers: readonly string[];
}

const quoted = (names: readonly string[]) => list(names.map((name) => `“${name}”`));

/** "Rows 2, 3 and 7" as part of a sentence. */
export const rowList = (rows: readonly number[]) => list(rows.map(count));

function describeRecipientColumns(channel: Channel, { address: { lines } }: Country): string {
  if (channel === 'sms') return t('Your file needs a column called “phone number”.');
  if (channel === 'email') return t('Your file needs a column called “email address”.');
  const names = ['“address line 1”', '“address line 2”', '“postcode”'];
  return lines.min <= 1
    ? t('Your file needs columns with the address, such as {names}.', { names: list(names) })
    : t('Your file needs at least {min} columns with the address, such as {names}.', {
        min: lines.min,
        names: list(names),
      });
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
      return t('Your list needs one column, called “email address” or “phone number”.');
    case 'too-many-rows':
      return t('Your file has too many rows. Split it into files of up to {maxRows} rows.', {
        maxRows: count(maxRows),
      });
    case 'no-rows':
      return t('Your file has no rows. Add one row for each person.');
    case 'no-recipient-columns':
      return describeRecipientColumns(file.template_type ?? 'sms', country);
    case 'duplicate-recipient-columns':
      return t('Your file has more than one column for the recipient: {quoted}. Keep one of them.', {
        quoted: quoted(file.duplicate_recipient_column_headers),
      });
    case 'missing-columns':
      return describeMissing(
        file.missing_column_headers.filter((name) => !['phone number', 'email address'].includes(name)),
      );
    case 'row-errors':
      return t('Some rows have problems. Fix them and upload the file again.');
    case 'not-allowed-to-send-to':
      return t('Some rows are for people outside your team and guest list.');
    case 'letters-in-trial-mode':
      return t('Your service is in trial mode, so it cannot send letters yet. Ask to go live, then send the letters.');
    case 'too-many-messages':
      if (file.limit_unit === 'parts') {
        return t(
          'Your file needs more parts of texts than your service can send today. Split it, or upload it again tomorrow.',
        );
      }
      return t(
        'Your file has more rows than your service can send messages today. Split it, or upload it again tomorrow.',
      );
    case 'too-many-for-year': {
      const { unit = 'messages', needed = file.row_count, remaining: left = 0 } = file.too_little_this_year ?? {};
      const day = startOfYear(country);
      return unit === 'parts'
        ? t(
            '{parts, plural, one {This needs # part} other {This needs # parts}}; {left, plural, one {# is} other {# are}} left until {day}.',
            { parts: needed, left, day },
          )
        : t(
            '{rows, plural, one {This needs # message} other {This needs # messages}}; {left, plural, one {# is} other {# are}} left until {day}.',
            { rows: needed, left, day },
          );
    }
    case 'too-many-international':
      return t(
        'Your file has more numbers in other countries than your service can send texts to today. Remove some, or upload it again tomorrow.',
      );
  }
}

/** "1 April": any year does. */
const startOfYear = ({ calendar }: Country) =>
  formatted(({ dates }) => dates.write(`2000-${calendar.financialYearStart}`, { day: 'numeric', month: 'long' }));

function describeMissing(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  return t(
    '{count, plural, one {Your file needs a column called {names}.} other {Your file needs columns called {names}.}}',
    { count: names.length, names: quoted(names) },
  );
}

const rowProblems: ReadonlyMap<string, string> = new Map([
  ['Missing', t('Needs a value')],
  ['The message is too long', t('The message is too long. Shorten the values of this row')],
  ['Not yes or no', t('Enter yes or no')],
  ['Not a time zone', t('Enter a time zone, such as Europe/London')],
  ['The message is empty', t('The message is empty. Add a value to this row')],
]);

/** What is wrong with a row, where the words of the API are for programs. */
export const describeRowProblem = (problem: string) => rowProblems.get(problem) ?? problem;
