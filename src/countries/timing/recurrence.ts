import { addDays, isDay, weekday } from '../calendar.ts';
import { calendarOf } from './zones.ts';

/** A subset of the recurrence rules of iCalendar (RFC 5545), such as `FREQ=MONTHLY;BYDAY=1TU`, and our extension `BYDAY=-1WD`. */
export interface RecurrenceRule {
  frequency: 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY';
  interval: number;
  /** 1 is Monday. In monthly rules, `nth` counts that weekday within the month; -1 is the last. */
  weekdays: { weekday: number; nth: number | undefined }[];
  /** -1 is the last day. */
  monthDays: number[];
  /** Set by `FREQ=MONTHLY;BYDAY=-1WD`: the last working day of the month. */
  lastWorkingDay: boolean;
  count: number | undefined;
  /** The last day, or the last moment if the rule has a time. */
  until: string | Date | undefined;
}

/** A rule with its first day, its time of day and its time zone. */
export interface Recurrence {
  rule: RecurrenceRule;
  /** As `YYYY-MM-DD`. */
  starts_on: string;
  /** As `HH:MM`. */
  at_time: string;
  time_zone: string;
  isWorkingDay: (day: string) => boolean;
}

const weekdayCodes = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
const largestInterval = 52;
const largestCount = 500;
/** No recurrence has a later day. Beyond it nothing is known about time zones and holidays. */
export const lastRecurringDay = '2100-12-31';
/** A rule without a day in this many periods never has one, such as 31 February or 29 February of odd years. */
const maxPeriodsWithoutDay = 60;

