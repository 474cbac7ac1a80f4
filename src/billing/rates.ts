import { addDays, type Calendar, type Days, isDay } from '../countries/calendar.ts';
import type { CountryProfile } from '../countries/profile.ts';
import { type Timestamp, timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { invalidField } from '../platform/failure.ts';
import type { Platform } from '../platform/platform.ts';
import { seededRatesAbroad } from './rates.seed.ts';
import {
  deleteAllDefaultAllowances,
  deleteAllRates,
  insertLetterRate,
  insertSmsRate,
  selectEveryRate,
  selectKnownPrices,
  selectLetterRates,
  selectSmsRates,
} from './rates.sql.ts';

/** Returns undefined if nobody has added a rate yet: only some countries have initial prices. */
export async function findSmsRate(app: Platform): Promise<{ rate: number; valid_from: string } | undefined> {
  const now = timestamp(app.clock.now());
  const found = newest(await selectSmsRates(app.country.calendar, app.db), (row) => row.valid_from <= now);
  return found && { rate: Number(found.rate), valid_from: wholeSeconds(found.valid_from) };
}

/** Returns the rate for the API. Without a rate, returns a price of 0 since the start of the financial year, marked as unknown. */
export async function getSmsRate(app: Platform) {
  const { money, calendar } = app.country;
  const found = await findSmsRate(app);
  if (found) return { ...found, ...money.currencyField };
  const { first_day } = calendar.financialYearDays(calendar.financialYear(app.clock.now()));
  const valid_from = wholeSeconds(timestamp(calendar.start(first_day)));
  return { rate: 0, valid_from, ...money.currencyField, price_known: false };
}

/** The channels with a known price. For others, pages show volumes without amounts. */
interface KnownPrices {
  sms: boolean;
  letter: boolean;
}

export async function findKnownPrices({ db, country: { prices } }: Platform): Promise<KnownPrices> {
  // Seeded rates are never removed, so a country with initial prices needs no query.
  if (prices.sms.length > 0 && Object.keys(prices.letters).length > 0) return { sms: true, letter: true };
  return selectKnownPrices(db);
}

/** Lists current rates, sorted by sheets, then price. */
export async function listLetterRates(app: Platform) {
  const now = timestamp(app.clock.now());
  return groupByLetterKind(await selectLetterRates(app.country.calendar, app.db))
    .flatMap((rates) => newest(rates, (row) => row.start_date <= now) ?? [])
    .filter((row) => row.start_date <= now)
    .sort(
      (a, b) =>
        a.sheet_count - b.sheet_count ||
        Number(a.rate) - Number(b.rate) ||
        (a.post_class < b.post_class ? -1 : a.post_class > b.post_class ? 1 : 0),
    )
    .map(({ start_date, ...row }) => ({
      ...row,
      start_date: wholeSeconds(start_date),
      ...app.country.money.currencyField,
    }));
}

/** Lists every rate per text message fragment, newest first. */
export async function listSmsRates(app: Platform): Promise<{ rate: number; valid_from: Timestamp }[]> {
  const rates = await selectSmsRates(app.country.calendar, app.db);
  return rates.map(({ rate, valid_from }) => ({ rate: Number(rate), valid_from })).reverse();
}

/** Lists letter rates that have not started, earliest first. */
export async function listFutureLetterRates(app: Platform) {
  const now = timestamp(app.clock.now());
  return (await selectLetterRates(app.country.calendar, app.db)).filter(({ start_date }) => start_date > now);
}

export async function createSmsRate(app: Platform, request: { rate: number; valid_from: string }) {
  const valid_from = timestamp(parseStart(app.country.calendar, 'valid_from', request.valid_from));
  await insertSmsRate(app.db, { valid_from, rate: request.rate });
  return { rate: request.rate, valid_from: wholeSeconds(valid_from), ...app.country.money.currencyField };
}

export async function createLetterRate(
  app: Platform,
  request: { post_class: string; sheet_count: number; rate: number; start_date: string },
) {
  const start_date = timestamp(parseStart(app.country.calendar, 'start_date', request.start_date));
  await insertLetterRate(app.db, { ...request, start_date });
  return {
    ...request,
    rate: String(request.rate),
    start_date: wholeSeconds(start_date),
    ...app.country.money.currencyField,
  };
}

/** Returns `YYYY-MM-DDTHH:MM:SS`, the time format of these two endpoints. */
function wholeSeconds(moment: Timestamp): string {
  return moment.slice(0, 19);
}

/** Parses a date-time (UTC without an offset) or a date (its first moment). */
function parseStart(calendar: Calendar, field: string, text: string): Date {
  if (isDay(text)) return calendar.start(text);
  const [, day = '', time, offset = 'Z'] =
    /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:?\d\d)?$/.exec(text) ?? [];
  const moment = new Date(`${day}T${time}${offset}`);
  if (!isDay(day) || Number.isNaN(moment.getTime())) throw invalidField(field, 'Not a valid datetime.');
  return moment;
}

