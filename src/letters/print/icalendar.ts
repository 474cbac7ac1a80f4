import { addDays, isDay } from '../../countries/calendar.ts';
import { OperatorError } from '../../platform/failure.ts';
import type { DayWithoutPrinting } from './days-without-printing.sql.ts';

/** A property of RFC 5545, and the line of the file where it begins. */
interface Property {
  line: number;
  name: string;
  parameters: string;
  value: string;
}

const maxDays = 1_000;
const maxDaysOfEvent = 60;

/**
 * Returns the distinct days of the events in an iCalendar file (RFC 5545) with the names of the events. Events that have a time or repeat
 * are refused: skipping them would print letters on a day that somebody wanted to be free.
 */
export function readCalendarDays(text: string): DayWithoutPrinting[] {
  const days = new Map<string, string>();
  for (const event of readEvents(text)) {
    if (event.get('STATUS')?.value.toUpperCase() === 'CANCELLED') continue;
    const name = nameOf(event);
    for (const day of daysOf(event)) if (!days.has(day)) days.set(day, name);
    if (days.size > maxDays) throw new OperatorError(`The file has more than ${maxDays} days. Export fewer years.`);
  }
  if (days.size === 0) throw new OperatorError('The file has no events.');
  return [...days].map(([day, name]) => ({ day, name })).sort((a, b) => a.day.localeCompare(b.day));
}

type Event = ReadonlyMap<string, Property>;

/** Components within an event, such as alarms, have their own properties, which are ignored. */
function readEvents(text: string): Event[] {
  const events: Event[] = [];
  const open: string[] = [];
  let event = new Map<string, Property>();
  for (const property of readProperties(text)) {
    const { name, line } = property;
    const component = property.value.trim().toUpperCase();
    if (open.length === 0 && !(name === 'BEGIN' && component === 'VCALENDAR')) {
      throw new OperatorError(`Line ${line}: the file is not a calendar. Use one that begins with BEGIN:VCALENDAR.`);
    }
    if (name === 'BEGIN') {
      open.push(component);
      if (component === 'VEVENT') event = new Map([['BEGIN', property]]);
    } else if (name === 'END') {
      if (open.pop() !== component) throw new OperatorError(`Line ${line}: END:${component} ends nothing.`);
      if (component === 'VEVENT') events.push(event);
    } else if (open.at(-1) === 'VEVENT') event.set(name, property);
  }
  const [unfinished] = open.slice(-1);
  if (unfinished !== undefined) throw new OperatorError(`The file ends within ${unfinished}. Export it again.`);
  return events;
}

/** Unfolds long lines, whose continuation begins with a space. Parameter values may contain colons within quotes. */
function readProperties(text: string): Property[] {
  const lines: { line: number; text: string }[] = [];
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    .entries()) {
    const last = lines.at(-1);
    if (/^[ \t]/.test(line) && last) last.text += line.slice(1);
    else if (line !== '') lines.push({ line: index + 1, text: line });
  }
  return lines.map(({ line, text: unfolded }) => {
    const [, name = '', parameters = '', value] =
      /^([A-Za-z0-9-]+)((?:;[^=:;"]+=(?:"[^"]*"|[^":;])*)*):(.*)$/.exec(unfolded) ?? [];
    if (value === undefined) {
      throw new OperatorError(`Line ${line}: “${unfolded.slice(0, 40)}” is not a line of a calendar (.ics).`);
    }
    return { line, name: name.toUpperCase(), parameters, value };
  });
}

function nameOf(event: Event): string {
  const text = event.get('SUMMARY')?.value ?? '';
  const plain = text.replaceAll(/\\([nN,;\\])/g, (_, escaped: string) => (/n/i.test(escaped) ? ' ' : escaped)).trim();
  return plain === '' ? 'No name' : plain.slice(0, 100);
}

/** DTEND is the day after the last day of an event. */
function daysOf(event: Event): string[] {
  const start = event.get('DTSTART');
  const line = (start ?? event.get('BEGIN'))?.line;
  const refuse = (problem: string) => new OperatorError(`Line ${line}: the event “${nameOf(event)}” ${problem}`);
  if (!start) throw refuse('has no day. Give it a DTSTART.');
  if (event.has('RRULE') || event.has('RDATE')) throw refuse('repeats. Export its days as single events.');
  const first = parseDay(start);
  if (first === undefined) throw refuse('has no whole day as DTSTART, such as DTSTART;VALUE=DATE:20261224.');
  const end = event.get('DTEND');
  const after = end ? parseDay(end) : endAfter(first, event.get('DURATION')?.value);
  if (after === undefined) throw refuse('does not end with a whole day.');
  const days: string[] = [];
  // In some calendars DTEND is the last day itself, contrary to RFC 5545.
  for (let day = first; day < after || day === first; day = addDays(day, 1)) {
    days.push(day);
    if (days.length > maxDaysOfEvent) throw refuse(`lasts more than ${maxDaysOfEvent} days.`);
  }
  return days;
}

function parseDay({ value, parameters }: Property): string | undefined {
  const [, year, month, date] = /^(\d{4})(\d\d)(\d\d)$/.exec(value.trim()) ?? [];
  const day = `${year}-${month}-${date}`;
  const isDate = !/;VALUE=/i.test(parameters) || /;VALUE=DATE(;|$)/i.test(parameters);
  return isDate && isDay(day) ? day : undefined;
}

function endAfter(first: string, duration: string | undefined): string | undefined {
  if (duration === undefined) return addDays(first, 1);
  const [, amount, unit] = /^\+?P(\d{1,3})([DW])$/i.exec(duration.trim()) ?? [];
  return amount === undefined ? undefined : addDays(first, Number(amount) * (unit?.toUpperCase() === 'W' ? 7 : 1));
}
