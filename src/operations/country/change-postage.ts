import { recordAuditEntry } from '../../auth/audit-entry.ts';
import type { CountryProfile } from '../../countries/profile.ts';
import { moveToSlots } from '../../notifications/rollups/move-counts.ts';
import { foldRollups } from '../../notifications/rollups/rollups.ts';
import { type Clock, timestamp } from '../../platform/clock.ts';
import type { Actor } from '../../platform/db/actor.ts';
import { type Db, inTransaction } from '../../platform/db/database.ts';
import { OperatorError } from '../../platform/failure.ts';
import { selectInstallation, updatePostage } from './installation.sql.ts';
import { slotsOf } from './installation.ts';

interface PostageChange {
  /** The slot of each class, also of those that the profile does not have. */
  slots: Readonly<Record<string, number>>;
  /** All letters, as many as before. */
  letters: number;
}

/**
 * Gives the classes of postage the slots that the profile says, and moves the letters that were counted. One transaction: it
 * can be interrupted and run again.
 */
export async function changePostage(app: { db: Db; clock: Clock }, profile: CountryProfile): Promise<PostageChange> {
  const wanted = slotsOf(profile);
  const changed = await inTransaction(app.db, async (tx) => {
    const stored = await selectInstallation(tx);
    if (typeof stored === 'string' || stored.profile === null) {
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
    if ('homeless' in result) {
      throw new OperatorError(
        `There is no free slot for ${result.homeless.join(', ')}: there are letters of ${result.homeless.length === 1 ? 'this class' : 'these classes'}, which must stay counted. Leave a slot free in COUNTRY_FILE. Nothing was changed.`,
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
