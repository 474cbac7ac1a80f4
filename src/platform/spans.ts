import { addDays, type Days } from '../countries/calendar.ts';

/** A range of days: a whole month, five days (days 1-5, 6-10, ... 26 to the end of the month), or a single day. */
export interface Span extends Days {
  span: 'month' | 'five_days' | 'day';
}

const earliest = '2000-01-01';
const latest = '2099-12-31';

/** Limits a request to the range that can have data, so that it is not split into a hundred thousand months. */
export function withinRecords(days: Days): Days {
  return {
    first_day: days.first_day > earliest ? days.first_day : earliest,
    last_day: days.last_day < latest ? days.last_day : latest,
  };
}

/**
 * Returns the fewest spans that cover exactly these days: whole months, then spans of five days, then single days at both ends. Totals are
 * stored by month and by five days.
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
  const fiveDaysEnd = ofMonth >= 26 ? monthEnd : addDays(day, 4);
  if (ofMonth % 5 === 1 && ofMonth <= 26 && fiveDaysEnd <= last) {
    return { span: 'five_days', first_day: day, last_day: fiveDaysEnd };
  }
  return { span: 'day', first_day: day, last_day: day };
}

function endOfMonth(day: string): string {
  // Four days after the 28th is always in the next month.
  return addDays(`${addDays(`${day.slice(0, 7)}-28`, 4).slice(0, 7)}-01`, -1);
}
