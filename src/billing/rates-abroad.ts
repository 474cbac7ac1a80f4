import { recordAuditEntry } from '../auth/audit-entry.ts';
import { type Calendar, isDay } from '../countries/calendar.ts';
import type { Country } from '../countries/country.ts';
import { openSpreadsheet } from '../libraries/spreadsheet/spreadsheet.ts';
import { SpreadsheetError } from '../libraries/spreadsheet/spreadsheet-error.ts';
import type { RateAbroad } from '../notifications/rates-abroad.ts';
import { type Clock, timestamp } from '../platform/clock.ts';
import type { Actor } from '../platform/db/actor.ts';
import { type Db, inTransaction } from '../platform/db/database.ts';
import { invalidField, OperatorError } from '../platform/failure.ts';
import type { Platform } from '../platform/platform.ts';
import { ratePrefixProblem } from '../recipients/phone-number.ts';
import { defaultLimits } from '../recipients/spreadsheet/limits.ts';
import { insertRateAbroad, upsertRatesAbroad } from './rates-abroad.sql.ts';

export const maxMultiplier = 1_000;

/** `valid_from` is a day, and the rate applies from its first moment. */
type NewRateAbroad = Omit<RateAbroad, 'valid_from'> & { valid_from: string };

/** Accepted texts keep the price at which they were accepted. */
export async function createRateAbroad({ db, country }: Platform, request: NewRateAbroad): Promise<void> {
  const prefix = request.prefix.replaceAll(' ', '').replace(/^\+/, '').toUpperCase();
  const problem = ratePrefixProblem(country.phone, prefix);
  if (problem !== undefined) throw invalidField('prefix', problem);
  await insertRateAbroad(db, { ...request, prefix, valid_from: startOf(country.calendar, request.valid_from) });
}

const columns = ['prefix', 'multiplier', 'receipts', 'numeric_sender', 'from'] as const;
const required = ['prefix', 'multiplier', 'from'] as const;
/** There are fewer than 300 countries, so this allows several rates for each. */
const limits = { ...defaultLimits, textBytes: 1024 * 1024, textRows: 5_000, rows: 5_000 };

interface ImportedRates {
  added: number;
  changed: number;
  unchanged: number;
}

interface ImportDeps {
  db: Db;
  clock: Clock;
  country: Country;
}

/** Adds the rates of a file, and replaces existing ones with the same prefix and day. Changes nothing if the file has a problem. */
export async function importRatesAbroad(
  { db, clock, country }: ImportDeps,
  file: { name: string; bytes: AsyncIterable<Uint8Array> },
  { dryRun = false }: { dryRun?: boolean } = {},
): Promise<ImportedRates> {
  if (!country.phone.hasRatesAbroad) {
    throw new OperatorError(
      `The country ${country.code} does not charge texts by rates abroad: its phone.abroad is "${country.phone.profile.abroad}". Nothing was changed.`,
    );
  }
  const rates = await readRates(country, file);
  return inTransaction(db, async (tx) => {
    const written = await upsertRatesAbroad(tx, rates);
    const added = written.filter(({ is_new }) => is_new).length;
    const result = { added, changed: written.length - added, unchanged: rates.length - written.length };
    if (dryRun) throw new DryRun(result);
    if (written.length > 0) {
      const actor: Actor = { type: 'command', client: 'rates import', at: timestamp(clock.now()) };
      await recordAuditEntry(
        tx,
        { action: 'update', noun: 'rate_abroad', thing_id: file.name, after: { ...result } },
        JSON.stringify(actor),
      );
    }
    return result;
  }).catch((error) => {
    if (error instanceof DryRun) return error.result;
    throw error;
  });
}

/** Thrown to roll back the changes of a dry run. */
class DryRun extends Error {
  readonly result: ImportedRates;

  constructor(result: ImportedRates) {
    super('dry run');
    this.result = result;
  }
}

