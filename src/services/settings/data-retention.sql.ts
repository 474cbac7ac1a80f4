import { sql } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import { withConstraints } from '../../platform/db/errors.ts';
import { invalid, notFound } from '../../platform/failure.ts';
import type { Channel } from '../../protocol/channels.ts';

const columns = [
  'service_data_retention.id',
  'service_id',
  'services.name as service_name',
  'notification_type',
  'days_of_retention',
  'service_data_retention.created_at',
  'service_data_retention.updated_at',
] as const;

export function selectRetentions(db: Db, serviceId: string, which: { id?: string; notification_type?: Channel } = {}) {
  const { id, notification_type } = which;
  let query = db
    .selectFrom('service_data_retention')
    .innerJoin('services', 'services.id', 'service_data_retention.service_id')
    .select(columns)
    .where('service_id', '=', serviceId);
  if (id !== undefined) query = query.where('service_data_retention.id', '=', id);
  if (notification_type !== undefined) query = query.where('notification_type', '=', notification_type);
  return query.orderBy(sql`array_position(array['email', 'sms', 'letter'], notification_type)`).execute();
}

interface NewRetention {
  id: string;
  service_id: string;
  notification_type: Channel;
  days_of_retention: number;
  created_at: Timestamp;
}

export async function insertRetention(db: Db, row: NewRetention): Promise<void> {
  await withConstraints(
    {
      service_data_retention_type_key: () =>
        invalid(`Service already has data retention for ${row.notification_type} notification type`),
      service_data_retention_service_id_fkey: () => notFound(),
    },
    () => db.insertInto('service_data_retention').values(row).execute(),
  );
}

export async function upsertRetention(db: Db, row: NewRetention): Promise<void> {
  const { days_of_retention, created_at: updated_at } = row;
  await db
    .insertInto('service_data_retention')
    .values(row)
    .onConflict((conflict) =>
      conflict.constraint('service_data_retention_type_key').doUpdateSet({ days_of_retention, updated_at }),
    )
    .execute();
}

export async function updateRetentionDays(
  db: Db,
  which: { id: string; service_id: string },
  change: { days_of_retention: number; updated_at: Timestamp },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('service_data_retention')
    .set(change)
    .where('id', '=', which.id)
    .where('service_id', '=', which.service_id)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

interface RetentionRule {
  service_id: string;
  notification_type: Channel;
  days_of_retention: number;
}

export function selectRetentionRules(db: Db): Promise<RetentionRule[]> {
  return db
    .selectFrom('service_data_retention')
    .select(['service_id', 'notification_type', 'days_of_retention'])
    .execute();
}
