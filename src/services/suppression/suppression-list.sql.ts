import { type Selectable, sql } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { DB } from '../../platform/db/schema.ts';

export type SuppressionReason = DB['suppressed_recipients']['reason'];

export interface NewSuppression {
  id: string;
  service_id: string;
  /** Normalised. */
  email_address: string;
  reason: SuppressionReason;
  notification_id: string;
}

/**
 * Adds missing entries for services that keep a list; ignores messages of test keys. Inserts in key order, so that concurrent statements
 * cannot deadlock. Returns the reasons of the new entries.
 */
export async function insertSuppressions(tx: Tx, rows: NewSuppression[], now: Timestamp): Promise<SuppressionReason[]> {
  const { rows: added } = await sql<{ reason: SuppressionReason }>`
    insert into suppressed_recipients (id, service_id, email_address, reason, notification_id, created_at)
    select r.id, r.service_id, r.email_address, r.reason, r.notification_id, ${now}::timestamptz
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as r (id uuid, service_id uuid, email_address text, reason text, notification_id uuid)
    join services s on s.id = r.service_id and 'suppress_recipients' = any (s.permissions)
    where not exists (select from notifications n where n.id = r.notification_id and n.key_type = 'test')
    order by r.service_id, r.email_address
    on conflict (service_id, email_address) do nothing
    returning reason`.execute(tx);
  return added.map(({ reason }) => reason);
}

/** Selects addresses whose emails bounced since an id, if the guard has warned or paused the service. */
export async function selectBouncesOfGuarded(
  tx: Tx,
  serviceId: string,
  since_id: string,
): Promise<{ notification_id: string; email_address: string }[]> {
  const { rows } = await sql<{ notification_id: string; email_address: string }>`
    select distinct on (normalised_recipient) id as notification_id, normalised_recipient as email_address
    from notifications
    where service_id = ${serviceId} and id >= ${since_id} and notification_type = 'email' and key_type <> 'test'
      and status = 'permanent-failure' and provider is not null and normalised_recipient is not null
      and exists (select from service_guard where service_id = ${serviceId} and state <> 'ok')
    order by normalised_recipient, id`.execute(tx);
  return rows;
}

export type SuppressedRecipient = Pick<Selectable<DB['suppressed_recipients']>, (typeof columns)[number]>;

const columns = ['id', 'email_address', 'reason', 'notification_id', 'created_at'] as const;

/** Newest first; `older_than` is the last id of the previous page. */
export function selectSuppressions(db: Db, serviceId: string, page: { size: number; older_than?: string | undefined }) {
  const { size, older_than } = page;
  const list = db.selectFrom('suppressed_recipients').select(columns).where('service_id', '=', serviceId);
  return (older_than === undefined ? list : list.where('id', '<', older_than))
    .orderBy('id', 'desc')
    .limit(size)
    .execute();
}

/** Selects those of the given addresses that are on the list. */
export async function selectSuppressed(
  db: Db | Tx,
  serviceId: string,
  emailAddresses: readonly string[],
): Promise<SuppressedRecipient[]> {
  const { rows } = await sql<SuppressedRecipient>`/* prepared: suppressed-recipients */
    select id, email_address, reason, notification_id, created_at from suppressed_recipients
    where service_id = ${serviceId} and email_address = any (${emailAddresses}::text[])`.execute(db);
  return rows;
}

export function selectSuppression(db: Db, serviceId: string, id: string) {
  return db
    .selectFrom('suppressed_recipients')
    .select(columns)
    .where('service_id', '=', serviceId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Joins the services, so that the index by service and address is used. */
export async function selectSuppressionsOf(db: Db, spellings: readonly string[], serviceId: string | undefined) {
  const { rows } = await sql<SuppressedRecipient & { service_id: string }>`
    select r.* from suppressed_recipients r join services s on r.service_id = s.id
    where r.email_address = any (${spellings}::text[]) and ${serviceId === undefined ? sql`true` : sql`s.id = ${serviceId}`}
    order by r.id`.execute(db);
  return rows;
}

/** Deletes the entries of one service, or of all if `serviceId` is undefined. Returns their number. */
export async function deleteSuppressionsOf(
  db: Db,
  spellings: readonly string[],
  serviceId: string | undefined,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from suppressed_recipients r using services s
    where r.service_id = s.id and r.email_address = any (${spellings}::text[])
      and ${serviceId === undefined ? sql`true` : sql`s.id = ${serviceId}`}`.execute(db);
  return Number(numAffectedRows ?? 0);
}
