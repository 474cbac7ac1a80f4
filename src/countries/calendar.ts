const minute_ms = 60_000;
const day_ms = 24 * 60 * minute_ms;

/** A range of days, both ends inclusive. */
export interface Days {
  first_day: string;
  last_day: string;
}

interface WallTime {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
}

/** A period without clock changes within one day. */
interface OffsetPeriod {
  from: number;
  to: number;
  day: string;
  offset_ms: number;
}

const maxPeriods = 64;

const formatLongDate = dayFormat({ day: 'numeric', month: 'long', year: 'numeric' });

/**
 * Days, wall times and financial years of one time zone; the clock itself is UTC. A day lasts 23 to 25 hours, may begin at 01:00 and may
 * not exist at all. So tomorrow is `start(addDays(day, 1))`, never 24 hours later.
 */
export class Calendar {
  readonly zone: string;
  /** As `MM-DD`. */
  readonly financialYearStart: string;
  readonly #format: Intl.DateTimeFormat;
  readonly #periods: OffsetPeriod[] = [];
  #latest: OffsetPeriod = { from: 0, to: 0, day: '', offset_ms: 0 };

  constructor(zone: string, financialYearStart = '01-01') {
    // JavaScript reads +05:30 as east of Greenwich, PostgreSQL as west of it.
    if (!/^[A-Za-z][\w+/-]*$/.test(zone)) throw new RangeError(`Not the name of a time zone: ${zone}`);
    this.zone = zone;
    this.financialYearStart = financialYearStart;
    this.#format = new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
    });
  }

  /** Returns the day as `YYYY-MM-DD`. */
  day(moment: Date): string {
    return this.#latestPeriod(moment.getTime()).day;
  }

  /** Returns the first moment of a day. If the day does not exist, returns the first moment of the next day. */
  start(day: string): Date {
    return this.instant(day);
  }

  /** Returns the instant of a wall time: the earlier one if it occurs twice. If clocks skip it, it is shifted by as much as they skip. */
  instant(day: string, hour = 0, minute = 0): Date {
    const asIfUtc = Date.parse(`${day}T00:00:00Z`) + (hour * 60 + minute) * minute_ms;
    const before = asIfUtc - this.#period(asIfUtc - day_ms).offset_ms;
    const after = asIfUtc - this.#period(asIfUtc + day_ms).offset_ms;
    if (before === after) return new Date(before);
    const found = [before, after].filter((time) => time + this.#period(time).offset_ms === asIfUtc);
    return new Date(found.length === 0 ? before : Math.min(...found));
  }

  /**
   * Returns the first instant at or after a wall time `HH:MM`: the earlier one if it occurs twice, the end of the gap if clocks skip it.
   */
  firstInstant(day: string, time: string): Date {
    const [hour, minute] = time.split(':').map(Number);
    const instant = this.instant(day, hour, minute);
    const asIfUtc = Date.parse(`${day}T00:00:00Z`) + ((hour ?? 0) * 60 + (minute ?? 0)) * minute_ms;
    const period = this.#period(instant.getTime());
    return instant.getTime() + period.offset_ms === asIfUtc ? instant : new Date(period.from);
  }

  wallTime(moment: Date): WallTime {
    const local = new Date(moment.getTime() + this.#latestPeriod(moment.getTime()).offset_ms);
    return {
      year: local.getUTCFullYear(),
      month: local.getUTCMonth() + 1,
      day: local.getUTCDate(),
      hour: local.getUTCHours(),
      minute: local.getUTCMinutes(),
      second: local.getUTCSeconds(),
    };
  }

  /** How far clocks are ahead of UTC. */
  offset_ms(moment: Date): number {
    return this.#period(moment.getTime()).offset_ms;
  }

  /** Returns `YYYY-MM-DD HH:MM:SS`, as shown in spreadsheets. */
  time(moment: Date): string {
    const { offset_ms } = this.#latestPeriod(moment.getTime());
    return new Date(moment.getTime() + offset_ms).toISOString().slice(0, 19).replace('T', ' ');
  }

  /** Returns the day of a moment in words: 3 November 2026. */
  longDate(moment: Date): string {
    return formatLongDate(this.day(moment));
  }

  /** Returns how far the zone's clocks are ahead of UTC in winter. Schedules are shifted by it, so that they run at night. */
  standardOffset_ms(now: Date): number {
    const year = now.getUTCFullYear();
    const [january, july] = [0, 6].map((month) => this.#period(Date.UTC(year, month, 15)).offset_ms);
    return Math.min(january ?? 0, july ?? 0);
  }

  /** A financial year is named by the year it starts in. */
  financialYear(moment: Date): number {
    return this.financialYearOfDay(this.day(moment));
  }

  financialYearOfDay(day: string): number {
    const year = Number(day.slice(0, 4));
    return day.slice(5) >= this.financialYearStart ? year : year - 1;
  }

  financialYearDays(year: number): Days {
    return {
      first_day: `${fourDigits(year)}-${this.financialYearStart}`,
      last_day: this.#dayOfYear(year, 12, -1),
    };
  }

  /**
   * Returns the twelve months of a financial year. They begin on the same day of the month as the year, or on the last day of a shorter
   * month. A month is named after the calendar month in which it begins.
   */
  financialYearMonths(year: number): Days[] {
    return Array.from({ length: 12 }, (_, index) => ({
      first_day: this.#dayOfYear(year, index, 0),
      last_day: this.#dayOfYear(year, index + 1, -1),
    }));
  }

  /** Returns the day so many months, and then days, after the start of a financial year. */
  #dayOfYear(year: number, months: number, days: number): string {
    const [month = 1, day = 1] = this.financialYearStart.split('-').map(Number);
    const date = new Date(0);
    date.setUTCFullYear(year, month + months, 0);
    date.setUTCDate(Math.min(day, date.getUTCDate()) + days);
    return `${fourDigits(date.getUTCFullYear())}-${date.toISOString().slice(-19, -14)}`;
  }

  /** Returns "2026 to 2027", or "2026" if the financial year is the calendar year. */
  financialYearLabel(year: number): string {
    return this.financialYearStart === '01-01' ? String(year) : `${year} to ${year + 1}`;
  }

  /**
   * Returns the zone in words: Central European Time. If the country of the locale has several zones, the city is added: Eastern Time
   * (Toronto).
   */
  zoneName(locale: string, language = 'en-GB'): string {
    const name = nameOfZone(this.zone, language);
    const zones = zonesOfLocale(locale);
    const [city = ''] = this.zone.split('/').slice(-1);
    return zones.some((zone) => nameOfZone(zone, language) !== name) ? `${name} (${city.replaceAll('_', ' ')})` : name;
  }

  // Formatting takes microseconds and the accept path needs it thousands of times a second, so periods without clock changes are cached:
  // for the current day, a lookup is two comparisons, and it is exact in zones with half-hour offsets.
  #latestPeriod(time: number): OffsetPeriod {
    if (time < this.#latest.from || time >= this.#latest.to) this.#latest = this.#period(time);
    return this.#latest;
  }

  #period(time: number): OffsetPeriod {
    const cached = this.#periods.find(({ from, to }) => time >= from && time < to);
    if (cached) return cached;
    const period = this.#computePeriod(time);
    if (this.#periods.length === maxPeriods) this.#periods.shift();
    this.#periods.push(period);
    return period;
  }

  #computePeriod(time: number): OffsetPeriod {
    const offset_ms = this.#offset_ms(time);
    const midnight = Math.floor((time + offset_ms) / day_ms) * day_ms;
    const isSame = (other: number) => this.#offset_ms(other) === offset_ms;
    return {
      from: edge(time, midnight - offset_ms, isSame),
      to: edge(time, midnight + day_ms - 1 - offset_ms, isSame) + 1,
      day: new Date(midnight).toISOString().slice(0, 10),
      offset_ms,
    };
  }

  #offset_ms(time: number): number {
    const parts = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0 };
    for (const { type, value } of this.#format.formatToParts(time)) {
      if (Object.hasOwn(parts, type)) parts[type as keyof WallTime] = Number(value);
    }
    const wall = new Date(0);
    wall.setUTCFullYear(parts.year, parts.month - 1, parts.day);
    wall.setUTCHours(parts.hour, parts.minute, parts.second);
    return wall.getTime() - Math.floor(time / 1_000) * 1_000;
  }
}