/** Consecutive days with constant prices. Rates are decimal strings that only the database multiplies. */
interface Period extends Days {
  /** Null if texts had no rate on these days. */
  smsRate: string | null;
  letterRates: { postage: string; sheets: number; rate: string }[];
}

interface PriceList {
  /** Splits a range where rates begin, and before each day in `cutBefore`. */
  periods(range: Days, cutBefore?: string[]): Period[];
}

/** Days before the first rate use that rate. */
export async function loadPriceList(calendar: Calendar, db: Db): Promise<PriceList> {
  const [smsRates, letterRates] = await Promise.all([selectSmsRates(calendar, db), selectLetterRates(calendar, db)]);
  const kinds = groupByLetterKind(letterRates);
  const starts = [...smsRates, ...letterRates].map(({ first_day }) => first_day);
  return {
    periods: (range, cutBefore = []) =>
      cut(range, [...starts, ...cutBefore]).map((days) => ({
        ...days,
        smsRate: newest(smsRates, (rate) => rate.first_day <= days.first_day)?.rate ?? null,
        letterRates: kinds
          .flatMap((rates) => newest(rates, (rate) => rate.first_day <= days.first_day) ?? [])
          .map(({ post_class, sheet_count, rate }) => ({ postage: post_class, sheets: sheet_count, rate })),
      })),
  };
}

/** Splits a range before each of the given days. */
export function cut(range: Days, before: string[]): Days[] {
  if (range.first_day > range.last_day) return [];
  const within = before.filter((day) => day > range.first_day && day <= range.last_day);
  const firsts = [range.first_day, ...new Set(within.sort())];
  return firsts.map((first_day, index) => {
    const next = firsts[index + 1];
    return { first_day, last_day: next === undefined ? range.last_day : addDays(next, -1) };
  });
}

/** Returns the newest rate that has begun, otherwise the oldest, if any. Expects rates sorted oldest first. */
function newest<Rate>(rates: Rate[], hasBegun: (rate: Rate) => boolean): Rate | undefined {
  return rates.findLast(hasBegun) ?? rates[0];
}

function groupByLetterKind<Rate extends { post_class: string; sheet_count: number }>(rates: Rate[]): Rate[][] {
  const kinds = new Map<string, Rate[]>();
  for (const rate of rates) {
    const kind = `${rate.post_class} ${rate.sheet_count}`;
    const sameKind = kinds.get(kind);
    if (sameKind) sameKind.push(rate);
    else kinds.set(kind, [rate]);
  }
  return [...kinds.values()];
}

/** Returns undefined if texts have no price yet. */
export async function costOfTexts(app: Platform, parts: number): Promise<number | undefined> {
  const found = await findSmsRate(app);
  return found && parts * found.rate;
}

/** Returns undefined if no price is known for this postage and number of sheets. */
export async function costOfLetter(app: Platform, sheets: number, postage: string): Promise<number | undefined> {
  const rates = await listLetterRates(app);
  const found = rates.find(({ post_class, sheet_count }) => post_class === postage && sheet_count === sheets);
  return found && Number(found.rate);
}

/** Whether there is a rate that the seeds did not insert, so somebody has added or changed one. */
export async function hasOwnRates(db: Db | Tx, { phone, prices: { sms, letters } }: CountryProfile): Promise<boolean> {
  const key = (kind: string, sheets: number, from: string, rate: string) =>
    `${kind} ${sheets} ${new Date(from).toISOString()} ${Number(rate)}`;
  const seeded = new Set([
    ...sms.map(({ from, rate }) => key('sms', 1, from, rate)),
    ...seededRatesAbroad(phone).map(({ prefix, valid_from, multiplier }) =>
      key(`abroad ${prefix}`, 1, valid_from, String(multiplier)),
    ),
    ...Object.entries(letters).flatMap(([post_class, lists]) =>
      lists.flatMap(({ from, rates }) => rates.map((rate, index) => key(post_class, index + 1, from, rate))),
    ),
  ]);
  const rows = await selectEveryRate(db);
  return rows.some(({ kind, sheet_count, valid_from, rate }) => !seeded.has(key(kind, sheet_count, valid_from, rate)));
}

/** Runs before the prices of another country are seeded. */
export async function deleteSeededPrices(tx: Tx): Promise<void> {
  await deleteAllRates(tx);
  await deleteAllDefaultAllowances(tx);
}
