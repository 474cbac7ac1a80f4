import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { someQueuedMessages } from '../../../test/kit/builders/queued-messages.ts';
import { aService } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { createPartitions } from '../../notifications/partitions.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Receipt } from '../providers/reports.ts';
import { recordReceipts } from './receipts.ts';

const harness = useHarness();

async function sentMessages(service: string, count: number): Promise<string[]> {
  const ids = await someQueuedMessages(
    harness,
    service,
    Array.from({ length: count }, () => ({})),
  );
  const { pool } = harness.app;
  await pool.query(
    `update notifications set status = 'sending', provider = 'mmg', sent_at = created_at where id = any ($1)`,
    [ids],
  );
  await pool.query('delete from delivery_queue');
  return ids;
}

async function delivered(db: Db, ids: string[]): Promise<number> {
  const receipts = ids.map(
    (reference): Receipt => ({
      reference,
      provider: 'mmg',
      proven: true,
      notification_type: 'sms',
      statusFor: () => 'delivered',
    }),
  );
  return (await recordReceipts({ ...harness.app, db }, receipts, harness.clock.now())).changed.length;
}

/** Index entries of messages that the connection has read so far. */
async function readEntries(db: Db): Promise<number> {
  await sql`select pg_stat_force_next_flush()`.execute(db);
  const { rows } = await sql<{ entries: string }>`
    select sum(idx_tup_read) as entries from pg_stat_user_indexes where relname like 'notifications\\_%'`.execute(db);
  return Number(rows[0]?.entries);
}

it('receipts read only their own messages, even if the statement was prepared on a nearly empty day', async () => {
  await createPartitions(harness.app);
  const service = await aService(harness);
  // Statements are prepared per connection.
  await harness.app.db.connection().execute(async (db) => {
    // PostgreSQL settles on a plan after five executions.
    for (const id of (await sentMessages(service, 500)).slice(0, 8)) expect(await delivered(db, [id])).toBe(1);
    const ids = await sentMessages(service, 5_000);
    const before = await readEntries(db);
    expect(await delivered(db, ids.slice(0, 20))).toBe(20);
    const read = (await readEntries(db)) - before;
    expect(read).toBeGreaterThanOrEqual(20);
    expect(read).toBeLessThan(500);
  });
});
