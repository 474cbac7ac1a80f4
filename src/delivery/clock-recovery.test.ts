import { expect, it, vi } from 'vitest';
import { queueOf, someQueuedMessages } from '../../test/kit/builders/queued-messages.ts';
import { aService } from '../../test/kit/builders/rows.ts';
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
