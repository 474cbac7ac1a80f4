import { isWorkingDay, printRunDay } from '../notifications/history/estimated-delivery.ts';
import { addDays } from '../platform/calendar.ts';

const dayInWords = new Intl.DateTimeFormat('en-GB', {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  timeZone: 'UTC',
});

/** The day of the print run that a letter goes into, in words. */
export function printDay(acceptedAt: string): string {
  let day = printRunDay(new Date(acceptedAt));
  while (!isWorkingDay(day)) day = addDays(day, 1);
  return `${dayInWords.format(new Date(`${day}T00:00:00Z`))} after 17:30`;
}
