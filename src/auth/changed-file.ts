import { type Db, inTransaction } from '../platform/db/database.ts';
import { insertChangedFile } from './changed-file.sql.ts';

/** Replaces a file that no row of the database knows: triggers do not see it, so its entry in the audit log is written here. */
export function changeFile(
  db: Db,
  { noun, thing_id, field }: { noun: string; thing_id: string; field: string },
  put: () => Promise<void>,
): Promise<void> {
  return inTransaction(db, async (tx) => {
    await insertChangedFile(tx, noun, thing_id, field);
    await put();
  });
}
