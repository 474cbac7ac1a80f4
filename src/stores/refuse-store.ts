import type { Db } from '../platform/db/database.ts';
import { missingMigrations } from '../platform/db/missing-migrations.ts';
import { OperatorError } from '../platform/operator-error.ts';
import { findThisStore, isStore } from './message-stores.sql.ts';

/** Refuses a database that MESSAGE_STORES names by mistake. It must not even be migrated. */
export async function refuseOtherStore(main: Db, store: Db, number: number): Promise<void> {
  const known = (await isStore(store)) ? await findThisStore(store) : undefined;
  if (!known) {
    throw new OperatorError(`The database of store ${number} is no store: correct its URL, or restore its backup.`);
  }
  const { installation } = (await findThisStore(main)) ?? {};
  if (known.installation !== installation || known.number !== number) {
    throw new OperatorError(
      `The database of store ${number} is store ${known.number} of ` +
        `${known.installation === installation ? 'this' : 'another'} installation: correct its URL.`,
    );
  }
}

export async function refuseOldSchema(store: Db, number: number): Promise<void> {
  const missing = await missingMigrations(store);
  if (missing.length === 0) return;
  throw new OperatorError(`Store ${number} lacks ${missing.length} migrations: run \`pennypost migrate\`.`);
}
