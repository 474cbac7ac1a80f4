import { sql } from 'kysely';
import type { Timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { nilId } from '../platform/id.ts';
import type { EncryptedValue, ReplacedValue } from '../platform/secrets/encrypted-values.ts';

export interface DocumentRow {
  id: string;
  service_id: string;
  filename: string | null;
  file_extension: string;
  mime_type: string;
  size_in_bytes: number;
  recipient_digest: string | null;
  /** Set for a file of a template: its storage path, and the digest of the key in the link. */
  shared_path: string | null;
  key_digest: string | null;
  /** The language of the email, if its template has several. */
  language: string | null;
  available_until: Timestamp;
  created_at: Timestamp;
}

export async function insertDocuments(tx: Tx, rows: DocumentRow[]): Promise<void> {
  if (rows.length > 0) await tx.insertInto('documents').values(rows).execute();
}

export function selectDocument(db: Db, serviceId: string, documentId: string) {
  return db
    .selectFrom('documents')
    .innerJoin('services', 'services.id', 'documents.service_id')
    .selectAll('documents')
    .select(['services.name as service_name', 'services.contact_link'])
    .where('documents.service_id', '=', serviceId)
    .where('documents.id', '=', documentId)
    .executeTakeFirst();
}

/** Counts this attempt. Returns the number of attempts in the window. */
export async function countDocumentAttempt(
  db: Db,
  documentId: string,
  now: Timestamp,
  windowSince: Timestamp,
): Promise<number> {
  const { count } = await db
    .insertInto('document_attempts')
    .values({ document_id: documentId, window_start: now, count: 1 })
    .onConflict((conflict) =>
      conflict.column('document_id').doUpdateSet({
        window_start: sql`case when document_attempts.window_start <= ${windowSince} then ${now}::timestamptz
          else document_attempts.window_start end`,
        count: sql`case when document_attempts.window_start <= ${windowSince} then 1
          else document_attempts.count + 1 end`,
      }),
    )
    .returning('count')
    .executeTakeFirstOrThrow();
  return count;
}

/** Deletes a batch of expired documents. Returns the ids that their file paths are built from. */
export async function deleteExpiredDocuments(
  db: Db,
  now: Timestamp,
  limit: number,
): Promise<{ id: string; service_id: string }[]> {
  const { rows } = await sql<{ id: string; service_id: string }>`
    delete from documents where id in (
      select id from documents where available_until <= ${now} order by available_until limit ${limit})
    returning id, service_id`.execute(db);
  return rows;
}

export async function selectSealedRecipients(db: Db, after = nilId, limit: number) {
  const { rows } = await sql<EncryptedValue>`
    select id, id as place, recipient_digest as text from documents where id > ${after} order by id limit ${limit}`.execute(
    db,
  );
  return { values: rows.filter(({ text }) => text !== null), last: rows.at(-1)?.id };
}

export async function replaceSealedRecipients(db: Db, values: ReplacedValue[]): Promise<void> {
  await sql`
    update documents d set recipient_digest = v.after
    from json_to_recordset(${JSON.stringify(values)}::json) as v (id uuid, before text, after text)
    where d.id = v.id and d.recipient_digest = v.before`.execute(db);
}

export async function deleteDocumentAttempts(db: Db, before: Timestamp): Promise<void> {
  await db.deleteFrom('document_attempts').where('window_start', '<', before).execute();
}

/** Selects files whose recipients must confirm their address, by id. */
export function selectDocumentsAfter(db: Db, after: string, limit: number) {
  return db
    .selectFrom('documents')
    .select(['id', 'service_id', 'filename', 'file_extension', 'size_in_bytes', 'shared_path', 'recipient_digest'])
    .select(['available_until', 'created_at'])
    .where('id', '>', after)
    .where('recipient_digest', 'is not', null)
    .orderBy('id')
    .limit(limit)
    .execute();
}

export async function deleteDocument(db: Db, id: string): Promise<void> {
  await db.deleteFrom('documents').where('id', '=', id).execute();
}
