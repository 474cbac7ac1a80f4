import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { aQueuedMessage, messageOf, queueOf, someQueuedMessages } from '../../test/kit/builders/queued-messages.ts';
import { aService } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { startStubGateways } from '../../test/kit/vendors/stub-gateways.ts';
import { lanes } from '../notifications/notification.ts';
import { DeliveryQueueReader } from '../notifications/queue/delivery-queue.ts';
import { type Clock, later, timestamp } from '../platform/clock.ts';
import { buildDelivery, type Delivery } from './delivery.ts';

const gateways = await startStubGateways();
afterAll(() => gateways.close());
beforeEach(() => {
  gateways.answer = () => 'accept';
  gateways.delay_ms = 0;
});

const many = (length: number, lane: number) => Array.from({ length }, () => ({ lane }));

async function whileRunning(workers: Delivery | Delivery[], act: () => Promise<void>): Promise<void> {
  for (const worker of [workers].flat()) worker.start();
  try {
    await act();
  } finally {
    await Promise.all([workers].flat().map((worker) => worker.stop()));
  }
}

describe('a long queue of one service', () => {
  const harness = useHarness({
    config: {
      sms: { providers: ['mmg'] },
      delivery: { concurrency: 20, providerRates: { mmg: 200 } },
      providers: { mmg: { url: `${gateways.url}/mmg`, apiKey: 'x' } },
    },
  });

  it('messages of another service overtake it, priority first', { timeout: 60_000 }, async () => {
    harness.clock.set(new Date());
    const [big, small] = [await aService(harness), await aService(harness)];
    await someQueuedMessages(harness, big, many(2_000, lanes.bulk));
    gateways.delay_ms = 50;
    await whileRunning(buildDelivery(harness.app), async () => {
      await vi.waitFor(() => expect(gateways.requests.length).toBeGreaterThan(50), { timeout: 15_000 });
      const normal = await someQueuedMessages(harness, small, many(30, lanes.normal));
      const priority = await someQueuedMessages(harness, small, many(10, lanes.priority));
      const queuedAt = gateways.requests.length;
      const placeOf = (id: string) => gateways.requests.findIndex(({ reference }) => reference === id);
      const seen = () => [...normal, ...priority].filter((id) => placeOf(id) >= 0).length;
      await vi.waitFor(() => expect(seen()).toBe(40), { timeout: 30_000 });
      // Counted in messages, not in seconds: the provider takes 200 messages per second.
      expect(Math.max(...priority.map(placeOf)) - queuedAt).toBeLessThan(200);
      expect(Math.max(...normal.map(placeOf)) - queuedAt).toBeLessThan(400);
    });
    // stop() waits for all calls to end and be recorded, so no outcome is unknown.
    const open = await harness.app.db
      .selectFrom('delivery_queue')
      .selectAll()
      .where('outcome_known', '=', false)
      .execute();
    expect(open).toEqual([]);
  });
});

describe('a queue of bulk messages', () => {
  const harness = useHarness({
    config: {
      sms: { providers: ['mmg'] },
      delivery: { concurrency: 20 },
      providers: { mmg: { url: `${gateways.url}/mmg`, apiKey: 'x' } },
    },
  });

  it('goes on as soon as calls have ended, not at the next poll', async () => {
    harness.clock.set(new Date());
    // Fifteen at once: with a poll before each of sixty turns it would take half a minute.
    await someQueuedMessages(harness, await aService(harness), many(900, lanes.bulk));
    gateways.delay_ms = 50;
    const before = gateways.requests.length;
    await whileRunning(buildDelivery(harness.app), () =>
      vi.waitFor(() => expect(gateways.requests.length - before).toBe(900), { timeout: 28_000 }),
    );
  });
});

