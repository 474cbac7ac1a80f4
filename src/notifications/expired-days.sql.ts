import { sql } from 'kysely';
import type { Timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import type { Channel } from '../protocol/channels.ts';
import { unfinishedStatuses } from './notification.ts';
import type { Partition, Range } from './partitions.sql.ts';

interface Sender {
  service_id: string;
  notification_type: Channel;
}

const isUnfinished = sql`status in (${sql.join(unfinishedStatuses.map((status) => sql.lit(status)))})`;

const belongsTo = ({ service_id, notification_type }: Sender) =>
  sql`service_id = ${service_id} and notification_type = ${notification_type}`;

/** Single messages and messages of jobs have separate indexes by service. */
export const indexedParts = [sql`job_id is null`, sql`job_id is not null`] as const;
type IndexedPart = (typeof indexedParts)[number];

export async function holdsMessagesOf(db: Db, { name }: Partition, sender: Sender): Promise<boolean> {
  const found = indexedParts.map(
    (part) => sql`exists (select from ${sql.table(name)} where ${part} and ${belongsTo(sender)})`,
  );
  const { rows } = await sql<{ found: boolean }>`select ${sql.join(found, sql` or `)} as found`.execute(db);
  return rows[0]?.found ?? true;
}

export async function holdsUnfinished(db: Db, { name }: Partition, { from_id, to_id }: Range): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from ${sql.table(name)} where id >= ${from_id} and id < ${to_id} and ${isUnfinished}) as found`.execute(
    db,
  );
  return rows[0]?.found ?? true;
}

export async function isEmpty(db: Db, { name }: Partition): Promise<boolean> {
  const { rows } = await sql<{ empty: boolean }>`
    select not exists (select from ${sql.table(name)}) as empty`.execute(db);
  return rows[0]?.empty ?? false;
}

export async function copyMessagesOf(db: Db, { name }: Partition, aside: string, sender: Sender): Promise<void> {
  for (const part of indexedParts) {
    await sql`insert into ${sql.table(aside)} select * from ${sql.table(name)} where ${part} and ${belongsTo(sender)}
      on conflict (id) do nothing`.execute(db);
  }
}

export async function copyUnfinished(
  db: Db,
  { name }: Partition,
  aside: string,
  { from_id, to_id }: Range,
): Promise<void> {
  await sql`insert into ${sql.table(aside)} select * from ${sql.table(name)}
    where id >= ${from_id} and id < ${to_id} and ${isUnfinished}
    on conflict (id) do nothing`.execute(db);
}

/** Copies again what may have changed since the first copy: unfinished messages and returned letters. */
export async function recopyChanged(tx: Tx, aside: string, range: Range, since: Timestamp): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    delete from ${sql.table(aside)} where ${isUnfinished} or id in (
      select id from notifications where id >= ${range.from_id} and id < ${range.to_id}
        and notification_type = 'letter' and updated_at >= ${since})
    returning id`.execute(tx);
  if (rows.length === 0) return;
  await sql`insert into ${sql.table(aside)} select * from notifications
    where id = any (${rows.map(({ id }) => id)}::uuid[]) and id >= ${range.from_id} and id < ${range.to_id}`.execute(
    tx,
  );
}

/** Selects services with messages in a table shaped like a partition. Uses loose index scans, which jump from service to service. */
export async function selectServicesIn(db: Db, table: string): Promise<string[]> {
  const found = new Set<string>();
  for (const part of indexedParts) {
    const { rows } = await sql<{ service_id: string }>`
      with recursive found (service_id) as (
        (select service_id from ${sql.table(table)} where ${part} order by service_id limit 1)
        union all
        select (select n.service_id from ${sql.table(table)} n where ${part} and n.service_id > found.service_id
          order by n.service_id limit 1)
        from found where found.service_id is not null
      )
      select service_id from found where service_id is not null`.execute(db);
    for (const { service_id } of rows) found.add(service_id);
  }
  return [...found];
}

interface Batch {
  /** The last scanned id; undefined at the end. */
  next: string | undefined;
  deleted: number;
}

/** Deletes one batch of a service's finished messages of a type, either single ones or those of jobs, oldest first. */
export async function deleteMessagesOf(
  db: Db,
  table: string,
  { service_id, notification_type }: Sender,
  part: IndexedPart,
  { after_id, before_id }: { after_id: string; before_id: string },
  limit: number,
): Promise<Batch> {
  return deleteScanned(
    db,
    table,
    sql`${part} and service_id = ${service_id}`,
    sql`notification_type = ${notification_type}`,
    { after_id, before_id },
    limit,
  );
}

/** Deletes one batch of finished letters of services without a retention rule for letters. */
export async function deleteLettersWithoutRule(
  db: Db,
  table: string,
  range: { after_id: string; before_id: string },
  limit: number,
): Promise<Batch> {
  const withoutRule = sql`not exists (select from service_data_retention r
    where r.service_id = scanned.service_id and r.notification_type = 'letter')`;
  return deleteScanned(db, table, sql`notification_type = 'letter'`, withoutRule, range, limit);
}

async function deleteScanned(
  db: Db,
  table: string,
  isScanned: ReturnType<typeof sql>,
  isExpired: ReturnType<typeof sql>,
  { after_id, before_id }: { after_id: string; before_id: string },
  limit: number,
): Promise<Batch> {
  const range = sql`id > ${after_id} and id < ${before_id}`;
  const { rows } = await sql<{ deleted: number; next: string | null }>`
    with scanned as (
      select id, service_id, notification_type, status from ${sql.table(table)}
      where ${isScanned} and ${range} order by id limit ${limit}
    ), deleted_rows as (
      delete from ${sql.table(table)} where ${range} and id in (
        select id from scanned where ${isExpired} and not ${isUnfinished})
      returning id
    )
    select (select count(*) from deleted_rows) as deleted, (select max(id::text) from scanned) as next`.execute(db);
  return { deleted: rows[0]?.deleted ?? 0, next: rows[0]?.next ?? undefined };
}

/** Deletes queue entries without a message. */
export async function deleteOrphanedQueue(db: Db, beforeId: string): Promise<void> {
  await sql`delete from delivery_queue q where q.notification_id < ${beforeId}
    and not exists (select from notifications n where n.id = q.notification_id)`.execute(db);
}

export async function deleteOldCounters(db: Db, beforeDay: string): Promise<void> {
  await db.deleteFrom('daily_message_counts').where('utc_day', '<', beforeDay).execute();
  await db.deleteFrom('limit_notices').where('period', '=', 'day').where('period_start', '<', beforeDay).execute();
}
