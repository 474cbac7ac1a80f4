import { addDays } from '../../countries/calendar.ts';
import type { Country } from '../../countries/country.ts';
import { type Timestamp, timestamp } from '../../platform/clock.ts';
import type { Postage } from '../notification.ts';

/** When the print run of a day begins. Later letters go into the run of the next day. */
export function printCutOff({ calendar, letter }: Country, day: string): Date {
  const [hour = 0, minute = 0] = letter.cutOff.split(':').map(Number);
  return calendar.instant(day, hour, minute);
}

/** Returns the day of a letter's print run, which may be a day without printing. */
export function printRunDay(country: Country, createdAt: Date): string {
  const day = country.calendar.day(createdAt);
  return createdAt < printCutOff(country, day) ? day : addDays(day, 1);
}

const transitDays: Record<Postage, number> = { first: 1, second: 5, economy: 7, europe: 6, 'rest-of-world': 8 };

/** Estimates delivery at 16:00 on the last day of transit. */
export function estimatedDelivery(country: Country, createdAt: Date, postage: Postage): Timestamp {
  let day = nextDay(printRunDay(country, createdAt), isWorkingDay);
  const isDeliveryDay = postage === 'first' ? isFirstClassDay : isWorkingDay;
  for (let left = transitDays[postage]; left > 0; left -= 1) day = nextDay(day, isDeliveryDay);
  return timestamp(country.calendar.instant(day, 16));
}

function nextDay(day: string, fits: (day: string) => boolean): string {
  let next = addDays(day, 1);
  while (!fits(next)) next = addDays(next, 1);
  return next;
}

/** Letters are printed on these days. */
export function isWorkingDay(day: string): boolean {
  return weekday(day) !== 6 && isFirstClassDay(day);
}

/** First class is delivered on Saturdays too. */
function isFirstClassDay(day: string): boolean {
  return weekday(day) !== 0 && !isBankHoliday(day);
}

/** Bank holidays of England and Wales are computed; governments changed these. */
const oneOffChanges: Record<number, { added: string[]; removed: string[] }> = {
  1999: { added: ['1999-12-31'], removed: [] },
  2002: { added: ['2002-06-03', '2002-06-04'], removed: ['2002-05-27'] },
  2011: { added: ['2011-04-29'], removed: [] },
  2012: { added: ['2012-06-04', '2012-06-05'], removed: ['2012-05-28'] },
  2020: { added: ['2020-05-08'], removed: ['2020-05-04'] },
  2022: { added: ['2022-06-02', '2022-06-03', '2022-09-19'], removed: ['2022-05-30'] },
  2023: { added: ['2023-05-08'], removed: [] },
};

const years = new Map<number, ReadonlySet<string>>();

export function isBankHoliday(day: string): boolean {
  const year = Number(day.slice(0, 4));
  let holidays = years.get(year);
  if (!holidays) {
    holidays = bankHolidays(year);
    years.set(year, holidays);
  }
  return holidays.has(day);
}

/** 0 is Sunday. */
export function weekday(day: string): number {
  return new Date(`${day}T00:00:00Z`).getUTCDay();
}

export function bankHolidays(year: number): ReadonlySet<string> {
  const easter = easterSunday(year);
  const { added = [], removed = [] } = oneOffChanges[year] ?? {};
  const usual = [
    onWeekday(`${year}-01-01`),
    addDays(easter, -2),
    addDays(easter, 1),
    mondayFrom(`${year}-05-01`),
    mondayFrom(`${year}-05-25`),
    mondayFrom(`${year}-08-25`),
    ...christmas(year),
  ];
  return new Set([...usual.filter((day) => !removed.includes(day)), ...added]);
}

/** Returns the day itself, or the next Monday if it is on a weekend. */
function onWeekday(day: string): string {
  return addDays(day, { 0: 1, 6: 2 }[weekday(day)] ?? 0);
}

/** Two bank holidays; substitute days for weekends follow Boxing Day. */
function christmas(year: number): [string, string] {
  switch (weekday(`${year}-12-25`)) {
    case 5: // Boxing Day on a Saturday
      return [`${year}-12-25`, `${year}-12-28`];
    case 6: // both on the weekend
      return [`${year}-12-27`, `${year}-12-28`];
    case 0: // Christmas Day on a Sunday
      return [`${year}-12-26`, `${year}-12-27`];
    default:
      return [`${year}-12-25`, `${year}-12-26`];
  }
}

function mondayFrom(day: string): string {
  return addDays(day, (8 - weekday(day)) % 7);
}

/** The anonymous Gregorian computus. */
function easterSunday(year: number): string {
  const golden = year % 19;
  const century = Math.floor(year / 100);
  const skipped = Math.floor(century / 4);
  const correction = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3);
  const epact = (19 * golden + century - skipped - correction + 15) % 30;
  const rest = year % 100;
  const weekdays = (32 + 2 * (century % 4) + 2 * Math.floor(rest / 4) - epact - (rest % 4)) % 7;
  const late = Math.floor((golden + 11 * epact + 22 * weekdays) / 451);
  const number = epact + weekdays - 7 * late + 114;
  return addDays(`${year}-${String(Math.floor(number / 31)).padStart(2, '0')}-01`, number % 31);
}
