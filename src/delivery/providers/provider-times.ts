import { londonInstant } from '../../platform/calendar.ts';
import { later } from '../../platform/clock.ts';

const wallTime = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?$/;

/** Parses a timestamp of a text gateway; without an offset it is London time. Returns undefined if it is invalid. */
export function londonTime(text: unknown): Date | undefined {
  if (typeof text !== 'string') return undefined;
  const [, day = '', hour = '', minute = '', second = '0'] = wallTime.exec(text.trim()) ?? [];
  if (day === '') return readable(new Date(text));
  const instant = readable(new Date(`${day}T${hour}:${minute}:${second.padStart(2, '0')}Z`));
  return instant && later(londonInstant(day, Number(hour), Number(minute)), Number(second) * 1_000);
}

/** The same, but without an offset it is UTC. */
export function utcTime(text: unknown): Date | undefined {
  if (typeof text !== 'string') return undefined;
  const trimmed = text.trim();
  return readable(new Date(wallTime.test(trimmed) ? `${trimmed.replace(' ', 'T')}Z` : trimmed));
}

function readable(date: Date): Date | undefined {
  return Number.isNaN(date.getTime()) ? undefined : date;
}
