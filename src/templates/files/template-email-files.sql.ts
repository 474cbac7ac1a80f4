import type { Selectable, Updateable } from 'kysely';
import { forApi, t } from '../../language/text.ts';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { withConstraints } from '../../platform/db/errors.ts';
import { anyOf } from '../../platform/db/expressions.ts';
import type { DB } from '../../platform/db/schema.ts';
import { invalid, invalidField } from '../../platform/failure.ts';

const columns = [
  'id',
  'template_id',
  'template_version',
  'version',
  'filename',
  'link_text',
  'retention_period',
  'validate_users_email',
  'pending',
  'created_by_id',
  'created_at',
  'updated_at',
  'archived_by_id',
  'archived_at',
] as const;

export type EmailFileRow = Pick<Selectable<DB['template_email_files']>, (typeof columns)[number]>;

/** Live and pending files, oldest first. */
export function selectEmailFiles(db: Db, serviceId: string, templateId: string): Promise<EmailFileRow[]> {
  return db
    .selectFrom('template_email_files')
    .select(columns)
    .where('service_id', '=', serviceId)
    .where('template_id', '=', templateId)
    .where('archived_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

export function selectEmailFile(
  db: Db | Tx,
  which: { service_id: string; template_id: string; id: string },
): Promise<EmailFileRow | undefined> {
  return db
    .selectFrom('template_email_files')
    .select(columns)
    .where((file) => file.and(which))
    .executeTakeFirst();
}

export async function liveEmailFileIds(tx: Tx, templateId: string, among: string[]): Promise<string[]> {
  if (among.length === 0) return [];
  const files = await tx
    .selectFrom('template_email_files')
    .select('id')
    .where('template_id', '=', templateId)
    .where('id', '=', anyOf(among))
    .where('archived_at', 'is', null)
    .execute();
  return files.map(({ id }) => id);
}

interface NewEmailFile {
  id: string;
  service_id: string;
  template_id: string;
  template_version: number;
  filename: string;
  filename_key: string;
  link_text: string | null;
  retention_period: number;
  validate_users_email: boolean;
  pending: boolean;
  created_by_id: string;
  created_at: Timestamp;
}

function meanings(file: { filename?: string; template_id: string }) {
  return {
    template_email_files_live_filename_key: () =>
      invalid(
        forApi(
          `File named ${file.filename} already exists for template id ${file.template_id}`,
          t('The template has a file with this name. Rename the file, or remove the other one first.'),
        ),
      ),
    template_email_files_pkey: () => invalidField('id', 'Already in use.'),
    template_email_files_created_by_id_fkey: () => invalidField('created_by_id', 'No result found'),
    template_email_files_archived_by_id_fkey: () => invalidField('archived_by_id', 'No result found'),
  };
}

export function insertEmailFile(tx: Tx, row: NewEmailFile): Promise<void> {
  return withConstraints(meanings(row), async () => {
    await tx.insertInto('template_email_files').values(row).execute();
    await recordFileVersions(tx, [row.id]);
  });
}

export type EmailFileChange = Pick<
  Updateable<DB['template_email_files']>,
  'filename' | 'filename_key' | 'link_text' | 'retention_period' | 'validate_users_email' | 'pending'
>;

/** Creates the next version of a file, effective from the newest version of its template. */
export function updateEmailFileRow(
  tx: Tx,
  file: { id: string; template_id: string },
  change: EmailFileChange,
  now: Timestamp,
): Promise<void> {
  return withConstraints(meanings({ filename: String(change.filename), template_id: file.template_id }), async () => {
    await tx
      .updateTable('template_email_files as file')
      .from('templates')
      .whereRef('templates.id', '=', 'file.template_id')
      .where('file.id', '=', file.id)
      .set((row) => ({
        ...change,
        version: row('file.version', '+', 1),
        template_version: row.ref('templates.version'),
        updated_at: now,
      }))
      .execute();
    await recordFileVersions(tx, [file.id]);
  });
}

/** Archives the files that are not archived yet. Without a user, the template's author is recorded. */
export function archiveEmailFiles(
  tx: Tx,
  which: { ids: string[] } | { template_ids: string[] },
  archiving: { now: Timestamp; archived_by_id?: string },
): Promise<void> {
  const [column, ids] =
    'ids' in which ? (['file.id', which.ids] as const) : (['file.template_id', which.template_ids] as const);
  if (ids.length === 0) return Promise.resolve();
  return withConstraints(meanings({ template_id: '' }), async () => {
    const archived = await tx
      .updateTable('template_email_files as file')
      .from('templates')
      .whereRef('templates.id', '=', 'file.template_id')
      .where(column, '=', anyOf(ids))
      .where('file.archived_at', 'is', null)
      .set((row) => ({
        archived_at: archiving.now,
        archived_by_id: archiving.archived_by_id ?? row.ref('templates.created_by_id'),
        version: row('file.version', '+', 1),
        template_version: row.ref('templates.version'),
        updated_at: archiving.now,
      }))
      .returning('file.id')
      .execute();
    await recordFileVersions(
      tx,
      archived.map(({ id }) => id),
    );
  });
}

async function recordFileVersions(tx: Tx, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  const copied = ['service_id', ...columns] as const;
  await tx
    .insertInto('template_email_files_history')
    .columns(copied)
    .expression(tx.selectFrom('template_email_files').select(copied).where('id', '=', anyOf(ids)))
    .execute();
}
