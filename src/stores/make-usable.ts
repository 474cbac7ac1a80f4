import { type Db, inTransaction, openDatabase, refuseOtherSettings } from '../platform/db/database.ts';
import type { Log } from '../platform/log.ts';
import { forgetCopies } from './configuration-copy.sql.ts';
import { copyConfiguration } from './configuration-copy.ts';
import { makeConfigurationCopy, recordConfigurationChanges } from './prepare-databases.sql.ts';
import { refuseOldSchema, refuseOtherStore } from './refuse-store.ts';

export interface StoreToUse {
  number: number;
  url: string;
  main: Db;
  log: Log;
  /** Migrates it. */
  migrate?: ((url: string, log: Log) => Promise<void>) | undefined;
  /** From a backup, which has no copy of the configuration. */
  isRestored?: boolean;
}

/** Migrates a store and copies the configuration to it. Throws if it is away, another one, or has an older schema. */
export async function makeUsable({ main, number, url, log, migrate, isRestored }: StoreToUse): Promise<void> {
  const { db, pool, close } = openDatabase({ url, poolSize: 1, log });
  try {
    await refuseOtherStore(main, db, number);
    await migrate?.(url, log);
    await refuseOldSchema(db, number);
    await refuseOtherSettings(pool);
    // A migration may have created tables, which need triggers, and constraints, which a copy has not.
    await inTransaction(main, recordConfigurationChanges);
    await inTransaction(db, async (tx) => {
      if ((await makeConfigurationCopy(tx)) || isRestored) await forgetCopies(tx);
    });
    await copyConfiguration(main, db);
  } finally {
    await close();
  }
}

/** Lets a new database take the rows of a store before the configuration that they refer to. */
export async function takeWithoutConfiguration(url: string, log: Log): Promise<void> {
  const { db, close } = openDatabase({ url, poolSize: 1, log });
  try {
    await inTransaction(db, makeConfigurationCopy);
  } finally {
    await close();
  }
}
