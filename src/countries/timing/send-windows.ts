import { addDays, weekday } from '../calendar.ts';
import { calendarOf } from './zones.ts';

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof weekdays)[number];

/** When messages may be sent, in the recipient's time. */
export interface SendWindow {
  /** The weekdays on which the window opens. */
  days: readonly Weekday[];
  /** As `HH:MM`, inclusive. */
  from_time: string;
  /** As `HH:MM`, exclusive. `24:00` is midnight; a time at or before `from_time` is on the next day. */
  until_time: string;
  /** As `YYYY-MM-DD`: the window does not open on these days. */
  closed_days: readonly string[];
}

const day_ms = 86_400_000;

/** A window that stays closed for longer than this never opens. */
const longestClosure_days = 14;

/** Returns the first moment from `from` on at which the window is open in all zones. Returns undefined if there is none within 14 days. */
export function nextOpening(window: SendWindow, zones: readonly string[], from: Date): Date | undefined {
  const last = from.getTime() + longestClosure_days * day_ms;
  let time = from.getTime();
  let openZones = 0;
  // Goes through the zones in turn until the window is open at the same moment in all of them, one after the other.
  for (let index = 0; openZones < zones.length; index = (index + 1) % zones.length) {
    const opening = nextOpeningIn(window, zones[index] ?? 'UTC', time);
    if (opening === undefined || opening > last) return undefined;
    openZones = opening === time ? openZones + 1 : 1;
    time = opening;
  }
  return new Date(time);
}

function nextOpeningIn(window: SendWindow, zone: string, time: number): number | undefined {
  const calendar = calendarOf(zone);
  const isOvernight = window.until_time <= window.from_time;
  const today = calendar.day(new Date(time));
  for (let ahead = -1; ahead <= longestClosure_days + 1; ahead += 1) {
    const day = addDays(today, ahead);
    const name = weekdays[weekday(day) - 1];
    if (name === undefined || !window.days.includes(name) || window.closed_days.includes(day)) continue;
    const until = calendar.firstInstant(isOvernight ? addDays(day, 1) : day, window.until_time).getTime();
    if (until <= time) continue;
    const from = calendar.firstInstant(day, window.from_time).getTime();
    // If clocks skip the whole window, both ends are the same moment.
    if (from < until) return Math.max(from, time);
  }
  return undefined;
}