/** Finds the moment closest to `far` that still counts as the same as `near`. Clocks change at most once between the two. */
function edge(near: number, far: number, isSame: (time: number) => boolean): number {
  if (isSame(far)) return far;
  let [same, other] = [near, far];
  while (Math.abs(other - same) > 1) {
    const middle = Math.floor((same + other) / 2);
    if (isSame(middle)) same = middle;
    else other = middle;
  }
  return same;
}

/** A moment at which zones have their current rules. Without summer time, the name of a zone at this moment says so. */
const named_ms = Date.UTC(2026, 6, 1);

function nameOfZone(zone: string, language: string): string {
  const parts = new Intl.DateTimeFormat(language, { timeZone: zone, timeZoneName: 'longGeneric' }).formatToParts(
    named_ms,
  );
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? zone;
}

/** Lists the zones of the country of a locale. Newer versions of JavaScript have a method for it, older ones a property. */
export function zonesOfLocale(name: string): string[] {
  const locale: Intl.Locale & { timeZones?: string[]; getTimeZones?(): string[] | undefined } = new Intl.Locale(name);
  return locale.getTimeZones?.() ?? locale.timeZones ?? [];
}

/** Returns a formatter of days, such as 2026-11-03, in words. A day is the same in every zone. */
export function dayFormat(
  options: Pick<Intl.DateTimeFormatOptions, 'weekday' | 'day' | 'month' | 'year'>,
  locale = 'en-GB',
) {
  const format = new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' });
  return (day: string) => format.format(new Date(`${day}T00:00:00Z`));
}

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * day_ms).toISOString().slice(0, 10);
}

export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const parsed = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().slice(0, 10) === text;
}

/** Returns 1 for Monday to 7 for Sunday. */
export function weekday(day: string): number {
  return new Date(`${day}T00:00:00Z`).getUTCDay() || 7;
}

function fourDigits(year: number): string {
  return String(year).padStart(4, '0');
}
