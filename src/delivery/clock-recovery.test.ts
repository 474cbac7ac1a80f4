import { expect, it, vi } from 'vitest';
import { aPlan, planRecipient } from '../../test/kit/builders/plans.ts';
import { queueOf, someQueuedMessages } from '../../test/kit/builders/queued-messages.ts';
import { anApiKey, aService } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { later } from '../platform/clock.ts';
import { Metrics } from '../platform/metrics.ts';
import { clockRecovery } from './clock-recovery.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });

it('after the clock is set back, only scheduled messages wait', async () => {
  const service = await aService(harness);
  const [fresh = '', leased = '', later = '', retried = ''] = await someQueuedMessages(harness, service, [
    {},
    { due_at: '2026-11-16T12:00:08.000000Z' },
    { scheduled_for: '2026-11-16T12:30:00.000000Z', due_at: '2026-11-16T12:30:00.000000Z' },
    { due_at: '2026-11-16T11:04:00.000000Z' },
  ]);
  await harness.app.db
    .updateTable('delivery_queue')
    .set({ attempts: 1 })
    .where('notification_id', 'in', [leased, retried])
    .execute();
  harness.clock.set('2026-11-16T11:00:00Z');
  const recovery = clockRecovery(harness.app);
  recovery.start();
  const dueOf = async (id: string) => (await queueOf(harness, id))?.due_at;
  await vi.waitFor(async () => expect(await dueOf(fresh)).toBe('2026-11-16T11:00:00.000000Z'), { timeout: 10_000 });
  await recovery.stop();
  expect(await dueOf(leased)).toBe('2026-11-16T11:00:08.000000Z');
  expect(await dueOf(later)).toBe('2026-11-16T12:30:00.000000Z');
  expect(await dueOf(retried)).toBe('2026-11-16T11:04:00.000000Z');
});

it('after the clock is set back, messages with a channel plan go on, unless they are scheduled or wait for a step', async () => {
  const service = await aService(harness);
  const key = await anApiKey(harness, service);
  const plan_id = await aPlan(harness, service, [{ channel: 'email' }, { channel: 'sms' }]);
  harness.clock.set('2026-11-16T12:00:00Z');
  const send = async (change: object = {}): Promise<string> => {
    const request = { plan_id, recipient: planRecipient, personalisation: { name: 'Ada' }, ...change };
    return (await harness.v2('POST', '/v2/messages', key, request)).body.id;
  };
  const [waiting, leased] = [await send(), await send()];
  for (let turn = 0; turn < 2; turn += 1) await harness.deliver();
  const [fresh, scheduled] = [await send(), await send({ scheduled_for: '2026-11-16T12:30:00Z' })];
  const lease = { due_at: '2026-11-16T10:00:00Z', leased_until: '2026-11-16T12:00:30Z' };
  await harness.app.db.updateTable('plan_messages').set(lease).where('id', '=', leased).execute();
  harness.clock.set('2026-11-16T11:00:00Z');
  const recovery = clockRecovery(harness.app);
  recovery.start();
  const rowOf = (id: string) =>
    harness.app.db
      .selectFrom('plan_messages')
      .select(['due_at', 'leased_until'])
      .where('id', '=', id)
      .executeTakeFirst();
  const due = async (id: string) => (await rowOf(id))?.due_at;
  await vi.waitFor(async () => expect(await due(fresh)).toBe('2026-11-16T11:00:00.000000Z'), { timeout: 10_000 });
  await recovery.stop();
  expect(await due(waiting)).toBe('2026-11-17T12:00:00.000000Z');
  expect(await due(scheduled)).toBe('2026-11-16T12:30:00.000000Z');
  expect(await rowOf(leased)).toEqual({ due_at: '2026-11-16T10:00:00.000000Z', leased_until: null });
});

it('a clock that differs from that of the database is logged once, and measured', async () => {
  const metrics = new Metrics();
  const clock = { now: () => later(harness.clock.now(), 10_000) };
  const recovery = clockRecovery({ ...harness.app, metrics, clock });
  const lines = () => harness.logged.filter((line) => line.includes('"clock.differs"'));
  recovery.start();
  await vi.waitFor(() => expect(lines()).toHaveLength(1), { timeout: 10_000 });
  await recovery.stop();
  expect(lines()[0]).toMatch(/"difference_ms":(99|10)\d+/);
  expect(await metrics.registry.metrics()).toMatch(/^database_clock_difference_seconds (9\.|10)/m);
});
