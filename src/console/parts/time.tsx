import { londonWallTime } from '../../platform/calendar.ts';
import { day_ms, earlier } from '../../platform/clock.ts';

interface TimeProps {
  at: string;
  now: Date;
  /** In narrow lists: today has its time only. */
  brief?: boolean;
}

/** "today, 14:02"; exact in the title. London time, as everywhere in the console. */
export function Time({ at, now, brief }: TimeProps) {
  const moment = new Date(at);
  return (
    <time dateTime={toTheSecond(moment)} title={exactTime(moment)}>
      {brief ? shortTime(moment, now).replace('today, ', '') : shortTime(moment, now)}
    </time>
  );
}

/** Lists have many times, and each byte of one counts fifty times. */
function toTheSecond(moment: Date): string {
  return `${moment.toISOString().slice(0, 19)}Z`;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const twoDigits = (value: number) => String(value).padStart(2, '0');

/** "14:02" */
export function clockTime(moment: Date): string {
  const { hour, minute } = londonWallTime(moment);
  return `${twoDigits(hour)}:${twoDigits(minute)}`;
}

/** "15 Nov" */
export function dayAndMonth(moment: Date): string {
  const { day, month } = londonWallTime(moment);
  return `${day} ${months[month - 1]}`;
}

/** "15 Nov 2026" */
export function fullDay(at: string): string {
  return dayOfYear(new Date(/Z|[+-]\d\d:\d\d$/.test(at) ? at : `${at}Z`));
}

function dayOfYear(moment: Date): string {
  return `${dayAndMonth(moment)} ${londonWallTime(moment).year}`;
}

function exactTime(moment: Date): string {
  return `${dayOfYear(moment)}, ${exactClockTime(moment)} London`;
}

function shortTime(moment: Date, now: Date): string {
  const day = dayOfYear(moment);
  const time = clockTime(moment);
  if (day === dayOfYear(now)) return `today, ${time}`;
  if (day === dayOfYear(earlier(now, day_ms))) return `yesterday, ${time}`;
  const isThisYear = londonWallTime(moment).year === londonWallTime(now).year;
  return `${isThisYear ? dayAndMonth(moment) : day}, ${time}`;
}

/** "14:02:11" */
export function exactClockTime(moment: Date): string {
  return `${clockTime(moment)}:${twoDigits(londonWallTime(moment).second)}`;
}

/** For what happens within seconds. */
export function ClockTime({ at }: { at: string }) {
  const moment = new Date(at);
  return (
    <time dateTime={toTheSecond(moment)} title={exactTime(moment)}>
      {exactClockTime(moment)}
    </time>
  );
}
