import { addDays, londonDay, londonInstant, londonWallTime } from '../../platform/calendar.ts';
import { type Timestamp, timestamp } from '../../platform/clock.ts';
import type { Postage } from '../notification.ts';
import { isBankHoliday, weekday } from './bank-holidays.ts';

/** London time of the daily print run. Later letters go into the run of the next day. */
export const printCutOff = { hour: 17, minute: 30 };

/** Returns the London day of a letter's print run. */
export function printRunDay(createdAt: Date): string {
  const day = londonDay(createdAt);
  const { hour, minute } = londonWallTime(createdAt);
  const after = hour > printCutOff.hour || (hour === printCutOff.hour && minute >= printCutOff.minute);
  return after ? addDays(day, 1) : day;
}

const transitDays: Record<Postage, number> = { first: 1, second: 5, economy: 7, europe: 6, 'rest-of-world': 8 };

/** Estimates delivery at 16:00 in London on the last day of transit. */
export function estimatedDelivery(createdAt: Date, postage: Postage): Timestamp {
  let day = nextDay(printRunDay(createdAt), isWorkingDay);
  const isDeliveryDay = postage === 'first' ? isFirstClassDay : isWorkingDay;
  for (let left = transitDays[postage]; left > 0; left -= 1) day = nextDay(day, isDeliveryDay);
  return timestamp(londonInstant(day, 16));
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
