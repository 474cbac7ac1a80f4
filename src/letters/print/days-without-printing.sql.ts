import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';

export interface DayWithoutPrinting {
  day: string;
  name: string;
}

export function selectDaysWithoutPrinting(db: Db): Promise<DayWithoutPrinting[]> {
  return db.selectFrom('days_without_printing').select(['day', 'name']).orderBy('day').execute();
}

/** Returns the number of days that were not in the table yet. */
export async function insertDaysWithoutPrinting(
  db: Db | Tx,
  days: readonly DayWithoutPrinting[],
  created_at: Timestamp,
): Promise<number> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('days_without_printing')
    .values(days.map(({ day, name }) => ({ day, name, created_at })))
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return Number(numInsertedOrUpdatedRows);
}

export async function deleteDayWithoutPrinting(db: Db, day: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('days_without_printing')
    .where('day', '=', day)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}
