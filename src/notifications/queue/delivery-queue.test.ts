import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { someQueuedMessages } from '../../../test/kit/builders/queued-messages.ts';
import { aService } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { timestamp } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { lanes } from '../notification.ts';
import { selectRetries } from './delivery-queue.sql.ts';
import { DeliveryQueueReader } from './delivery-queue.ts';
import { extendLeases, type QueuedNotification } from './leases.shared.sql.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });

const aReader = (type: 'sms' | 'email' = 'sms') => new DeliveryQueueReader(type, randomUUID());

const many = (length: number, lane: number) => Array.from({ length }, () => ({ lane }));

function lease(
  reader: DeliveryQueueReader,
  max: number,
  maxBulk = max,
  takeOver = true,
): Promise<QueuedNotification[]> {
  const now = harness.clock.now();
  reader.pollSoon();
  return reader.lease(harness.app.db, {
    max,
    maxBulk,
    now,
    lease_ms: 8_000,
    takeOverUntil: takeOver ? timestamp(now) : null,
    draw: (count) => ({ home: Array(count).fill('a-provider'), abroad: Array(count).fill('a-provider') }),
  });
}

async function emptied(): Promise<void> {
  await harness.app.db.deleteFrom('delivery_queue').execute();
}

function perService(leased: QueuedNotification[], services: string[]): number[] {
  return services.map((service) => leased.filter(({ service_id }) => service_id === service).length);
}

describe('lanes', () => {
  it('leases priority before normal before bulk, with a tenth for bulk', async () => {
    await emptied();
    const service = await aService(harness);
    await someQueuedMessages(harness, service, [
      ...many(100, lanes.bulk),
      ...many(100, lanes.normal),
      ...many(30, lanes.priority),
    ]);
    const reader = aReader();
    const counts = async () => {
      const leased = await lease(reader, 50);
      return [lanes.priority, lanes.normal, lanes.bulk].map((lane) => leased.filter((row) => row.lane === lane).length);
    };
    expect(await counts()).toEqual([30, 15, 5]);
    expect(await counts()).toEqual([0, 45, 5]);
    expect(await counts()).toEqual([0, 40, 10]);
    expect(await counts()).toEqual([0, 0, 50]);
  });

  it('reserves a tenth for bulk even with one slot at a time', async () => {
    await emptied();
    const service = await aService(harness);
    await someQueuedMessages(harness, service, [...many(100, lanes.bulk), ...many(100, lanes.normal)]);
    const reader = aReader();
    let bulk = 0;
    for (let time = 0; time < 50; time += 1) bulk += (await lease(reader, 1)).filter((row) => row.lane === 2).length;
    expect(bulk).toBe(5);
  });

  it('never leases more bulk messages than allowed', async () => {
    await emptied();
    await someQueuedMessages(harness, await aService(harness), many(100, lanes.bulk));
    expect(await lease(aReader(), 50, 20)).toHaveLength(20);
    expect(await lease(aReader(), 50, 0)).toHaveLength(0);
  });
});

describe('round-robin by service', () => {
  it('a busy service leaves room for others', async () => {
    await emptied();
    const services = [await aService(harness), await aService(harness), await aService(harness)];
    await someQueuedMessages(harness, services[0] ?? '', many(400, lanes.normal));
    await someQueuedMessages(harness, services[1] ?? '', many(10, lanes.normal));
    await someQueuedMessages(harness, services[2] ?? '', many(40, lanes.normal));
    const reader = aReader();
    expect(perService(await lease(reader, 60), services)).toEqual([20, 10, 20]);
    expect(perService(await lease(reader, 60), services)).toEqual([30, 0, 20]);
    expect(perService(await lease(reader, 60), services)).toEqual([60, 0, 0]);
  });

  it('serves every service if there are more services than slots', async () => {
    await emptied();
    const services: string[] = [];
    for (let count = 0; count < 7; count += 1) services.push(await aService(harness));
    for (const service of services) await someQueuedMessages(harness, service, many(2, lanes.normal));
    const reader = aReader();
    const seen: string[] = [];
    for (let time = 0; time < 3; time += 1) seen.push(...(await lease(reader, 3)).map(({ service_id }) => service_id));
    expect(seen).toHaveLength(9);
    expect(new Set(seen.slice(0, 7)).size).toBe(7);
  });

  it('resumes in the middle without leasing anything twice', async () => {
    await emptied();
    const services: string[] = [];
    for (let count = 0; count < 4; count += 1) services.push(await aService(harness));
    for (const service of services) await someQueuedMessages(harness, service, many(3, lanes.normal));
    const reader = aReader();
    const ids = (await lease(reader, 2)).map(({ id }) => id);
    ids.push(...(await lease(reader, 50)).map(({ id }) => id));
    expect(ids).toHaveLength(12);
    expect(new Set(ids).size).toBe(12);
  });

  it('is not delayed by services with only scheduled messages', async () => {
    await emptied();
    const later = timestamp(new Date(harness.clock.now().getTime() + 60_000));
    for (let count = 0; count < 5; count += 1) {
      await someQueuedMessages(harness, await aService(harness), [{ due_at: later }]);
    }
    const service = await aService(harness);
    await someQueuedMessages(harness, service, [{}]);
    const reader = aReader();
    const leased = [];
    for (let time = 0; time < 3; time += 1) leased.push(...(await lease(reader, 2)));
    expect(leased.map(({ service_id }) => service_id)).toEqual([service]);
  });
});

