import { type Days, financialYearOfDay, isDay, londonDay } from '../platform/calendar.ts';
import { invalid } from '../platform/failure.ts';

export interface DaysAsked {
  start_date?: unknown;
  end_date?: unknown;
}

/** The checks come in this order: the form of the start, of the end, then what they say together. */
export function daysOf(asked: DaysAsked): Days {
  const first_day = dayIn(asked.start_date);
  const last_day = dayIn(asked.end_date);
  if (first_day > last_day) throw invalid('Start date must be before end date');
  return { first_day, last_day };
}

/** A day that is not given is today. */
export function daysUpTo(now: Date, asked: DaysAsked): Days {
  const { start_date = londonDay(now), end_date = londonDay(now) } = asked;
  return daysOf({ start_date, end_date });
}

export function daysOfOneYear(asked: DaysAsked): Days {
  const days = daysOf(asked);
  if (financialYearOfDay(days.first_day) !== financialYearOfDay(days.last_day)) {
    throw invalid('Date must be in a single financial year.');
  }
  return days;
}

function dayIn(text: unknown): string {
  // No calendar has a year 0, and neither has the database.
  if (typeof text === 'string' && isDay(text) && !text.startsWith('0000')) return text;
  throw invalid('Input must be a date in the format: YYYY-MM-DD');
}
