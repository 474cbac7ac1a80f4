import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { useHarness } from '../../../test/kit/harness.ts';
import { timestamp } from '../../platform/clock.ts';
import { type Db, inTransaction, type Tx } from '../../platform/db/database.ts';
import { lanes } from '../notification.ts';
import { DeliveryQueueReader, listLaneDepths } from './delivery-queue.ts';
import type { LeasedNotification } from './leases.shared.sql.ts';
import { formatAnnouncement } from './queue-announcer.ts';

/** One thousand services with waiting messages: leasing is fair to all of them, and costs the same whatever waits. */

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const crowd = Array.from({ length: 1_000 }, () => randomUUID());
/** Of one lease. */
const slots = 100;

beforeEach(async () => {
  await sql`truncate delivery_queue`.execute(harness.app.db);
});

/** So many of each service, all due. */
async function queued(services: string[], each: number, lane: number = lanes.normal): Promise<void> {
  const now = timestamp(harness.clock.now());
  await sql`insert into delivery_queue (notification_id, service_id, notification_type, lane, due_at)
    select gen_random_uuid(), service, 'sms', ${lane}, ${now}::timestamptz - number * interval '1 ms'
    from unnest(${services}::uuid[]) as service cross join generate_series(1, ${each}::int) as number`.execute(
    harness.app.db,
  );
  await sql`analyze delivery_queue`.execute(harness.app.db);
}

function lease(reader: DeliveryQueueReader, db: Db = harness.app.db): Promise<LeasedNotification[]> {
  const providers = Array(slots).fill('a-provider');
  return reader.lease(db, {
    max: slots,
    maxBulk: slots,
    now: harness.clock.now(),
    lease_ms: 60_000,
    takeOverUntil: null,
    draw: () => ({ home: providers, abroad: providers }),
  });
}

describe('a service with few messages beside 1,000 with many', () => {
  it('waits for at most one message of each of the others', async () => {
    await queued(crowd, 20);
    const reader = new DeliveryQueueReader('sms', randomUUID());
    for (let time = 0; time < 13; time += 1) expect(await lease(reader)).toHaveLength(slots);

    const small = randomUUID();
    await queued([small], 2);
    reader.onNotify(formatAnnouncement([{ lane: lanes.normal, service_id: small }]), harness.clock.now());
    const taken: string[] = [];
    const turns = (crowd.length + 1) / slots;
    for (let time = 0; time < Math.ceil(2 * turns); time += 1) {
      taken.push(...(await lease(reader)).map(({ service_id }) => service_id));
    }

    const first = taken.indexOf(small);
    const second = taken.lastIndexOf(small);
    expect(first).toBeLessThanOrEqual(crowd.length);
    expect(new Set(taken.slice(0, first)).size).toBe(first);
    expect(second).toBeGreaterThan(first);
    expect(new Set(taken.slice(first, second)).size).toBe(second - first);
  });

  it('does not wait for their bulk messages if its own is normal', async () => {
    await queued(crowd, 20, lanes.bulk);
    const reader = new DeliveryQueueReader('sms', randomUUID());
    for (let time = 0; time < 3; time += 1) await lease(reader);
    const small = randomUUID();
    await queued([small], 2);
    reader.onNotify(formatAnnouncement([{ lane: lanes.normal, service_id: small }]), harness.clock.now());
    expect((await lease(reader)).filter(({ service_id }) => service_id === small)).toHaveLength(2);
  });
});

describe('leasing', () => {
  it('reads the same number of rows, however many messages the services have', async () => {
    const reads: number[] = [];
    for (const each of [2, 50]) {
      await sql`truncate delivery_queue`.execute(harness.app.db);
      await queued(crowd, each);
      await inTransaction(harness.app.db, async (tx) => {
        const reader = new DeliveryQueueReader('sms', randomUUID());
        const before = await rowsRead(tx);
        expect(await lease(reader, tx)).toHaveLength(slots);
        reads.push((await rowsRead(tx)) - before);
      });
    }
    const [few = 0, many = 0] = reads;
    // It looks for the next service and for its oldest message, once for each of the services, then leases one message of each turn.
    expect(few).toBeLessThan(3 * crowd.length);
    expect(Math.abs(many - few)).toBeLessThan(slots);
  });
});

/** Of the queue, by this transaction and what its connection did shortly before. */
async function rowsRead(tx: Tx): Promise<number> {
  const { rows } = await sql<{ read: number }>`
    select (seq_tup_read + idx_tup_fetch)::int as read from pg_stat_xact_user_tables
    where relname = 'delivery_queue'`.execute(tx);
  return rows[0]?.read ?? 0;
}

describe('the depths of the lanes', () => {
  it('include a lane behind another one in which 1,000 services wait', async () => {
    await queued(crowd, 2, lanes.priority);
    await queued([randomUUID()], 3, lanes.bulk);
    const depths = await listLaneDepths(harness.app);
    expect(depths.map(({ lane, waiting }) => [lane, waiting])).toEqual([
      [lanes.priority, 2_000],
      [lanes.bulk, 3],
    ]);
  });
});
