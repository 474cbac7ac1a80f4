import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';

/** Loads the service, the sending user, and whether the user is a member. */
export function selectOneOffSender(db: Db, serviceId: string, userId: string) {
  return db
    .selectFrom('services')
    .leftJoin('users', (join) => join.on('users.id', '=', userId))
    .where('services.id', '=', serviceId)
    .select((row) => [
      'services.name as service_name',
      'users.name as user_name',
      row
        .exists(
          row
            .selectFrom('service_members')
            .select('user_id')
            .where('service_id', '=', serviceId)
            .where('user_id', '=', userId),
        )
        .as('is_member'),
    ])
    .executeTakeFirst();
}

export async function selectUploadedLetter(db: Db, serviceId: string, fileId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('uploaded_letters')
    .select('notification_id')
    .where('service_id', '=', serviceId)
    .where('file_id', '=', fileId)
    .executeTakeFirst();
  return row?.notification_id;
}

export async function insertUploadedLetter(
  tx: Tx,
  row: { service_id: string; file_id: string; notification_id: string; created_at: Timestamp },
): Promise<void> {
  await tx.insertInto('uploaded_letters').values(row).execute();
}

export async function deleteUploadedLettersBefore(db: Db, moment: Timestamp): Promise<void> {
  await db.deleteFrom('uploaded_letters').where('created_at', '<', moment).execute();
}
