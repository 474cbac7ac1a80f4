import { expect, it } from 'vitest';
import { useHarness } from '../../test/kit/harness.ts';
import { metricOf } from '../../test/kit/world/metrics.ts';
import { tryLockRollups } from '../notifications/rollups/rollups.sql.ts';
import { addUpChanges } from '../notifications/rollups/rollups.ts';
import { inTransaction } from '../platform/db/database.ts';
import { addingUp, restAfter_ms } from './adding-up.ts';

const wait_ms = 3_000;
const harness = useHarness({ now: '2026-11-17T12:00:00Z' });

it.each([
  [0, 1_000],
  [20, 1_000],
  [100, 5_000],
  [4_000, 30_000],
  [60_000, 30_000],
])('adding up that took %i ms runs again after %i ms', (took_ms, rest_ms) => {
  expect(restAfter_ms(took_ms)).toBe(rest_ms);
});

it('is timed without waiting for a connection, and says when a worker last did it', async () => {
  const { app, clock } = harness;
  const loop = addingUp(app);
  const lastOf = async () =>
    Number((await metricOf(harness, 'changes_added_up_timestamp_seconds')).match(/ (\d+)$/m)?.[1]);
  const second = () => clock.now().getTime() / 1_000;
  clock.advance({ minutes: 1 });
  await loop.runOnce();
  expect(await lastOf()).toBe(second());

  const held = await Promise.all(Array.from({ length: app.pool.options.max }, () => app.pool.connect()));
  const took_ms = addUpChanges(app.db);
  await new Promise((resolve) => setTimeout(resolve, wait_ms));
  for (const client of held) client.release();
  expect(await took_ms).toBeLessThan(wait_ms);

  await inTransaction(app.db, async (tx) => {
    await tryLockRollups(tx);
    clock.advance({ minutes: 1 });
    expect(await addUpChanges(app.db)).toBeUndefined();
    await loop.runOnce();
    expect(await lastOf()).toBe(second() - 60);
  });
});
