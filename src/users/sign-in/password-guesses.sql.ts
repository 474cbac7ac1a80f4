import { type Insertable, sql } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { PasswordGuesses } from '../../platform/db/schema.ts';

export type GuessRow = Awaited<ReturnType<typeof lockGuesses>>[number];

/** Creates the rows that do not exist yet, and blocks other guesses that they count until the transaction ends. */
export function lockGuesses(tx: Tx, rows: readonly { counted: string; user_id: string | null }[], now: Timestamp) {
  // One order for all transactions, or two of them could wait for each other.
  const inOrder = [...rows].sort((left, right) => (left.counted < right.counted ? -1 : 1));
  return tx
    .insertInto('password_guesses')
    .values(inOrder.map((row) => ({ ...row, wrong_count: 0, counted_since: now })))
    .onConflict((conflict) => conflict.column('counted').doUpdateSet({ user_id: sql`excluded.user_id` }))
    .returningAll()
    .execute();
}

export async function saveGuesses(tx: Tx, rows: Insertable<PasswordGuesses>[]): Promise<void> {
  await tx
    .insertInto('password_guesses')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('counted').doUpdateSet({
        wrong_count: sql`excluded.wrong_count`,
        counted_since: sql`excluded.counted_since`,
        refused_until: sql`excluded.refused_until`,
      }),
    )
    .execute();
}

export async function upsertSignInAddress(
  db: Db,
  row: { counted: string; user_id: string },
  signed_in_at: Timestamp,
): Promise<void> {
  await db
    .insertInto('password_guesses')
    .values({ ...row, wrong_count: 0, counted_since: signed_in_at, signed_in_at })
    .onConflict((conflict) => conflict.column('counted').doUpdateSet({ user_id: row.user_id, signed_in_at }))
    .execute();
}

export async function resetGuessesOfUser(tx: Tx, userId: string): Promise<void> {
  await tx
    .updateTable('password_guesses')
    .set({ wrong_count: 0, refused_until: null })
    .where('user_id', '=', userId)
    .execute();
}

export async function deleteGuessesUntil(
  db: Db,
  { counted, signedIn }: { counted: Timestamp; signedIn: Timestamp },
): Promise<void> {
  await db
    .deleteFrom('password_guesses')
    .where('counted_since', '<=', counted)
    .where((row) => row.or([row('signed_in_at', 'is', null), row('signed_in_at', '<=', signedIn)]))
    .execute();
}
