import { day_ms, hour_ms, minute_ms } from './clock.ts';

/** London days, months and financial years: statistics use them, while the clock is UTC. */

const londonParts = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Europe/London',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

interface WallTime {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
}

export function londonWallTime(moment: Date): WallTime {
  const parts = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0 };
  for (const { type, value } of londonParts.formatToParts(moment)) {
    if (Object.hasOwn(parts, type)) parts[type as keyof WallTime] = Number(value);
  }
  return parts;
}

// Formatting costs microseconds and the accept path formats thousands of times a second, so the last UTC hour is
// cached: London's offset never changes within one.
let cachedHour = Number.NaN;
let cachedDay = '';

/** `YYYY-MM-DD` in London. */
export function londonDay(moment: Date): string {
  const hour = Math.floor(moment.getTime() / hour_ms);
  if (hour !== cachedHour) {
    const { year, month, day } = londonWallTime(moment);
    cachedHour = hour;
    cachedDay = isoDay(year, month, day);
  }
  return cachedDay;
}

/** `YYYY-MM-DD` in UTC: daily limits are counted per UTC day. */
export function utcDay(moment: Date): string {
  const number = Math.floor(moment.getTime() / day_ms);
  if (number !== cachedUtcNumber) {
    cachedUtcNumber = number;
    cachedUtcDay = moment.toISOString().slice(0, 10);
  }
  return cachedUtcDay;
}

let cachedUtcNumber = Number.NaN;
let cachedUtcDay = '';

/** The instant of a London wall time; midnight by default. */
export function londonInstant(day: string, hour = 0, minute = 0): Date {
  const asIfUtc = Date.parse(`${day}T00:00:00Z`) + (hour * 60 + minute) * minute_ms;
  // London is UTC or UTC+1: use whichever gives back the requested wall time.
  const summer = new Date(asIfUtc - hour_ms);
  const wall = londonWallTime(summer);
  return wall.hour === hour && wall.minute === minute && londonDayOf(wall) === day ? summer : new Date(asIfUtc);
}

const longDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });

/** The London day of a moment in words: 3 November 2026. */
export function londonDayInWords(moment: Date): string {
  return longDay.format(new Date(`${londonDay(moment)}T00:00:00Z`));
}

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * day_ms).toISOString().slice(0, 10);
}

export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const parsed = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().slice(0, 10) === text;
}

/** A financial year runs from 1 April to 31 March and is named by the year it starts in. */
export function financialYearOfDay(day: string): number {
  const year = Number(day.slice(0, 4));
  return day.slice(5) >= '04-01' ? year : year - 1;
}

export function financialYear(moment: Date): number {
  return financialYearOfDay(londonDay(moment));
}

/** A range of London days, both ends inclusive. */
export interface Days {
  first_day: string;
  last_day: string;
}

export function financialYearDays(year: number): Days {
  return { first_day: isoDay(year, 4, 1), last_day: isoDay(year + 1, 3, 31) };
}

/** `YYYY-MM-DD HH:MM:SS` in London, as shown in spreadsheets. */
export function londonTime(moment: Date): string {
  return new Date(moment.getTime() + londonOffset_ms(moment)).toISOString().slice(0, 19).replace('T', ' ');
}

const offsets = new Map<number, number>();
const maxOffsets = 1_000;

/** Cached by UTC hour, because a spreadsheet has thousands of times of a few days. */
function londonOffset_ms(moment: Date): number {
  const hour = Math.floor(moment.getTime() / hour_ms);
  const cached = offsets.get(hour);
  if (cached !== undefined) return cached;
  const start = hour * hour_ms;
  const wall = londonWallTime(new Date(start));
  const offset = Date.UTC(wall.year, wall.month - 1, wall.day, wall.hour, wall.minute, wall.second) - start;
  if (offsets.size >= maxOffsets) offsets.clear();
  offsets.set(hour, offset);
  return offset;
}

function londonDayOf(wall: WallTime): string {
  return isoDay(wall.year, wall.month, wall.day);
}

function isoDay(year: number, month: number, day: number): string {
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}
