import { addDays, type Days } from './calendar.ts';

/** Days in a row: a whole month, a pentad of one (days 1-5, 6-10, ... 26 to its end), or a single day. */
export interface Span extends Days {
  span: 'month' | 'pentad' | 'day';
}

const earliest = '2000-01-01';
const latest = '2099-12-31';

/** No figure lies outside, and a range that is asked for may: it must not be taken apart into a hundred thousand months. */
export function withinRecords(days: Days): Days {
  return {
    first_day: days.first_day > earliest ? days.first_day : earliest,
    last_day: days.last_day < latest ? days.last_day : latest,
  };
}

/**
 * The fewest spans that cover exactly these days: months where they are whole, pentads at the
 * ends, and at most five single days at each end. Totals are kept by month and pentad.
 */
export function spansOf({ first_day, last_day }: Days): Span[] {
  const spans: Span[] = [];
  let day = first_day;
  while (day <= last_day) {
    const span = longestFrom(day, last_day);
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
  // The 28th and four days more are in the next month, whatever the month.
  return addDays(`${addDays(`${day.slice(0, 7)}-28`, 4).slice(0, 7)}-01`, -1);
}
