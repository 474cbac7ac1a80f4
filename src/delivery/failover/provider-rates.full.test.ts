import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { someQueuedMessages } from '../../../test/kit/builders/queued-messages.ts';
import { aService } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { isLongRun } from '../../../test/kit/process/process-environment.ts';
import { startStubGateways } from '../../../test/kit/vendors/stub-gateways.ts';
import { lanes } from '../../notifications/notification.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { buildDelivery, type Delivery } from '../delivery.ts';
import { ProviderRateLimiter } from './provider-rate-limiter.ts';
import { reserveSlots } from './provider-slots.sql.ts';

const gateways = await startStubGateways();
afterAll(() => gateways.close());

const perSecond = 20;
const harness = useHarness({
  config: {
    sms: { providers: ['mmg'] },
    delivery: { providerRates: { mmg: perSecond } },
    providers: { mmg: { url: `${gateways.url}/mmg`, apiKey: 'x' } },
  },
});

/** When each message reached the provider, in milliseconds. */
const calls: number[] = [];
/** When this process stood still for lack of a processor, and for how long: messages of that time arrive together. */
const pauses: { end: number; ms: number }[] = [];
let lastTick = performance.now();
const ticker = setInterval(() => {
  const end = performance.now();
  if (end - lastTick > 50) pauses.push({ end, ms: end - lastTick });
  lastTick = end;
}, 10);
afterAll(() => clearInterval(ticker));

beforeEach(async () => {
  await harness.app.db.deleteFrom('delivery_queue').execute();
  calls.length = 0;
  pauses.length = 0;
  gateways.answer = () => {
    calls.push(performance.now());
    return 'accept';
  };
  gateways.delay_ms = 0;
});

const aWorker = () => buildDelivery(harness.app);

async function queue(count: number): Promise<void> {
  harness.clock.set(new Date());
  await someQueuedMessages(harness, await aService(harness), Array(count).fill({}));
}

async function whileRunning(workers: Delivery[], act: () => Promise<void>): Promise<void> {
  for (const worker of workers) worker.start();
  try {
    await act();
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
  }
}

/** Calls in any time of this length beyond those that the rate allows. */
function mostBeyondRate(seconds: number): number {
  return Math.max(
    ...calls.map((from) => {
      const count = calls.filter((at) => at >= from && at < from + seconds * 1_000).length;
      const paused = pauses.filter(({ end }) => end >= from - 1_000 && end < from + seconds * 1_000);
      const paused_s = paused.reduce((sum, { ms }) => sum + ms / 1_000, 0);
      return count - perSecond * (seconds + paused_s);
    }),
  );
}

/** The documented tolerance: a process that is held up may use the slots of the last half second together with the next ones. */
function expectWithinRate(): void {
  for (const seconds of isLongRun ? [1, 3, 5] : [1, 3]) {
    expect(mostBeyondRate(seconds), `in ${seconds} s`).toBeLessThanOrEqual(perSecond * 0.5 + 1);
  }
}

describe('the rate of a provider', () => {
  const measured_s = isLongRun ? 5 : 3;

  it.each(isLongRun ? [1, 2, 3] : [1, 3])(
    'holds for %d workers together, and they reach it',
    { timeout: 60_000 },
    async (count) => {
      // Each call takes longer than a tenth of a second, as does a step on a busy machine.
      gateways.delay_ms = 150;
      await queue(400);
      const workers = Array.from({ length: count }, aWorker);
      await whileRunning(workers, () => sleep((measured_s + 2) * 1_000));
      expectWithinRate();
      const [first = 0] = calls;
      const during = calls.filter((at) => at >= first + 1_000 && at < first + (1 + measured_s) * 1_000).length;
      // Half of it: the tests of other files take the processor away.
      expect(during).toBeGreaterThanOrEqual(0.4 * measured_s * perSecond);
    },
  );

  it('is not exceeded while workers start and stop', { timeout: 60_000 }, async () => {
    await queue(400);
    const [first, second, third] = [aWorker(), aWorker(), aWorker()];
    await whileRunning([first], async () => {
      await sleep(2_000);
      await whileRunning([second, third], () => sleep(2_000));
      await sleep(1_500);
    });
    expectWithinRate();
    expect(calls.length).toBeGreaterThanOrEqual(0.4 * 5 * perSecond);
  });
});

describe('a provider of which ten messages are leased ahead', () => {
  const fast = useHarness({
    config: {
      sms: { providers: ['mmg'] },
      delivery: { providerRates: { mmg: 100 } },
      providers: { mmg: { url: `${gateways.url}/mmg`, apiKey: 'x' } },
    },
  });

  it('gets a priority message before others that wait for their slot', { timeout: 60_000 }, async () => {
    const waitForSlot = vi.spyOn(ProviderRateLimiter.prototype, 'waitForSlot');
    onTestFinished(() => waitForSlot.mockRestore());
    const { app } = fast;
    const service = await aService(fast);
    const waiting = async (lane: number, count: number) => {
      const before = waitForSlot.mock.calls.length;
      await someQueuedMessages(
        fast,
        service,
        Array.from({ length: count }, () => ({ lane })),
      );
      await expect.poll(() => waitForSlot.mock.calls.length - before, { timeout: 20_000 }).toBe(count);
    };
    await reserveSlots(app.db, { provider: 'mmg', count: 1, gap_ms: 1, ahead_ms: 1_000 });
    await whileRunning([buildDelivery(app)], async () => {
      const order: number[] = [];
      // No slot is granted before all of them wait.
      await inTransaction(app.db, async (tx) => {
        await tx.selectFrom('provider_slots').selectAll().where('provider', '=', 'mmg').forUpdate().execute();
        await waiting(lanes.bulk, 5);
        await waiting(lanes.normal, 1);
        await waiting(lanes.priority, 1);
        for (const [index, { value }] of waitForSlot.mock.results.entries())
          void value.then(() => order.push(waitForSlot.mock.calls[index]?.[0] ?? Number.NaN));
        expect(order).toEqual([]);
      });
      await expect.poll(() => order, { timeout: 20_000 }).toHaveLength(7);
      expect(order).toEqual([lanes.priority, lanes.normal, ...Array(5).fill(lanes.bulk)]);
    });
  });
});

describe('slots of a provider', () => {
  const reserve = (count: number) =>
    reserveSlots(harness.app.db, { provider: 'slots', count, gap_ms: 1_000, ahead_ms: 9_500 });

  it('are granted to one worker each, a limited time ahead, also to many at once', async () => {
    const granted = await Promise.all(Array.from({ length: 8 }, () => reserve(2)));
    expect(granted.reduce((sum, one) => sum + one.granted, 0)).toBe(10);
    const ends = granted.filter((one) => one.granted > 0).map(({ end_in_ms }) => Math.round(end_in_ms / 1_000));
    expect(ends.toSorted((one, other) => one - other)).toEqual([2, 4, 6, 8, 10]);
  });

  it('are granted soon after the clock of the database was set back', async () => {
    await harness.app.db
      .updateTable('provider_slots')
      .set({ next_at: new Date(Date.now() + 3_600_000) })
      .where('provider', '=', 'slots')
      .execute();
    const { granted, end_in_ms } = await reserve(1);
    expect(granted).toBe(0);
    expect(end_in_ms).toBeLessThanOrEqual(11_000);
  });
});
