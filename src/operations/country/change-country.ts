import { recordAuditEntry } from '../../auth/audit-entry.ts';
import { addDays, Calendar } from '../../countries/calendar.ts';
import { zoneProblem } from '../../countries/loading/known-values.ts';
import type { CountryProfile } from '../../countries/profile.ts';
import { dropPartitionsAfter } from '../../notifications/partitions.ts';
import { moveToDaysOf, moveToSlots } from '../../notifications/rollups/move-counts.ts';
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
  updatePostage,
  updateZone,
} from './installation.sql.ts';
import { slotsOf } from './installation.ts';

interface PostageChange {
  /** The slot of each class, including classes that the profile does not have. */
  slots: Readonly<Record<string, number>>;
  /** The number of letters, which does not change. */
  letters: number;
}

/**
 * Gives the postage classes the slots in the profile, and moves the counts of letters. Runs in one transaction, so it can be interrupted
 * and run again.
 */
export async function changePostage(app: { db: Db; clock: Clock }, profile: CountryProfile): Promise<PostageChange> {
  const wanted = slotsOf(profile);
  const changed = await inTransaction(app.db, async (tx) => {
    const stored = await selectInstallation(tx);
    if (!stored) {
      throw new OperatorError('The database was not started with a country yet: start the service once first.');
    }
    const { zone, currency, postage } = stored;
    if (zone !== profile.calendar.zone || currency !== profile.money.currency) {
      throw new OperatorError(
        `Only the slots of postage can change: this installation counts days in ${zone} and amounts in ${currency}, and the settings of this command say ${profile.calendar.zone} and ${profile.money.currency}. Nothing was changed.`,
      );
    }
    if (Object.entries(wanted).every(([id, slot]) => Object.hasOwn(postage, id) && postage[id] === slot)) {
      throw new OperatorError('The classes have these slots already. Nothing was changed.');
    }
    const result = await moveToSlots(tx, postage, wanted);
    if ('withoutSlot' in result) {
      throw new OperatorError(
        `There is no free slot for ${result.withoutSlot.join(', ')}: there are letters of ${result.withoutSlot.length === 1 ? 'this class' : 'these classes'}, which must stay counted. Leave a slot free in COUNTRY_FILE. Nothing was changed.`,
      );
    }
    await updatePostage(tx, result.slots, profile);
    const actor: Actor = { type: 'command', client: 'country change', at: timestamp(app.clock.now()) };
    const fields = { before: { 'postage.classes': postage }, after: { 'postage.classes': result.slots } };
    await recordAuditEntry(
      tx,
      { action: 'update', noun: 'installation', thing_id: stored.country, ...fields },
      JSON.stringify(actor),
    );
    return result;
  });
  await foldRollups(app.db);
  return changed;
}

interface ZoneChange {
  /** The first day counted in the new zone. */
  first_day: string;
  old_zone: string;
  new_zone: string;
  /** The number of messages, including deleted ones, which does not change. */
  messages: number;
}

/**
 * Counts days in another zone from now on. Messages that are not deleted yet move to their day in the new zone; counts of older days keep
 * the old zone. Runs in one transaction, so it can be interrupted and run again.
 */
export async function changeZone(app: { db: Db; clock: Clock }, zone: string): Promise<ZoneChange> {
  const problem = zoneProblem(zone);
  if (problem !== undefined) throw new OperatorError(`--zone ${problem}.`);
  const changed = await inTransaction(app.db, async (tx) => {
    if (!(await knowsZone(tx, zone))) throw new OperatorError(`PostgreSQL does not know the time zone ${zone}.`);
    const stored = await selectInstallation(tx);
    if (!stored) throw new OperatorError('The database is unused: choose the zone with TIME_ZONE.');
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

/** Returns the latest change, for pages with daily counts. */
export function findZoneChange(db: Db): Promise<{ first_day: string; old_zone: string } | undefined> {
  return selectLatestZoneChange(db);
}

/** Refuses while other processes are connected: they would still count days in the old zone. */
export async function refuseWhileInUse(db: Db): Promise<void> {
  const count = await countOtherConnections(db);
  if (count > 0) {
    throw new OperatorError(
      `The database is in use by ${count} other connection${count === 1 ? '' : 's'}: stop every process of the service first, then start it with the new settings.`,
    );
  }
}

/** Older messages were deleted by the days of the old zone, so a day of the new zone that begins earlier is incomplete. */
function firstCompleteDay(before: Calendar, after: Calendar, now: Date): string {
  const oldest = before.start(addDays(before.day(now), 1 - defaultRetentionDays));
  const day = after.day(oldest);
  return after.start(day) < oldest ? addDays(day, 1) : day;
}
