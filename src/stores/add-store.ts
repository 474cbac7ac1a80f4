import { randomUUID } from 'node:crypto';
import { type Clock, timestamp } from '../platform/clock.ts';
import { type Db, inTransaction } from '../platform/db/database.ts';
import { OperatorError } from '../platform/operator-error.ts';
import { copyConfiguration } from './configuration-copy.ts';
import { findThisStore, hasOwnServices, insertStore, insertThisStore } from './message-stores.sql.ts';
import { makeConfigurationCopy, recordConfigurationChanges } from './prepare-databases.sql.ts';
import { mainStore } from './service-stores.ts';

/**
 * Makes an empty, migrated database a store of this installation. Can be repeated after it was interrupted: the store gets
 * services only after the last step.
 */
export async function addStore(main: Db, store: Db, number: number, clock: Clock): Promise<void> {
  const added_at = timestamp(clock.now());
  const installation = await prepareMain(main);
  await inTransaction(store, async (tx) => {
    const known = await findThisStore(tx);
    if (known && (known.number !== number || known.installation !== installation)) {
      throw new OperatorError(
        `This database is store ${known.number} of ${known.installation === installation ? 'this' : 'another'} installation. ` +
          'Name an empty database.',
      );
    }
    if (!known && (await hasOwnServices(tx))) {
      throw new OperatorError(
        'This database has services of its own, so it cannot be a store. Name an empty database.',
      );
    }
    await makeConfigurationCopy(tx);
    await insertThisStore(tx, number, installation);
  });
  await copyConfiguration(main, store);
  await insertStore(main, mainStore, added_at);
  await insertStore(main, number, added_at);
}

/** Returns the id of the installation. */
async function prepareMain(main: Db): Promise<string> {
  return inTransaction(main, async (tx) => {
    await recordConfigurationChanges(tx);
    await insertThisStore(tx, mainStore, randomUUID());
    const { number, installation } = (await findThisStore(tx)) ?? {};
    if (number !== mainStore || installation === undefined)
      throw new OperatorError(`DATABASE_URL names store ${number}. Name the main database.`);
    return installation;
  });
}
