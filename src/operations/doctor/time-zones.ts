import pg from 'pg';
import type { Calendar } from '../../countries/calendar.ts';
import { day_ms, hour_ms, later } from '../../platform/clock.ts';
import type { Platform } from '../../platform/platform.ts';
import { readOffsets } from './doctor.sql.ts';
import { type Finding, finding } from './finding.ts';

/** The offset of clocks from UTC from a moment on. */
interface Offset {
  from: Date;
  ahead_ms: number;
}

const watchedDays = 730;
const name = 'time zones';
/** PostgreSQL's error code for an unknown zone, invalid_parameter_value. */
const unknownZone = '22023';
const update = 'update the older of the two: until then a message can be counted on one day and looked for on another';

/**
 * Compares the time zone databases of Node and PostgreSQL. After a change of law they may differ about the beginning of a day in the next
 * two years. Returns nothing if they agree.
 */
export async function checkTimeZones(
  calendar: Calendar,
  client: Pick<pg.ClientBase, 'query'>,
  now: Date,
): Promise<Finding[]> {
  const days = { from: startOfHour(now), until: later(startOfHour(now), watchedDays * day_ms) };
  try {
    const { offsets, version } = await readOffsets(client, calendar, days);
    return evaluateOffsets(calendar.zone, offsetsOf(calendar, days), offsets, `PostgreSQL ${version}`);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== unknownZone) throw error;
    return [finding(name, false, error.message, 'update the time zones of PostgreSQL, or choose another zone')];
  }
}

const kept = new WeakMap<Calendar, { at: number; found: Finding[] }>();

/** Caches the result for a day: probes and open pages ask every few seconds, and time zones change only with updates. */
export async function checkTimeZonesDaily({ pool, clock, country: { calendar } }: Platform): Promise<Finding[]> {
  const now = clock.now();
  const latest = kept.get(calendar);
  if (latest && Math.abs(now.getTime() - latest.at) < day_ms) return latest.found;
  const found = await checkTimeZones(calendar, pool, now);
  kept.set(calendar, { at: now.getTime(), found });
  return found;
}

function evaluateOffsets(zone: string, here: Offset[], there: Offset[], server: string): Finding[] {
  const [difference] = [...here, ...there]
    .map(({ from }) => ({ from, here: aheadAt(here, from), there: aheadAt(there, from) }))
    .filter((at) => at.here !== at.there)
    .sort((one, other) => one.from.getTime() - other.from.getTime());
  if (!difference) return [];
  const node = `Node ${process.versions.node} with time zones ${process.versions.tz}`;
  const found = `from ${difference.from.toISOString()} on, clocks of ${zone} are ${describeOffset(difference.here)} for ${node}, and ${describeOffset(difference.there)} for ${server}`;
  return [{ ...finding(name, true, `${found}: ${update}`), is_warning: true }];
}

/** Checks every hour, as PostgreSQL does: clocks change on the hour in UTC, or half an hour later. */
function offsetsOf(calendar: Calendar, { from, until }: { from: Date; until: Date }): Offset[] {
  const offsets: Offset[] = [];
  for (let at = from; at <= until; at = later(at, hour_ms)) {
    const ahead_ms = calendar.offset_ms(at);
    if (offsets.at(-1)?.ahead_ms !== ahead_ms) offsets.push({ from: at, ahead_ms });
  }
  return offsets;
}

function aheadAt(offsets: Offset[], moment: Date): number | undefined {
  return offsets.findLast(({ from }) => from <= moment)?.ahead_ms;
}

function describeOffset(ahead_ms: number | undefined): string {
  if (ahead_ms === undefined) return 'unknown';
  const hours = Math.abs(ahead_ms) / hour_ms;
  return `${hours} ${hours === 1 ? 'hour' : 'hours'} ${ahead_ms < 0 ? 'behind' : 'ahead of'} UTC`;
}

function startOfHour(moment: Date): Date {
  return new Date(Math.floor(moment.getTime() / hour_ms) * hour_ms);
}