describe('an interrupted attempt', () => {
  const harness = useHarness({ now: '2026-11-15T12:00:00Z', config: { providers: { sandbox: { receipts: 'hold' } } } });

  /** Simulates a worker that crashes right after it recorded the provider that it is about to call. */
  async function leaseAndDie(provider: string): Promise<void> {
    const now = harness.clock.now();
    await new DeliveryQueueReader('sms', randomUUID()).lease(harness.app.db, {
      max: 100,
      maxBulk: 100,
      now,
      lease_ms: 8_000,
      takeOverUntil: timestamp(now),
      draw: () => ({ home: [provider], abroad: [provider] }),
    });
  }

  it('is resolved by asking the provider, and not sent again if the provider has it', async () => {
    const id = await aQueuedMessage(harness, await aService(harness));
    await leaseAndDie('sandbox');
    await harness.app.db
      .insertInto('sandbox_messages')
      .values({
        reference: id,
        notification_type: 'sms',
        recipient: '447700900123',
        sender: 'X',
        body: 'x',
        created_at: harness.clock.now(),
      })
      .execute();
    await harness.deliver();
    expect((await messageOf(harness, id)).status).toBe('created');
    harness.clock.advance({ seconds: 8 });
    await harness.deliver();
    expect(await messageOf(harness, id)).toMatchObject({ status: 'sending', provider: 'sandbox', billable_units: 1 });
    const [kept] = await harness.app.db
      .selectFrom('sandbox_messages')
      .select('times_sent')
      .where('reference', '=', id)
      .execute();
    expect(kept).toEqual({ times_sent: 1 });
  });

  it('is sent again if the provider does not have it', async () => {
    const id = await aQueuedMessage(harness, await aService(harness));
    await leaseAndDie('sandbox');
    harness.clock.advance({ seconds: 8 });
    await harness.deliver();
    expect((await messageOf(harness, id)).status).toBe('sending');
  });

  it('is not taken over by another worker before its lease ends', async () => {
    const id = await aQueuedMessage(harness, await aService(harness));
    await leaseAndDie('sandbox');
    harness.clock.advance({ seconds: 7 });
    await harness.deliver();
    expect((await messageOf(harness, id)).status).toBe('created');
    expect(await queueOf(harness, id)).toMatchObject({ attempts: 1, outcome_known: false });
  });
});

describe('an attempt that throws', () => {
  const harness = useHarness({ now: '2026-11-15T12:00:00Z', config: { delivery: { maxRetries: 2 } } });

  it('is counted and retried, and fails after the last retry without being composed again', async () => {
    const service = await aService(harness);
    const id = await aQueuedMessage(harness, service, { template_version: 99 });
    await harness.deliver();
    expect(await queueOf(harness, id)).toMatchObject({
      attempts: 1,
      outcome_known: true,
      due_at: '2026-11-15T12:05:00.000000Z',
    });
    for (let retry = 0; retry < 2; retry += 1) {
      harness.clock.advance({ minutes: 5 });
      await harness.deliver();
    }
    expect(await messageOf(harness, id)).toMatchObject({ status: 'technical-failure', provider: null });
    expect(await queueOf(harness, id)).toBeUndefined();
    expect(harness.logged.filter((line) => line.includes('A delivery attempt failed'))).toHaveLength(3);
  });

  it('fails without being composed again if it crashed its process each time', async () => {
    const id = await aQueuedMessage(harness, await aService(harness), { template_version: 99 });
    await harness.app.db
      .updateTable('delivery_queue')
      .set({ attempts: 3, provider: 'sandbox', outcome_known: false })
      .where('notification_id', '=', id)
      .execute();
    const before = harness.logged.length;
    await harness.deliver();
    expect((await messageOf(harness, id)).status).toBe('technical-failure');
    expect(harness.logged.slice(before).filter((line) => line.includes('A delivery attempt failed'))).toEqual([]);
  });
});

describe('a slow provider', () => {
  const harness = useHarness({
    config: { sms: { providers: ['mmg'] }, providers: { mmg: { url: `${gateways.url}/mmg`, apiKey: 'x' } } },
  });

  it('each call has its full timeout at any concurrency', { timeout: 40_000 }, async () => {
    harness.clock.set(new Date());
    const ticking = setInterval(() => harness.clock.set(new Date()), 50);
    gateways.delay_ms = 6_000;
    const ids = await someQueuedMessages(harness, await aService(harness), many(200, lanes.normal));
    try {
      await whileRunning(buildDelivery(harness.app), async () => {
        await vi.waitFor(() => expect(gateways.requests.length).toBeGreaterThanOrEqual(200), { timeout: 15_000 });
      });
    } finally {
      clearInterval(ticking);
    }
    const rows = await harness.app.db.selectFrom('notifications').select('status').where('id', 'in', ids).execute();
    expect(rows.filter(({ status }) => status !== 'sending')).toEqual([]);
    for (const id of ids) expect(gateways.sentTo(id)).toHaveLength(1);
  });

  it('a call that outlasts its lease is not repeated', { timeout: 30_000 }, async () => {
    harness.clock.set(new Date());
    const ticking = setInterval(() => harness.clock.set(new Date()), 50);
    gateways.delay_ms = 9_500;
    const id = await aQueuedMessage(harness, await aService(harness));
    const [first, second] = [buildDelivery(harness.app), buildDelivery(harness.app)];
    first.start();
    second.start();
    try {
      await vi.waitFor(async () => expect((await messageOf(harness, id)).status).toBe('sending'), { timeout: 20_000 });
    } finally {
      gateways.delay_ms = 0;
      await Promise.all([first.stop(), second.stop()]);
      clearInterval(ticking);
    }
    expect(gateways.sentTo(id)).toHaveLength(1);
  });
});

