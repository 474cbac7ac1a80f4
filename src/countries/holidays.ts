import { addDays, isDay, weekday } from './calendar.ts';
import type { CountryProfile, HolidayRule } from './profile.ts';

type Profile = CountryProfile['holidays'];

/** A holiday by its rule, and where it moves if it falls on a weekend. */
interface Found {
  day: string;
  shift: 'none' | 'monday' | 'nearest' | 'sunday-before';
}

/** The public holidays and working days of one country. */
export class Holidays {
  readonly #profile: Profile;
  /** The rules of the whole country and of the chosen region. */
  readonly #rules: readonly HolidayRule[];
  readonly #weekend: ReadonlySet<number>;
  readonly #years = new Map<number, ReadonlySet<string>>();
  #added: ReadonlySet<string> = new Set();
  #reads = 0;

  constructor(profile: Profile, weekend: readonly number[]) {
    this.#profile = profile;
    const { rules, regions, region } = profile;
    this.#rules = [...rules, ...(region === undefined ? [] : (regions[region] ?? []))];
    this.#weekend = new Set(weekend);
  }

  has(day: string): boolean {
    return this.#added.has(day) || this.ofYear(Number(day.slice(0, 4))).has(day);
  }

  /** Replaces the holidays that operators added to those of the profile. If reads overlap, the one that began last wins. */
  async readAdded(read: () => Promise<readonly string[]>): Promise<void> {
    this.#reads += 1;
    const turn = this.#reads;
    const days = await read();
    if (turn === this.#reads) this.#added = new Set(days);
  }

  /** Whether letters are printed on this day. */
  isWorkingDay(day: string): boolean {
    return !this.#weekend.has(weekday(day)) && !this.has(day);
  }

  /** Returns the day itself if it is a working day, otherwise the next one. */
  workingDayFrom(day: string): string {
    let found = day;
    while (!this.isWorkingDay(found)) found = addDays(found, 1);
    return found;
  }

  /** Returns the holidays of the profile, without added ones. */
  ofYear(year: number): ReadonlySet<string> {
    let days = this.#years.get(year);
    if (!days) {
      days = this.#compute(year);
      this.#years.set(year, days);
    }
    return days;
  }

  /** Whether the tables of holidays that no rule can compute include the year. */
  isKnown(year: number): boolean {
    return this.#rules.every((rule) => !('table' in rule) || Object.hasOwn(rule.table, year));
  }

  /** Includes the years before and after, because a holiday may be observed in another year: 1 January 2028 on Friday, 31 December 2027. */
  #compute(year: number): ReadonlySet<string> {
    const years = [year - 1, year, year + 1];
    const changes = years.flatMap((one) => this.#profile.changes[one] ?? []);
    const removed = new Set(changes.flatMap((change) => change.removed));
    const usual = years.flatMap((one) => this.#usual(one)).filter((day) => !removed.has(day));
    const added = changes.flatMap((change) => change.added);
    return new Set([...usual, ...added].filter((day) => Number(day.slice(0, 4)) === year));
  }

  #usual(year: number): string[] {
    const found = this.#rules.flatMap((rule) => evaluate(rule, year));
    return [...(this.#profile.strategy === 'gb' ? englandAndWales(year) : []), ...this.#observe(found)];
  }

  /** If two holidays move to the same Monday, they take Monday and Tuesday. */
  #observe(found: Found[]): string[] {
    const moves = ({ day, shift }: Found) => shift === 'monday' && this.#weekend.has(weekday(day));
    const days = new Set(found.filter((one) => !moves(one)).map((one) => this.#move(one)));
    for (const { day } of found.filter(moves)) {
      let observed = day;
      while (this.#weekend.has(weekday(observed)) || days.has(observed)) observed = addDays(observed, 1);
      days.add(observed);
    }
    return [...days];
  }

  #move({ day, shift }: Found): string {
    if (shift === 'sunday-before') return weekday(day) === 7 ? addDays(day, -1) : day;
    if (shift !== 'nearest' || !this.#weekend.has(weekday(day))) return day;
    return addDays(day, this.#weekend.has(weekday(addDays(day, 1))) ? -1 : 1);
  }
}

function evaluate(rule: HolidayRule, year: number): Found[] {
  const fixed = (day: string | undefined, shift: Found['shift'] = 'none'): Found[] =>
    day !== undefined && isDay(day) ? [{ day, shift }] : [];
  if ('on' in rule) {
    const applies = (rule.from ?? year) <= year && year <= (rule.until ?? year);
    return applies ? fixed(`${year}-${rule.on}`, rule.shift) : [];
  }
  if ('easter' in rule) return fixed(addDays(easterSunday(year), rule.easter));
  if ('nth' in rule) return fixed(nthWeekday(year, rule));
  if ('before' in rule) {
    const yesterday = addDays(`${year}-${rule.before}`, -1);
    return fixed(addDays(yesterday, -((weekday(yesterday) - rule.weekday + 7) % 7)));
  }
  const day = rule.table[year];
  return fixed(day && `${year}-${day}`);
}

/** Returns undefined if the month has no such day, for example no fifth Monday. */
function nthWeekday(year: number, rule: { weekday: number; nth: number; month: number }): string | undefined {
  const first = `${year}-${twoDigits(rule.month)}-01`;
  const inMonth = addDays(first, (rule.weekday - weekday(first) + 7) % 7);
  const isInMonth = (day: string) => day.startsWith(first.slice(0, 7));
  if (rule.nth > 0) return [addDays(inMonth, 7 * (rule.nth - 1))].find(isInMonth);
  return [addDays(inMonth, 28), addDays(inMonth, 21)].find(isInMonth);
}

/** Returns the bank holidays of England and Wales. */
function englandAndWales(year: number): string[] {
  const easter = easterSunday(year);
  return [
    onWeekday(`${year}-01-01`),
    addDays(easter, -2),
    addDays(easter, 1),
    mondayFrom(`${year}-05-01`),
    mondayFrom(`${year}-05-25`),
    mondayFrom(`${year}-08-25`),
    ...christmas(year),
  ];
}

/** Returns the day itself, or the next Monday if it is on a weekend. */
function onWeekday(day: string): string {
  return weekday(day) > 5 ? mondayFrom(day) : day;
}

/** Returns the two bank holidays. Substitute days for weekends follow Boxing Day. */
function christmas(year: number): [string, string] {
  switch (weekday(`${year}-12-25`)) {
    case 5: // Boxing Day on a Saturday
      return [`${year}-12-25`, `${year}-12-28`];
    case 6: // both on the weekend
      return [`${year}-12-27`, `${year}-12-28`];
    case 7: // Christmas Day on a Sunday
      return [`${year}-12-26`, `${year}-12-27`];
    default:
      return [`${year}-12-25`, `${year}-12-26`];
  }
}

function mondayFrom(day: string): string {
  return addDays(day, (8 - weekday(day)) % 7);
}

/** Computes Easter by the anonymous Gregorian algorithm. */
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
  return addDays(`${year}-${twoDigits(Math.floor(number / 31))}-01`, number % 31);
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
