import { addDays } from '../platform/calendar.ts';

/** Days in a row: a whole month, a pentad of one (days 1-5, 6-10, ... 26 to its end), or a single day. */
export interface Span {
  span: 'month' | 'pentad' | 'day';
  first_day: string;
  last_day: string;
}

// No figure lies outside, and a range that is asked for may: it must not be taken apart into a hundred thousand months.
const earliest = '2000-01-01';
const latest = '2099-12-31';

/**
 * The fewest spans that cover exactly the days from the first to the last: months where they are whole, pentads at the
 * ends, and at most five single days at each end. Totals are kept by month and pentad.
 */
export function spansOf(firstDay: string, lastDay: string): Span[] {
  const spans: Span[] = [];
  const last = lastDay < latest ? lastDay : latest;
  let day = firstDay > earliest ? firstDay : earliest;
  while (day <= last) {
    const span = longestFrom(day, last);
    spans.push(span);
    day = addDays(span.last_day, 1);
  }
  return spans;
}

function longestFrom(day: string, last: string): Span {
  const ofMonth = Number(day.slice(8));
  const monthEnd = endOfMonth(day);
  if (ofMonth === 1 && monthEnd <= last) return { span: 'month', first_day: day, last_day: monthEnd };
  const pentadEnd = ofMonth >= 26 ? monthEnd : addDays(day, 4);
  if (ofMonth % 5 === 1 && ofMonth <= 26 && pentadEnd <= last) {
    return { span: 'pentad', first_day: day, last_day: pentadEnd };
  }
  return { span: 'day', first_day: day, last_day: day };
}

function endOfMonth(day: string): string {
  const [year = 0, month = 0] = day.split('-').map(Number);
  return addDays(month === 12 ? `${year + 1}-01-01` : `${year}-${String(month + 1).padStart(2, '0')}-01`, -1);
}
