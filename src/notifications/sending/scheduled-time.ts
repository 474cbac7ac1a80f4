import { earlier, hour_ms, later, minute_ms, type Timestamp, timestamp } from '../../platform/clock.ts';
import type { ApiDialect } from '../../protocol/dialect.ts';

const iso8601 =
  /^(\d{4})-?(\d{2})-?(\d{2})(?:[T ](\d{2})(?::?(\d{2})(?::?(\d{2})(?:[.,](\d{1,9}))?)?)? ?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

/** How far ahead a message can be scheduled, and the messages that say so. */
export interface SchedulingWindow {
  maxAhead_ms: number;
  past: string;
  tooLate: string;
}

export const windowsOfMessages: Record<ApiDialect, SchedulingWindow> = {
  govuk: {
    maxAhead_ms: 24 * hour_ms,
    past: 'datetime can not be in the past',
    tooLate: 'datetime can only be 24 hours in the future',
  },
  gc: {
    maxAhead_ms: 96 * hour_ms,
    past: 'datetime cannot be in the past',
    tooLate: 'datetime can only be up to 96 hours in the future',
  },
};

/** Returns the scheduled time or a description of the problem. */
export function readScheduledTime(
  text: string,
  now: Date,
  { maxAhead_ms, past, tooLate }: SchedulingWindow,
): { at: Timestamp } | { problem: string } {
  const at = parseMoment(text);
  if (!at) {
    return {
      problem:
        'datetime format is invalid. It must be a valid ISO8601 date time format, https://en.wikipedia.org/wiki/ISO_8601',
    };
  }
  if (at < timestamp(now)) return { problem: past };
  return at > timestamp(later(now, maxAhead_ms)) ? { problem: tooLate } : { at };
}

/** Without an offset, the time is in UTC; without a time, it is midnight. Keeps six fractional digits. */
export function parseMoment(text: string): Timestamp | undefined {
  const match = iso8601.exec(text.trim());
  if (!match) return undefined;
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = match;
  const wallTime = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  const asUtc = new Date(`${wallTime}Z`);
  // Date accepts nonexistent dates: 30 February becomes 2 March and does not round-trip.
  if (Number.isNaN(asUtc.getTime()) || asUtc.toISOString().slice(0, -5) !== wallTime) return undefined;
  const toTheSecond = earlier(asUtc, offsetMs(zone)).toISOString().slice(0, -5);
  return `${toTheSecond}.${fraction.padEnd(6, '0').slice(0, 6)}Z`;
}

function offsetMs(zone: string): number {
  if (zone.toUpperCase() === 'Z') return 0;
  const sign = zone.startsWith('-') ? -1 : 1;
  return sign * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2)) * (zone.length > 3 ? 1 : 0)) * minute_ms;
}
