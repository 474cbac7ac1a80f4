import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { BulkPace } from './bulk-pace.ts';

/** Longer than a judgement takes into account. */
function keepTheLoopBusy(): void {
  const end = performance.now() + 150;
  while (performance.now() < end);
}

it('runs at full speed without requests, however busy the loop', () => {
  const pace = new BulkPace();
  keepTheLoopBusy();
  expect(pace.share()).toBe(1);
});

it('slows down while requests arrive and the loop is busy, but never stops', () => {
  const pace = new BulkPace();
  const shares = Array.from({ length: 12 }, () => {
    pace.countRequest();
    keepTheLoopBusy();
    return pace.share();
  });
  expect(shares[0]).toBeLessThan(1);
  expect(shares).toEqual([...shares].sort((a, b) => b - a));
  expect(shares.at(-1)).toBe(0.05);
});

it('speeds up again when the loop is idle, and at once when requests end', async () => {
  const pace = new BulkPace();
  for (let count = 0; count < 3; count += 1) {
    pace.countRequest();
    keepTheLoopBusy();
    pace.share();
  }
  const slow = pace.share();
  pace.countRequest();
  await sleep(400);
  const faster = pace.share();
  expect(faster).toBeGreaterThan(slow);
  expect(faster).toBeLessThan(1);
  await sleep(150);
  expect(pace.share()).toBe(1);
});