/** Returns undefined if the text is not a rule or is not supported. */
export function parseRule(text: string): RecurrenceRule | undefined {
  if (text.length > 200) return undefined;
  const parts = new Map<string, string>();
  for (const part of text.split(';')) {
    const [, name, value] = /^([A-Z]+)=([A-Z0-9,-]+)$/.exec(part) ?? [];
    if (name === undefined || value === undefined || parts.has(name)) return undefined;
    parts.set(name, value);
  }
  const take = (name: string) => {
    const value = parts.get(name);
    parts.delete(name);
    return value;
  };
  const frequency = (['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const).find((each) => each === parts.get('FREQ'));
  take('FREQ');
  const interval = wholeNumber(take('INTERVAL') ?? '1', largestInterval);
  const countText = take('COUNT');
  const count = countText === undefined ? undefined : wholeNumber(countText, largestCount);
  const untilText = take('UNTIL');
  const until = untilText === undefined ? undefined : parseUntil(untilText);
  const lastWorkingDay = parts.get('BYDAY') === '-1WD';
  const weekdays = lastWorkingDay ? [] : list(parts.get('BYDAY')).map(parseWeekday);
  take('BYDAY');
  const monthDays = list(take('BYMONTHDAY')).map((day) => (day === '-1' ? -1 : wholeNumber(day, 31)));

  if (!frequency || interval === undefined || parts.size > 0) return undefined;
  if (countText !== undefined && (count === undefined || untilText !== undefined)) return undefined;
  if (untilText !== undefined && until === undefined) return undefined;
  if ((weekdays.length > 0 || lastWorkingDay) && monthDays.length > 0) return undefined;
  if (lastWorkingDay && frequency !== 'MONTHLY') return undefined;
  if (monthDays.length > 0 && frequency !== 'MONTHLY') return undefined;
  if (weekdays.length > 0 && frequency !== 'MONTHLY' && frequency !== 'WEEKLY') return undefined;
  if (!weekdays.every((day) => day !== undefined && (day.nth !== undefined) === (frequency === 'MONTHLY'))) {
    return undefined;
  }
  if (monthDays.includes(undefined)) return undefined;
  return {
    ...{ frequency, interval, count, until, lastWorkingDay },
    weekdays: weekdays.filter((day) => day !== undefined),
    monthDays: monthDays.filter((day) => day !== undefined),
  };
}

function list(text: string | undefined): string[] {
  return text === undefined ? [] : text.split(',');
}

function wholeNumber(text: string, largest: number): number | undefined {
  const number = /^[0-9]{1,3}$/.test(text) ? Number(text) : 0;
  return number >= 1 && number <= largest ? number : undefined;
}

function parseWeekday(text: string): { weekday: number; nth: number | undefined } | undefined {
  const [, nth, code = ''] = /^([1-4]|-1)?([A-Z]{2})$/.exec(text) ?? [];
  const index = weekdayCodes.indexOf(code);
  return index === -1 ? undefined : { weekday: index + 1, nth: nth === undefined ? undefined : Number(nth) };
}

function parseUntil(text: string): string | Date | undefined {
  const day = `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6, 8)}`;
  if (!isDay(day)) return undefined;
  if (text.length === 8) return day;
  const [, hour, minute, second] = /^T([01][0-9]|2[0-3])([0-5][0-9])([0-5][0-9])Z$/.exec(text.slice(8)) ?? [];
  return hour === undefined ? undefined : new Date(`${day}T${hour}:${minute}:${second}Z`);
}

/** Returns the next `wanted` moments after another. Local times that clocks skip move to the first moment after the gap. */
export function nextOccurrences(recurrence: Recurrence, after: Date, wanted: number): Date[] {
  const { rule, at_time } = recurrence;
  const calendar = calendarOf(recurrence.time_zone);
  const found: Date[] = [];
  let periodsWithoutDay = 0;
  const first = periodBefore(recurrence, addDays(calendar.day(after), -1));
  let counted = rule.count === undefined ? 0 : countDaysBefore(recurrence, first);
  for (let period = first; periodsWithoutDay < maxPeriodsWithoutDay; period += 1) {
    const days = daysOfPeriod(recurrence, period).filter((day) => day >= recurrence.starts_on);
    periodsWithoutDay = days.length === 0 ? periodsWithoutDay + 1 : 0;
    for (const day of days) {
      const moment = calendar.firstInstant(day, at_time);
      counted += 1;
      if (isAfterEnd(rule, day, moment, counted)) return found;
      if (moment > after) found.push(moment);
      if (found.length === wanted) return found;
    }
  }
  return found;
}

function isAfterEnd({ count, until }: RecurrenceRule, day: string, moment: Date, counted: number): boolean {
  if (day > lastRecurringDay || (count !== undefined && counted > count)) return true;
  if (until === undefined) return false;
  return typeof until === 'string' ? day > until : moment > until;
}

/** A period is one interval of days, weeks, months or years. Returns the last one that begins on or before a day. */
function periodBefore({ rule, starts_on }: Recurrence, day: string): number {
  if (day <= starts_on) return 0;
  const [fromYear, fromMonth] = yearAndMonth(starts_on);
  const [year, month] = yearAndMonth(day);
  const days = daysBetween(starts_on, day);
  const passed = {
    DAILY: days,
    WEEKLY: days / 7,
    MONTHLY: (year - fromYear) * 12 + month - fromMonth,
    YEARLY: year - fromYear,
  }[rule.frequency];
  return Math.floor(passed / rule.interval);
}

/** Counts the days of the periods before one. Works out no moments, which take most of the time. */
function countDaysBefore(recurrence: Recurrence, period: number): number {
  const { rule, starts_on } = recurrence;
  if (period === 0 || rule.frequency === 'DAILY') return period;
  const countIn = (index: number) => daysOfPeriod(recurrence, index).filter((day) => day >= starts_on).length;
  if (rule.frequency === 'WEEKLY') return countIn(0) + (period - 1) * daysOfPeriod(recurrence, 0).length;
  let counted = 0;
  for (let index = 0; index < period; index += 1) counted += countIn(index);
  return counted;
}

function daysOfPeriod({ rule, starts_on, isWorkingDay }: Recurrence, period: number): string[] {
  const [year, month, day] = yearAndMonth(starts_on);
  const steps = period * rule.interval;
  if (rule.frequency === 'DAILY') return [addDays(starts_on, steps)];
  if (rule.frequency === 'WEEKLY') {
    const monday = addDays(starts_on, 1 - weekday(starts_on) + steps * 7);
    const weekdays = rule.weekdays.length > 0 ? rule.weekdays.map((each) => each.weekday) : [weekday(starts_on)];
    return sorted(weekdays.map((each) => addDays(monday, each - 1)));
  }
  const months = rule.frequency === 'YEARLY' ? month + steps * 12 : month + steps;
  const ofMonth = new Date(Date.UTC(year, months - 1, 1)).toISOString().slice(0, 7);
  if (rule.lastWorkingDay) return lastWorkingDay(ofMonth, isWorkingDay);
  return sorted(
    rule.weekdays.length > 0
      ? rule.weekdays.map((each) => nthWeekday(ofMonth, each.weekday, each.nth ?? 1))
      : (rule.monthDays.length > 0 ? rule.monthDays : [day]).flatMap((each) => dayOfMonth(ofMonth, each)),
  );
}

/** Returns an empty list if the month is too short. */
function dayOfMonth(month: string, day: number): string[] {
  if (day === -1) return [lastOfMonth(month)];
  const text = `${month}-${String(day).padStart(2, '0')}`;
  return isDay(text) ? [text] : [];
}

function nthWeekday(month: string, wanted: number, nth: number): string {
  if (nth === -1) {
    const last = lastOfMonth(month);
    return addDays(last, -((weekday(last) - wanted + 7) % 7));
  }
  const first = `${month}-01`;
  return addDays(first, ((wanted - weekday(first) + 7) % 7) + (nth - 1) * 7);
}

function lastWorkingDay(month: string, isWorkingDay: (day: string) => boolean): string[] {
  let day = lastOfMonth(month);
  while (day.startsWith(month) && !isWorkingDay(day)) day = addDays(day, -1);
  return day.startsWith(month) ? [day] : [];
}

function lastOfMonth(month: string): string {
  const [year, index] = yearAndMonth(`${month}-01`);
  return new Date(Date.UTC(year, index, 0)).toISOString().slice(0, 10);
}

function yearAndMonth(day: string): [number, number, number] {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return [year, month, date];
}

function daysBetween(first: string, second: string): number {
  return Math.round((Date.parse(second) - Date.parse(first)) / 86_400_000);
}

function sorted(days: string[]): string[] {
  return [...new Set(days)].sort();
}
