import pg from 'pg';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { aPlan, someDueMessages } from '../../test/kit/builders/plans.ts';
import { anApiKey, aService, aUser } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { later } from '../platform/clock.ts';
import { PlanWorker } from './advance.ts';
import { leaseDueMessages } from './plan-leases.shared.sql.ts';

const harness = useHarness({
  now: '2026-11-16T12:00:00Z',
  config: { callbacks: { allowPrivate: true }, providers: { sandbox: { receipts: 'hold' } } },
});

interface Sender {
  service_id: string;
  plan_id: string;
}

beforeEach(async () => {
  await harness.app.db.deleteFrom('plan_messages').execute();
  harness.clock.set('2026-11-16T12:00:00Z');
});

async function aSender(): Promise<Sender> {
  const service_id = await aService(harness);
  return { service_id, plan_id: await aPlan(harness, service_id, [{ channel: 'email' }, { channel: 'sms' }]) };
}

const due = (sender: Sender, count: number) =>
  someDueMessages(harness, { ...sender, count, due_at: harness.clock.now().toISOString() });

const statusOf = async (id: string) =>
  (await harness.app.db.selectFrom('plan_messages').select('status').where('id', '=', id).executeTakeFirst())?.status;

async function startedOf({ service_id }: Sender): Promise<number> {
  const sent = harness.app.db.selectFrom('notifications').select('id').where('service_id', '=', service_id);
  return (await sent.execute()).length;
}

describe('a service with 1,500 due messages', () => {
  it('does not delay the message of another service', { timeout: 60_000 }, async () => {
    const [busy, other] = [await aSender(), await aSender()];
    await due(busy, 1_500);
    harness.clock.advance({ seconds: 1 });
    const [id = ''] = await due(other, 1);
    const worker = new PlanWorker(harness.app);
    worker.start();
    await vi.waitFor(async () => expect(await statusOf(id)).toBe('in-progress'), { timeout: 30_000, interval: 10 });
    const before = await startedOf(busy);
    await worker.stop();
    expect(before).toBeLessThan(150);
  });
});

describe('a service whose counter of the day is locked', () => {
  it('does not delay the message of another service; its own ones start once afterwards', {
    timeout: 60_000,
  }, async () => {
    const [locked, other] = [await aSender(), await aSender()];
    await due(locked, 1);
    await new PlanWorker(harness.app).runOnce();
    await due(locked, 30);
    harness.clock.advance({ seconds: 1 });
    const [id = ''] = await due(other, 1);
    const client = new pg.Client({ connectionString: harness.app.pool.options.connectionString });
    await client.connect();
    const worker = new PlanWorker(harness.app);
    try {
      await client.query('begin');
      const counters = await client.query('select * from daily_message_counts where service_id = $1 for update', [
        locked.service_id,
      ]);
      expect(counters.rowCount).toBe(1);
      worker.start();
      await vi.waitFor(async () => expect(await statusOf(id)).toBe('in-progress'), { timeout: 12_000, interval: 50 });
      expect(await startedOf(locked)).toBe(1);
    } finally {
      await client.query('rollback');
      await client.end();
      await worker.stop();
    }
    for (let turn = 0; turn < 8; turn += 1) {
      harness.clock.advance({ minutes: 10 });
      await new PlanWorker(harness.app).runOnce();
    }
    expect(await startedOf(locked)).toBe(31);
  });
});

describe('a message that failed', () => {
  it('is tried after those that became due in the meantime, and keeps the time since when it is due', async () => {
    const sender = await aSender();
    const [failing = ''] = await due(sender, 1);
    const lease = (max: number) =>
      leaseDueMessages(harness.app.db, [{ service_id: sender.service_id, max }], harness.clock.now().toISOString());
    expect(await lease(2)).toEqual([{ id: failing, service_id: sender.service_id, attempts: 1 }]);
    harness.clock.advance({ seconds: 20 });
    const [fresh = ''] = await due(sender, 1);
    harness.clock.advance({ seconds: 10 });
    expect((await lease(1)).map(({ id }) => id)).toEqual([fresh]);
    expect(await lease(1)).toMatchObject([{ id: failing, attempts: 2 }]);
    harness.clock.advance({ seconds: 59 });
    expect((await lease(2)).map(({ id }) => id)).toEqual([fresh]);
    harness.clock.advance({ seconds: 1 });
    expect(await lease(2)).toMatchObject([{ id: failing, attempts: 3 }]);
    const row = harness.app.db.selectFrom('plan_messages').select('due_at').where('id', '=', failing);
    expect(await row.executeTakeFirst()).toEqual({ due_at: '2026-11-16T12:00:00.000000Z' });
  });

  it('is not taken by a worker whose clock is a minute ahead', async () => {
    await due(await aSender(), 1);
    let tries = 0;
    const failing = (ahead_ms: number) => {
      const find = async () => {
        tries += 1;
        throw new Error('No connection');
      };
      const sending = Object.assign(Object.create(harness.app.sending), { services: { find } });
      const clock = { now: () => later(harness.clock.now(), ahead_ms) };
      return new PlanWorker({ ...harness.app, sending, clock });
    };
    await failing(0).runOnce();
    await failing(60_000).runOnce();
    expect(tries).toBe(1);
  });
});

describe('messages whose contents cannot be decrypted', () => {
  it('fail after a day, and are logged once a minute', { timeout: 60_000 }, async () => {
    const sender = await aSender();
    const key = await anApiKey(harness, sender.service_id);
    const callback = { url: 'https://127.0.0.1:9/', bearer_token: 'a-bearer-token', callback_type: 'message_status' };
    const by = { updated_by_id: await aUser(harness) };
    await harness.admin('POST', `/service/${sender.service_id}/callback-api`, { ...callback, ...by });
    const ids = await due(sender, 3);
    const [readable = ''] = await due(sender, 1);
    const nonsense = { encrypted_content: 'bm90aGluZw' };
    await harness.app.db.updateTable('plan_messages').set(nonsense).where('id', 'in', ids).execute();
    const worker = new PlanWorker(harness.app);
    const since = harness.logged.length;
    const read = async (id: string) => (await harness.v2('GET', `/v2/messages/${id}`, key)).body;
    await worker.runOnce();
    expect(await statusOf(readable)).toBe('in-progress');
    for (let hours = 0; hours < 23; hours += 1) await anHour(worker);
    expect((await read(ids[0] ?? '')).status).toBe('created');
    for (let hours = 0; hours < 3; hours += 1) await anHour(worker);
    for (const id of ids) {
      const { status, steps } = await read(id);
      const failed = { state: 'failed', reason: 'unreadable' };
      expect([status, steps]).toEqual(['failed', [expect.objectContaining(failed), expect.objectContaining(failed)]]);
    }
    const lines = harness.logged.slice(since).filter((line) => line.includes('"plan.failed"'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('does SECRET_KEYS lack a key?');
    const stored = await harness.app.db
      .selectFrom('service_callbacks')
      .select('body')
      .where('subject_id', '=', ids[0] ?? '');
    expect((await stored.execute()).map(({ body }) => JSON.parse(body ?? ''))).toMatchObject([
      { status: 'failed', to: null, reference: null },
    ]);
  });

  async function anHour(worker: PlanWorker): Promise<void> {
    for (let minutes = 0; minutes < 60; minutes += 10) {
      harness.clock.advance({ minutes: 10 });
      await worker.runOnce();
    }
  }
});
