import type { Selectable } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { DB } from '../../platform/db/schema.ts';

type KeywordSettingsRow = Selectable<DB['keyword_settings']>;

export function selectKeywordSettings(db: Db | Tx, serviceId: string): Promise<KeywordSettingsRow | undefined> {
  return db.selectFrom('keyword_settings').selectAll().where('service_id', '=', serviceId).executeTakeFirst();
}

export async function upsertKeywordSettings(db: Db, row: KeywordSettingsRow): Promise<void> {
  const { service_id: _, ...changes } = row;
  await db
    .insertInto('keyword_settings')
    .values(row)
    .onConflict((conflict) => conflict.column('service_id').doUpdateSet(changes))
    .execute();
}
