import { recordAuditEntry } from '../../auth/audit-entry.ts';
import { addDays, Calendar } from '../../countries/calendar.ts';
import { zoneProblem } from '../../countries/loading/known-values.ts';
import { dropPartitionsAfter } from '../../notifications/partitions.ts';
import { moveToDaysOf } from '../../notifications/rollups/move-counts.ts';
import { foldRollups } from '../../notifications/rollups/rollups.ts';
import { type Clock, timestamp } from '../../platform/clock.ts';
import type { Actor } from '../../platform/db/actor.ts';
import { type Db, inTransaction } from '../../platform/db/database.ts';
import { OperatorError } from '../../platform/failure.ts';
import { defaultRetentionDays } from '../../services/settings/data-retention.ts';
import {
  countOtherConnections,
  insertZoneChange,
  knowsZone,
  selectInstallation,
  selectLatestZoneChange,
  updateZone,
} from './installation.sql.ts';

interface ZoneChange {
  /** The first day that is counted in the new zone. */
  first_day: string;
  old_zone: string;
  new_zone: string;
  /** All messages, those that were deleted, too: as many as before. */
  messages: number;
}

/**
 * Counts days in another zone from now on. Messages are moved to their day in the new zone as long as they are here; counts of
 * older days stay those of the old zone. One transaction: it can be interrupted and run again.
 */
export async function changeZone(app: { db: Db; clock: Clock }, zone: string): Promise<ZoneChange> {
  const problem = zoneProblem(zone);
  if (problem !== undefined) throw new OperatorError(`--zone ${problem}.`);
  const changed = await inTransaction(app.db, async (tx) => {
    if (!(await knowsZone(tx, zone))) throw new OperatorError(`PostgreSQL does not know the time zone ${zone}.`);
    const stored = await selectInstallation(tx);
    if (typeof stored === 'string') throw new OperatorError('The database is unused: choose the zone with TIME_ZONE.');
    if (stored.zone === zone) throw new OperatorError(`This installation counts days in ${zone} already.`);
    const [before, after] = [new Calendar(stored.zone), new Calendar(zone)];
    const now = app.clock.now();
    const { messages } = await moveToDaysOf(tx, before, after);
    const first_day = firstCompleteDay(before, after, now);
    await insertZoneChange(tx, { first_day, old_zone: stored.zone, new_zone: zone, changed_at: timestamp(now) });
    await dropPartitionsAfter(tx, now);
    await updateZone(tx, zone);
    const actor: Actor = { type: 'command', client: 'country change', at: timestamp(now) };
    const fields = { before: { 'calendar.zone': stored.zone }, after: { 'calendar.zone': zone } };
    await recordAuditEntry(
      tx,
      { action: 'update', noun: 'installation', thing_id: stored.country, ...fields },
      JSON.stringify(actor),
    );
    return { first_day, old_zone: stored.zone, new_zone: zone, messages };
  });
  await foldRollups(app.db);
  return changed;
}

/** The latest change, for pages with counts by day. */
export function findZoneChange(db: Db): Promise<{ first_day: string; old_zone: string } | undefined> {
  return selectLatestZoneChange(db);
}

/** Other processes would go on to count days of the old zone. */
export async function refuseWhileInUse(db: Db): Promise<void> {
  const count = await countOtherConnections(db);
  if (count > 0) {
    throw new OperatorError(
      `The database is in use by ${count} other connection${count === 1 ? '' : 's'}: stop every process of the service first, then start it with the new settings.`,
    );
  }
}

/** Messages before the oldest day of the old zone are deleted, so a new day that begins earlier lacks some. */
function firstCompleteDay(before: Calendar, after: Calendar, now: Date): string {
  const oldest = before.start(addDays(before.day(now), 1 - defaultRetentionDays));
  const day = after.day(oldest);
  return after.start(day) < oldest ? addDays(day, 1) : day;
}
