import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { withConstraints } from '../../platform/db/errors.ts';
import { invalidField } from '../../platform/failure.ts';

export function selectLetterAttachment(db: Db | Tx, attachmentId: string) {
  return db
    .selectFrom('letter_attachments')
    .select([
      'id',
      'service_id',
      'template_id',
      'original_filename',
      'page_count',
      'created_by_id',
      'created_at',
      'archived_by_id',
      'archived_at',
    ])
    .where('id', '=', attachmentId)
    .executeTakeFirst();
}

export async function insertLetterAttachment(
  tx: Tx,
  row: {
    id: string;
    service_id: string;
    template_id: string;
    original_filename: string;
    page_count: number;
    created_by_id: string;
    created_at: Timestamp;
  },
): Promise<void> {
  await withConstraints(
    {
      letter_attachments_pkey: () => invalidField('upload_id', 'Already in use.'),
      letter_attachments_created_by_id_fkey: () => invalidField('created_by_id', 'No result found'),
    },
    () => tx.insertInto('letter_attachments').values(row).execute(),
  );
}

export async function archiveAttachmentRow(
  tx: Tx,
  attachmentId: string,
  archiving: { archived_by_id: string; archived_at: Timestamp },
): Promise<void> {
  await withConstraints(
    { letter_attachments_archived_by_id_fkey: () => invalidField('archived_by', 'No result found') },
    () => tx.updateTable('letter_attachments').set(archiving).where('id', '=', attachmentId).execute(),
  );
}