describe('a message that another transaction has locked', () => {
  const harness = useHarness({
    config: { sms: { providers: ['mmg'] }, providers: { mmg: { url: `${gateways.url}/mmg`, apiKey: 'x' } } },
  });

  it('delays only its own result, and is sent once', { timeout: 60_000 }, async () => {
    harness.clock.set(new Date());
    const ticking = setInterval(() => harness.clock.set(new Date()), 50);
    gateways.delay_ms = 300;
    const service = await aService(harness);
    const locked = await aQueuedMessage(harness, service);
    const countedBefore = await countHandedOver();
    const holder = await harness.app.pool.connect();
    const statusOf = async (id: string) => (await messageOf(harness, id)).status;
    try {
      await holder.query('begin');
      await holder.query('set local idle_in_transaction_session_timeout = 0');
      await holder.query('select 1 from notifications where id = $1 for update', [locked]);
      await whileRunning(buildDelivery(harness.app), async () => {
        const others = await someQueuedMessages(harness, service, many(40, lanes.normal));
        const othersAreSent = async () => expect(await Promise.all(others.map(statusOf))).toEqual(sending(others));
        await vi.waitFor(othersAreSent, { timeout: 15_000, interval: 200 });
        expect(gateways.sentTo(locked)).toHaveLength(1);
        expect(await statusOf(locked)).toBe('created');
        // Longer than a lease.
        await new Promise((resolve) => setTimeout(resolve, 9_000));
        await holder.query('commit');
        await vi.waitFor(async () => expect(await statusOf(locked)).toBe('sending'), { timeout: 10_000 });
        for (const id of [locked, ...others]) expect(gateways.sentTo(id)).toHaveLength(1);
      });
    } finally {
      holder.release();
      clearInterval(ticking);
    }
    expect(await queueOf(harness, locked)).toBeUndefined();
    expect((await countHandedOver()) - countedBefore).toBe(41);
  });

  async function countHandedOver(): Promise<number> {
    const { rows } = await harness.app.pool.query(`select coalesce(sum(handed_over), 0)::int as count from (
      select handed_over from provider_health union all select handed_over from provider_health_changes) as health`);
    return rows[0].count;
  }

  const sending = (ids: string[]) => ids.map(() => 'sending');
});

describe('workers whose clocks differ', () => {
  const harness = useHarness({
    config: { sms: { providers: ['mmg'] }, providers: { mmg: { url: `${gateways.url}/mmg`, apiKey: 'x' } } },
  });
  const workerAt = (ahead_ms: number) => {
    const clock: Clock = { now: () => later(harness.clock.now(), ahead_ms) };
    return buildDelivery({ ...harness.app, clock });
  };

  it('send each message once: others are 10 s ahead, 10 s behind and an hour behind', { timeout: 60_000 }, async () => {
    harness.clock.set(new Date());
    const ticking = setInterval(() => harness.clock.set(new Date()), 50);
    gateways.delay_ms = 2_500;
    const service = await aService(harness);
    const right = workerAt(0);
    const wrong = [10_000, -10_000, -3_600_000].map(workerAt);
    try {
      await whileRunning(right, async () => {
        const first = await someQueuedMessages(harness, service, many(20, lanes.normal));
        await vi.waitFor(() => expect(sent(first)).toBeGreaterThanOrEqual(20), { timeout: 15_000 });
        await whileRunning(wrong, async () => {
          // After their start workers take over nothing for a while.
          await new Promise((resolve) => setTimeout(resolve, 4_000));
          const ids = await someQueuedMessages(harness, service, many(30, lanes.normal));
          await vi.waitFor(() => expect(sent(ids)).toBeGreaterThanOrEqual(30), { timeout: 15_000 });
          await new Promise((resolve) => setTimeout(resolve, 2_000));
          for (const id of [...first, ...ids]) expect(gateways.sentTo(id)).toHaveLength(1);
        });
      });
    } finally {
      clearInterval(ticking);
    }
  });

  const sent = (ids: string[]) => ids.filter((id) => gateways.sentTo(id).length > 0).length;
});

describe('a database outage', () => {
  const harness = useHarness({
    config: { sms: { providers: ['mmg'] }, providers: { mmg: { url: `${gateways.url}/mmg`, apiKey: 'x' } } },
  });

  it('results are recorded when the database is back, and messages are not sent again', {
    timeout: 30_000,
  }, async () => {
    harness.clock.set(new Date());
    gateways.delay_ms = 300;
    const id = await aQueuedMessage(harness, await aService(harness));
    await whileRunning(buildDelivery(harness.app), async () => {
      await vi.waitFor(() => expect(gateways.sentTo(id)).toHaveLength(1), { timeout: 10_000 });
      // All our connections break during the call.
      await harness.app.pool.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      );
      await vi.waitFor(async () => expect((await messageOf(harness, id)).status).toBe('sending'), { timeout: 10_000 });
    });
    expect(gateways.sentTo(id)).toHaveLength(1);
  });
});
