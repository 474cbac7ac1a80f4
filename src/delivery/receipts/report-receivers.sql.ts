import { sql } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import { leaseEnd, leaseHasEnded } from '../../platform/db/lease.ts';

export interface ReceiverKey {
  provider: string;
  name: string;
}

/** Takes or renews the lease. Returns false while another worker holds it. */
export async function leaseReceiver(
  db: Db,
  { provider, name }: ReceiverKey,
  { worker, lease_ms }: { worker: string; lease_ms: number },
): Promise<boolean> {
  const { rows } = await sql`
    insert into report_receivers as r (provider, name, worker, leased_until) values (${provider}, ${name}, ${worker}, ${leaseEnd(lease_ms)})
    on conflict (provider, name) do update set worker = excluded.worker, leased_until = excluded.leased_until
    where r.worker = excluded.worker or ${leaseHasEnded('r.leased_until')}
    returning 1`.execute(db);
  return rows.length > 0;
}

export async function updateReceivedAt(db: Db, { provider, name }: ReceiverKey, received_at: Timestamp): Promise<void> {
  await db
    .updateTable('report_receivers')
    .set({ received_at })
    .where('provider', '=', provider)
    .where('name', '=', name)
    .execute();
}

/** Ends the lease, so that the next worker can take over immediately. */
export async function endLease(db: Db, { provider, name }: ReceiverKey, worker: string): Promise<void> {
  await db
    .updateTable('report_receivers')
    .set({ leased_until: '-infinity' })
    .where('provider', '=', provider)
    .where('name', '=', name)
    .where('worker', '=', worker)
    .execute();
}

export function selectReceivers(db: Db): Promise<(ReceiverKey & { received_at: Timestamp | null })[]> {
  return db.selectFrom('report_receivers').select(['provider', 'name', 'received_at']).execute();
}
