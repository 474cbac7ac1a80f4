import { type Selectable, sql } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { DB } from '../../platform/db/schema.ts';

export type OptOutRow = Selectable<DB['sms_opt_outs']>;

/** Inserts missing rows in key order, so that two such statements never deadlock. Returns the number of inserted rows. */
export async function insertOptOuts(tx: Tx, rows: readonly OptOutRow[]): Promise<number> {
  const { numAffectedRows } = await sql`
    insert into sms_opt_outs (id, service_id, user_number, sender, keyword, reason, inbound_sms_id, created_at)
    select * from json_to_recordset(${JSON.stringify(rows)}::json) as r (id uuid, service_id uuid, user_number text,
      sender text, keyword text, reason text, inbound_sms_id uuid, created_at timestamptz)
    order by service_id, user_number, sender
    on conflict (service_id, user_number, sender) do nothing`.execute(tx);
  return Number(numAffectedRows ?? 0);
}

/** Selects the opt-outs of these numbers from one service. `scope` is the service's own setting. */
export async function selectOptOuts(
  db: Db | Tx,
  serviceId: string,
  userNumbers: readonly string[],
): Promise<(OptOutRow & { scope: 'service' | 'sender' | null })[]> {
  const { rows } = await sql<OptOutRow & { scope: 'service' | 'sender' | null }>`/* prepared: sms-opt-outs */
    select o.*, k.scope from sms_opt_outs o left join keyword_settings k on k.service_id = o.service_id
    where o.service_id = ${serviceId} and o.user_number = any (${userNumbers}::text[])
    order by o.id`.execute(db);
  return rows;
}

/** Selects opt-outs, newest first. `older_than` is the last id of the previous page. */
export function selectOptOutsOfService(
  db: Db,
  serviceId: string,
  { size, older_than }: { size: number; older_than?: string | undefined },
): Promise<OptOutRow[]> {
  const list = db.selectFrom('sms_opt_outs').selectAll().where('service_id', '=', serviceId);
  return (older_than === undefined ? list : list.where('id', '<', older_than))
    .orderBy('id', 'desc')
    .limit(size)
    .execute();
}

export async function selectOptOut(db: Db, serviceId: string, id: string): Promise<OptOutRow | undefined> {
  const list = db.selectFrom('sms_opt_outs').selectAll().where('service_id', '=', serviceId);
  return list.where('id', '=', id).executeTakeFirst();
}

/** Sets the reason in the audit log entries about opt-outs deleted in this transaction. */
export async function setLiftReason(tx: Tx, reason: string): Promise<void> {
  await sql`select set_config('pennypost.lift_reason', ${reason}, true)`.execute(tx);
}

export async function deleteOptOuts(
  tx: Db | Tx,
  serviceId: string,
  userNumber: string,
  sender?: string,
): Promise<number> {
  const all = tx.deleteFrom('sms_opt_outs').where('service_id', '=', serviceId).where('user_number', '=', userNumber);
  const { numDeletedRows } = await (sender === undefined
    ? all
    : all.where('sender', 'in', [sender, '*'])
  ).executeTakeFirst();
  return Number(numDeletedRows);
}

/** Deletes the opt-outs of one service, or of all. Joins the services, so that the index by service and number is used. */
export async function deleteOptOutsOf(tx: Tx, userNumber: string, serviceId: string | undefined): Promise<number> {
  const ofServices = serviceId === undefined ? sql`true` : sql`s.id = ${serviceId}`;
  await sql`
    delete from keyword_replies r using services s
    where r.service_id = s.id and r.user_number = ${userNumber} and ${ofServices}`.execute(tx);
  const { numAffectedRows } = await sql`
    delete from sms_opt_outs o using services s
    where o.service_id = s.id and o.user_number = ${userNumber} and ${ofServices}`.execute(tx);
  return Number(numAffectedRows ?? 0);
}

export async function selectOptOutsOf(db: Db, userNumber: string, serviceId: string | undefined): Promise<OptOutRow[]> {
  const { rows } = await sql<OptOutRow>`
    select o.* from sms_opt_outs o join services s on o.service_id = s.id
    where o.user_number = ${userNumber} and ${serviceId === undefined ? sql`true` : sql`s.id = ${serviceId}`}
    order by o.id`.execute(db);
  return rows;
}

interface KeywordReply {
  service_id: string;
  user_number: string;
  action: 'stop' | 'help';
}

/** Returns whether a reply is due because the last one was before `since`. Exact under concurrency. */
export async function claimReply(
  tx: Tx,
  { service_id, user_number, action }: KeywordReply,
  { now, since }: { now: Timestamp; since: Timestamp },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into keyword_replies as known (service_id, user_number, action, replied_at)
    values (${service_id}, ${user_number}, ${action}, ${now})
    on conflict (service_id, user_number, action) do update set replied_at = excluded.replied_at
    where known.replied_at <= ${since}`.execute(tx);
  return Number(numAffectedRows ?? 0) > 0;
}

export async function deleteRepliesBefore(db: Db, moment: Timestamp): Promise<void> {
  await db.deleteFrom('keyword_replies').where('replied_at', '<', moment).execute();
}

export async function isEssentialTemplate(db: Db | Tx, templateId: string): Promise<boolean> {
  const found = await db
    .selectFrom('essential_templates')
    .select('template_id')
    .where('template_id', '=', templateId)
    .executeTakeFirst();
  return found !== undefined;
}

export async function insertEssentialTemplate(
  tx: Db | Tx,
  row: { template_id: string; service_id: string; created_at: Timestamp },
): Promise<void> {
  await tx
    .insertInto('essential_templates')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function deleteEssentialTemplate(db: Db, templateId: string): Promise<void> {
  await db.deleteFrom('essential_templates').where('template_id', '=', templateId).execute();
}
