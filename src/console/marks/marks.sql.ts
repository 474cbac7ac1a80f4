import type { Db } from '../../platform/db/database.ts';

/** The subject is a message of the sandbox, the id after which its list begins, or a service. */
type MarkKind = 'sandbox-opened' | 'sandbox-cleared' | 'steps-hidden';

export interface Mark {
  user_id: string;
  kind: MarkKind;
  subject_id: string;
}

export async function insertMark(db: Db, mark: Mark): Promise<void> {
  await db
    .insertInto('console_marks')
    .values(mark)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function selectMarked(db: Db, { user_id, kind }: Omit<Mark, 'subject_id'>, among?: readonly string[]) {
  const rows = await db
    .selectFrom('console_marks')
    .select('subject_id')
    .where('user_id', '=', user_id)
    .where('kind', '=', kind)
    .$if(among !== undefined, (query) => query.where('subject_id', '=', (row) => row.fn.any(row.val(among ?? []))))
    .execute();
  return rows.map(({ subject_id }) => subject_id);
}

/** Ids ascend with time. */
export async function deleteMarksBefore(db: Db, { user_id, kind, subject_id }: Mark): Promise<void> {
  await db
    .deleteFrom('console_marks')
    .where('user_id', '=', user_id)
    .where('kind', '=', kind)
    .where('subject_id', '<', subject_id)
    .execute();
}
