import { type Selectable, sql } from 'kysely';
import type { SendWindow, Weekday } from '../../countries/timing/send-windows.ts';
import { t } from '../../language/text.ts';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { withConstraints } from '../../platform/db/errors.ts';
import type { DB } from '../../platform/db/schema.ts';
import { invalid, invalidField, notFound } from '../../platform/failure.ts';

/** The fields that people fill in. */
export interface WindowFields extends SendWindow {
  name: string;
  days: Weekday[];
  closed_days: string[];
}

export interface SendWindowRow extends WindowFields {
  id: string;
  service_id: string;
  created_by_id: string | null;
  created_at: Timestamp;
  updated_at: Timestamp | null;
}

export type SendingTimesRow = Selectable<DB['service_sending_times']>;

const columns = sql`id, service_id, name, days, from_time, until_time, closed_days::text[] as closed_days, created_by_id,
  created_at, updated_at`;

export async function selectWindows(db: Db | Tx, serviceId: string): Promise<SendWindowRow[]> {
  const { rows } = await sql<SendWindowRow>`
    select ${columns} from send_windows where service_id = ${serviceId} order by lower(name), id`.execute(db);
  return rows;
}

const nameTaken = {
  send_windows_name_key: () => invalidField('name', t('A sending time with this name already exists.')),
};

export async function insertWindow(tx: Tx, row: SendWindowRow): Promise<void> {
  const constraints = {
    ...nameTaken,
    send_windows_service_id_fkey: () => notFound(),
    send_windows_created_by_id_fkey: () => invalidField('created_by', 'No result found'),
  };
  await withConstraints(constraints, () =>
    tx
      .insertInto('send_windows')
      .values({ ...row })
      .execute(),
  );
}

export async function updateWindow(
  db: Db | Tx,
  { id, service_id, ...changes }: Omit<SendWindowRow, 'created_by_id' | 'created_at'>,
): Promise<boolean> {
  const { numUpdatedRows } = await withConstraints(nameTaken, () =>
    db
      .updateTable('send_windows')
      .set(changes)
      .where('id', '=', id)
      .where('service_id', '=', service_id)
      .executeTakeFirstOrThrow(),
  );
  return numUpdatedRows > 0n;
}

const inUse = () => invalid(t('The service or a template uses this sending time'));

export async function deleteWindow(db: Db, serviceId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await withConstraints(
    {
      service_sending_times_sms_window_fkey: inUse,
      service_sending_times_email_window_fkey: inUse,
      template_sending_times_window_fkey: inUse,
    },
    () =>
      db.deleteFrom('send_windows').where('id', '=', id).where('service_id', '=', serviceId).executeTakeFirstOrThrow(),
  );
  return numDeletedRows > 0n;
}

export function selectSendingTimes(db: Db, serviceId: string): Promise<SendingTimesRow | undefined> {
  return db.selectFrom('service_sending_times').selectAll().where('service_id', '=', serviceId).executeTakeFirst();
}

const unknownWindow = (field: string) => () => invalidField(field, t('No such sending time of this service.'));

export async function upsertSendingTimes(db: Db | Tx, row: SendingTimesRow): Promise<void> {
  const { service_id: _, ...changes } = row;
  await withConstraints(
    {
      service_sending_times_sms_window_fkey: unknownWindow('sms_window_id'),
      service_sending_times_email_window_fkey: unknownWindow('email_window_id'),
    },
    () =>
      db
        .insertInto('service_sending_times')
        .values(row)
        .onConflict((conflict) => conflict.column('service_id').doUpdateSet(changes))
        .execute(),
  );
}

/** Returns undefined if the template inherits the window of its service, and null if it has none. */
export async function selectTemplateWindow(db: Db, templateId: string): Promise<string | null | undefined> {
  const found = db.selectFrom('template_sending_times').select('window_id').where('template_id', '=', templateId);
  return (await found.executeTakeFirst())?.window_id;
}

export async function upsertTemplateWindow(
  db: Db | Tx,
  row: { template_id: string; service_id: string; window_id: string | null },
): Promise<void> {
  const { window_id } = row;
  await withConstraints({ template_sending_times_window_fkey: unknownWindow('window') }, () =>
    db
      .insertInto('template_sending_times')
      .values(row)
      .onConflict((conflict) => conflict.column('template_id').doUpdateSet({ window_id }))
      .execute(),
  );
}

export async function deleteTemplateWindow(db: Db | Tx, templateId: string): Promise<void> {
  await db.deleteFrom('template_sending_times').where('template_id', '=', templateId).execute();
}
