import type { Db } from '../../platform/db/database.ts';
import { likeContains } from '../../platform/db/expressions.ts';

/** More than any page can show: a search for one letter must not become a statement with a million ids. */
const maxIds = 1_000;

/** Archived templates, too: their messages are still there. */
export async function selectTemplateIdsByName(db: Db, serviceId: string, text: string): Promise<string[]> {
  const rows = await db
    .selectFrom('templates')
    .select('id')
    .where('service_id', '=', serviceId)
    .where('name', 'ilike', likeContains(text))
    .limit(maxIds)
    .execute();
  return rows.map(({ id }) => id);
}

/** The newest files whose name contains the text. */
export async function selectJobIdsByFileName(db: Db, serviceId: string, text: string): Promise<string[]> {
  const rows = await db
    .selectFrom('jobs')
    .select('id')
    .where('service_id', '=', serviceId)
    .where('archived', '=', false)
    .where('original_file_name', 'ilike', likeContains(text))
    .orderBy('created_at', 'desc')
    .limit(maxIds)
    .execute();
  return rows.map(({ id }) => id);
}
