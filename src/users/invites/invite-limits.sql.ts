import { sql } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/database.ts';

/** To services and organisations, whatever became of them. Invitations are kept for two days. */
export async function countInvitesSince(tx: Tx, userId: string, moment: Timestamp): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select (select count(*) from service_invites where from_user_id = ${userId} and created_at > ${moment})::int
      + (select count(*) from organisation_invites where invited_by_id = ${userId} and created_at > ${moment})::int
      as count`.execute(tx);
  return rows[0]?.count ?? 0;
}

export async function countOpenServiceInvites(tx: Tx, serviceId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('service_invites')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('service_id', '=', serviceId)
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow();
  return count;
}

/** Makes other invitations to a service in trial mode wait until the transaction ends. Returns whether it is one. */
export async function lockTrialService(tx: Tx, serviceId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('services')
    .select('id')
    .where('id', '=', serviceId)
    .where('restricted', '=', true)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row !== undefined;
}
