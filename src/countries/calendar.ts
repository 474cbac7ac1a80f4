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

/** The part of a day in which clocks do not change. */
interface Stretch {
  from: number;
  to: number;
  day: string;
  offset_ms: number;
}

const maxStretches = 64;

const dayInWords = dayFormat({ day: 'numeric', month: 'long', year: 'numeric' });

/**
 * Days, wall times and financial years of one time zone; the clock itself is UTC. A day lasts 23 to 25 hours, may begin at
 * 01:00 and may not exist at all, so nobody adds 24 hours to a moment to get tomorrow: `start(addDays(day, 1))`.
 */
export class Calendar {
  readonly zone: string;
  /** `MM-DD` */
  readonly financialYearStart: string;
  readonly #format: Intl.DateTimeFormat;
  readonly #stretches: Stretch[] = [];
  #latest: Stretch = { from: 0, to: 0, day: '', offset_ms: 0 };

  constructor(zone: string, financialYearStart = '01-01') {
    // JavaScript reads +05:30 as east of Greenwich, and PostgreSQL as west of it.
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

  /** `YYYY-MM-DD` */
  day(moment: Date): string {
    return this.#latestStretch(moment.getTime()).day;
  }

  /** The first moment of a day; of a day that does not exist, the first moment of the next. */
  start(day: string): Date {
    return this.instant(day);
  }

  /** The instant of a wall time. If it occurs twice, the earlier; if clocks skip it, as much later as they skip. */
  instant(day: string, hour = 0, minute = 0): Date {
    const asIfUtc = Date.parse(`${day}T00:00:00Z`) + (hour * 60 + minute) * minute_ms;
    const before = asIfUtc - this.#stretch(asIfUtc - day_ms).offset_ms;
    const after = asIfUtc - this.#stretch(asIfUtc + day_ms).offset_ms;
    if (before === after) return new Date(before);
    const found = [before, after].filter((time) => time + this.#stretch(time).offset_ms === asIfUtc);
    return new Date(found.length === 0 ? before : Math.min(...found));
  }

  /** The first instant from a wall time `HH:MM` on: where clocks skip it, the moment after the gap; of two, the earlier. */
  firstInstant(day: string, time: string): Date {
    const [hour, minute] = time.split(':').map(Number);
    const instant = this.instant(day, hour, minute);
    const asIfUtc = Date.parse(`${day}T00:00:00Z`) + ((hour ?? 0) * 60 + (minute ?? 0)) * minute_ms;
    const stretch = this.#stretch(instant.getTime());
    return instant.getTime() + stretch.offset_ms === asIfUtc ? instant : new Date(stretch.from);
  }

  wallTime(moment: Date): WallTime {
    const local = new Date(moment.getTime() + this.#latestStretch(moment.getTime()).offset_ms);
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
    return this.#stretch(moment.getTime()).offset_ms;
  }

  /** `YYYY-MM-DD HH:MM:SS`, as shown in spreadsheets. */
  time(moment: Date): string {
    const { offset_ms } = this.#latestStretch(moment.getTime());
    return new Date(moment.getTime() + offset_ms).toISOString().slice(0, 19).replace('T', ' ');
  }

  /** The day of a moment in words: 3 November 2026. */
  dayInWords(moment: Date): string {
    return dayInWords(this.day(moment));
  }

  /** How far the zone's clocks are ahead of UTC in winter: what a schedule is shifted by, so that nights are nights. */
  standardOffset_ms(now: Date): number {
    const year = now.getUTCFullYear();
    const [january, july] = [0, 6].map((month) => this.#stretch(Date.UTC(year, month, 15)).offset_ms);
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
   * Twelve months, which begin on the same day of the month as the year, or on the last where a month is too short. The month
   * in which one begins is its name.
   */
  financialYearMonths(year: number): Days[] {
    return Array.from({ length: 12 }, (_, index) => ({
      first_day: this.#dayOfYear(year, index, 0),
      last_day: this.#dayOfYear(year, index + 1, -1),
    }));
  }

  /** So many months after the start of a financial year, and then days. */
  #dayOfYear(year: number, months: number, days: number): string {
    const [month = 1, day = 1] = this.financialYearStart.split('-').map(Number);
    const date = new Date(0);
    date.setUTCFullYear(year, month + months, 0);
    date.setUTCDate(Math.min(day, date.getUTCDate()) + days);
    return `${fourDigits(date.getUTCFullYear())}-${date.toISOString().slice(-19, -14)}`;
  }

  /** "2026 to 2027", or "2026" where it is a calendar year. */
  financialYearLabel(year: number): string {
    return this.financialYearStart === '01-01' ? String(year) : `${year} to ${year + 1}`;
  }

  /** The zone in words: Central European Time. With its city where the country of the locale has several: Eastern Time (Toronto). */
  zoneName(locale: string, language = 'en-GB'): string {
    const name = nameOfZone(this.zone, language);
    const zones = zonesOfLocale(locale);
    const [city = ''] = this.zone.split('/').slice(-1);
    return zones.some((zone) => nameOfZone(zone, language) !== name) ? `${name} (${city.replaceAll('_', ' ')})` : name;
  }

  // Formatting costs microseconds and the accept path asks thousands of times a second, so stretches are cached: two
  // comparisons for the day that everybody asks for, and exact in zones that are half an hour off.
  #latestStretch(time: number): Stretch {
    if (time < this.#latest.from || time >= this.#latest.to) this.#latest = this.#stretch(time);
    return this.#latest;
  }

  #stretch(time: number): Stretch {
    const cached = this.#stretches.find(({ from, to }) => time >= from && time < to);
    if (cached) return cached;
    const stretch = this.#computeStretch(time);
    if (this.#stretches.length === maxStretches) this.#stretches.shift();
    this.#stretches.push(stretch);
    return stretch;
  }

  #computeStretch(time: number): Stretch {
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

/** The moment nearest to `far` that is still the same as `near`; clocks change at most once between the two. */
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

/** A moment when zones have the rules of these years: where there is no summer time, the name says so. */
const named_ms = Date.UTC(2026, 6, 1);

function nameOfZone(zone: string, language: string): string {
  const parts = new Intl.DateTimeFormat(language, { timeZone: zone, timeZoneName: 'longGeneric' }).formatToParts(
    named_ms,
  );
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? zone;
}

/** Zones of the country of a locale. Newer versions of JavaScript have the method, older ones the property. */
export function zonesOfLocale(name: string): string[] {
  const locale: Intl.Locale & { timeZones?: string[]; getTimeZones?(): string[] | undefined } = new Intl.Locale(name);
  return locale.getTimeZones?.() ?? locale.timeZones ?? [];
}

/** Writes days, such as 2026-11-03, in words. A day is the same in every zone. */
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

/** 1 is Monday, 7 is Sunday. */
export function weekday(day: string): number {
  return new Date(`${day}T00:00:00Z`).getUTCDay() || 7;
}

function fourDigits(year: number): string {
  return String(year).padStart(4, '0');
}