describe('leases', () => {
  it('two readers never lease the same message', async () => {
    await emptied();
    const ids = await someQueuedMessages(harness, await aService(harness), many(200, lanes.normal));
    const readers = Array.from({ length: 4 }, () => aReader());
    const leased = (await Promise.all(readers.map((reader) => lease(reader, 50)))).flat().map(({ id }) => id);
    while (leased.length < 200)
      leased.push(...(await lease(readers[0] as DeliveryQueueReader, 50)).map(({ id }) => id));
    expect(new Set(leased)).toEqual(new Set(ids));
    expect(leased).toHaveLength(200);
  });

  it('a message of a crashed worker is leased again within ten seconds, with an unknown outcome', async () => {
    await emptied();
    const [id = ''] = await someQueuedMessages(harness, await aService(harness), [{}]);
    const [first] = await lease(aReader(), 10);
    expect(first).toMatchObject({ id, attempts: 0, last_provider: null, outcome_known: true });
    expect(await lease(aReader(), 10)).toEqual([]);
    harness.clock.advance({ seconds: 9 });
    const [second] = await lease(aReader(), 10);
    expect(second).toMatchObject({ id, attempts: 1, last_provider: 'a-provider', outcome_known: false });
  });

  it('a running worker extends its leases', async () => {
    await emptied();
    const [id = ''] = await someQueuedMessages(harness, await aService(harness), [{}]);
    const reader = aReader();
    await lease(reader, 10);
    harness.clock.advance({ seconds: 6 });
    expect(await extendLeases(harness.app.db, reader.worker, [id], 8_000)).toMatchObject({ ids: [id] });
    harness.clock.advance({ seconds: 6 });
    expect(await lease(aReader(), 10)).toEqual([]);
  });

  it('expired leases of others are not taken over unless requested', async () => {
    await emptied();
    const [taken = ''] = await someQueuedMessages(harness, await aService(harness), [{}]);
    const [holder, other] = [aReader(), aReader()];
    await lease(holder, 10);
    harness.clock.advance({ seconds: 9 });
    const [fresh = ''] = await someQueuedMessages(harness, await aService(harness), [{}]);
    expect(await lease(other, 10, 10, false)).toMatchObject([{ id: fresh }]);
    expect(await lease(holder, 10, 10, false)).toMatchObject([{ id: taken }]);
  });

  it('each channel has its own leases', async () => {
    await emptied();
    await someQueuedMessages(harness, await aService(harness), [{}, { notification_type: 'email' }]);
    expect(await lease(aReader('email'), 10)).toMatchObject([{ notification_type: 'email' }]);
    expect(await lease(aReader(), 10)).toMatchObject([{ notification_type: 'sms' }]);
  });
});

describe('messages that wait for another attempt', () => {
  it('are counted without reading the queue, however long it is', async () => {
    const { app, clock } = harness;
    const service = await aService(harness);
    const now = timestamp(clock.now());
    const queue = (count: number, attempts: number) =>
      sql`insert into delivery_queue (notification_id, service_id, notification_type, lane, due_at, attempts)
        select gen_random_uuid(), ${service}, 'sms', ${lanes.normal}, ${now}::timestamptz + interval '5 minutes', ${attempts}
        from generate_series(1, ${count}::int)`.execute(app.db);
    await emptied();
    await queue(20_000, 0);
    await queue(3, 1);
    // The autovacuum analyses a table that has grown so much, at a time of its own.
    await sql`analyze delivery_queue`.execute(app.db);
    await inTransaction(app.db, async (tx) => {
      // The view also has what this connection has read shortly before.
      const rowsRead = async () => {
        const { rows } = await sql<{ read: number }>`
          select (seq_tup_read + idx_tup_fetch)::int as read from pg_stat_xact_user_tables
          where relname = 'delivery_queue'`.execute(tx);
        return rows[0]?.read ?? 0;
      };
      const before = await rowsRead();
      const retries = await selectRetries(tx, now, 100_000);
      expect(retries.find(({ notification_type }) => notification_type === 'sms')).toMatchObject({
        waiting: 3,
        not_due: 3,
      });
      expect((await rowsRead()) - before).toBeLessThan(20);
    });
    await emptied();
  });
});