async function readRates(
  country: Country,
  { name, bytes }: { name: string; bytes: AsyncIterable<Uint8Array> },
): Promise<RateAbroad[]> {
  const problems: string[] = [];
  const rates: RateAbroad[] = [];
  const lines = new Map<string, number>();
  try {
    const isHeader = (names: readonly string[]) => names.some((each) => normalise(each) === 'prefix');
    const { header, batches } = await openSpreadsheet(name, bytes, { limits, isHeader });
    const names = header.names.map(normalise);
    for (const missing of required.filter((each) => !names.includes(each))) {
      problems.push(`Line 1: the column ${missing} is missing. The columns are ${columns.join(', ')}.`);
    }
    for (const unknown of header.names.filter((each) => !columns.some((known) => known === normalise(each)))) {
      problems.push(`Line 1: there is no column "${unknown}". The columns are ${columns.join(', ')}.`);
    }
    for (const repeated of names.filter((each, index) => names.indexOf(each) < index)) {
      problems.push(`Line 1: the column ${repeated} is there more than once.`);
    }
    if (problems.length > 0) throw new RefusedRates(problems);
    for await (const { firstRow, rows } of batches) {
      for (const [index, cells] of rows.entries()) {
        if (cells.length === 0) continue;
        const line = firstRow + index + 2;
        const cellOf = (column: (typeof columns)[number]) => String(cells[names.indexOf(column)] ?? '').trim();
        const { rate, problems: found } = readRate(country, cellOf);
        problems.push(...found.map((problem) => `Line ${line}: ${problem}`));
        const key = `${rate.prefix} ${rate.valid_from}`;
        const first = lines.get(key);
        if (first !== undefined && found.length === 0) {
          problems.push(`Line ${line}: line ${first} has the same prefix and day.`);
        }
        lines.set(key, first ?? line);
        rates.push(rate);
      }
    }
  } catch (error) {
    if (error instanceof SpreadsheetError) throw new RefusedRates([`${error.message}.`]);
    throw error;
  }
  if (rates.length === 0) problems.push('The file has no rates.');
  if (problems.length > 0) throw new RefusedRates(problems);
  return rates;
}

class RefusedRates extends OperatorError {
  constructor(problems: string[]) {
    super([...problems, 'Nothing was changed.'].join('\n'));
  }
}

function normalise(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
}

function readRate({ phone, calendar }: Country, cellOf: (column: (typeof columns)[number]) => string) {
  const prefix = cellOf('prefix').replace(/^\+/, '');
  const ofPrefix = ratePrefixProblem(phone, prefix);
  const problems = ofPrefix === undefined ? [] : [`prefix: ${ofPrefix}`];
  const flag = (column: 'receipts' | 'numeric_sender', fallback: boolean) => {
    const value = cellOf(column).toLowerCase();
    if (value === '') return fallback;
    if (!['yes', 'true', '1', 'no', 'false', '0'].includes(value)) {
      problems.push(`${column}: write yes or no, not "${value}".`);
    }
    return ['yes', 'true', '1'].includes(value);
  };
  const multiplier = cellOf('multiplier');
  if (multiplier !== '' && (!/^[0-9]{1,4}$/.test(multiplier) || !isMultiplier(Number(multiplier)))) {
    problems.push(
      `multiplier: write a whole number from 1 to ${maxMultiplier}, or nothing where a rate ends, not "${multiplier}".`,
    );
  }
  const from = cellOf('from');
  const isFrom = isDay(from) && from > '2000';
  if (!isFrom) problems.push(`from: write a day as year, month and day, such as 2027-04-01, not "${from}".`);
  const rate: RateAbroad = {
    prefix,
    multiplier: multiplier === '' ? null : Number(multiplier),
    receipts: flag('receipts', true),
    numeric_sender: flag('numeric_sender', false),
    valid_from: isFrom ? startOf(calendar, from) : timestamp(new Date(0)),
  };
  return { rate, problems };
}

function isMultiplier(value: number): boolean {
  return value >= 1 && value <= maxMultiplier;
}

function startOf(calendar: Calendar, day: string) {
  return timestamp(calendar.start(day));
}
