import { performance } from 'node:perf_hooks';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { BulkPace } from './bulk-pace.ts';

/** Longer than an evaluation takes into account. */
function keepTheLoopBusy(): void {
  const end = performance.now() + 150;
  while (performance.now() < end);
}

/** Times of processors that are busy for this share of the time. */
function processors(share: { busy: number }) {
  let times = { busy: 0, total: 0 };
  return () => {
    times = { busy: times.busy + 1_000 * share.busy, total: times.total + 1_000 };
    return times;
  };
}

const idle = processors({ busy: 0 });

it('runs at full speed without requests, however busy the loop', () => {
  const pace = new BulkPace(idle);
  keepTheLoopBusy();
  expect(pace.share()).toBe(1);
});

it('slows down while requests arrive and the loop is busy, but never stops', () => {
  const pace = new BulkPace(idle);
  const shares = Array.from({ length: 12 }, () => {
    pace.countRequest();
    keepTheLoopBusy();
    return pace.share();
  });
  expect(shares[0]).toBeLessThan(1);
  expect(shares).toEqual([...shares].sort((a, b) => b - a));
  expect(shares.at(-1)).toBe(0.05);
});

describe('while time passes', () => {
  afterEach(() => vi.restoreAllMocks());

  /** Lets time pass in which the loop is idle. */
  function fakeTime(): (ms: number) => void {
    let now = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    vi.spyOn(performance, 'eventLoopUtilization').mockReturnValue({ idle: 1, active: 0, utilization: 0 });
    return (ms) => {
      now += ms;
    };
  }

  it('speeds up again when the loop is idle, and at once when requests end', () => {
    const pace = new BulkPace(idle);
    for (let count = 0; count < 3; count += 1) {
      pace.countRequest();
      keepTheLoopBusy();
      pace.share();
    }
    const slow = pace.share();
    const pass = fakeTime();
    pace.countRequest();
    pass(400);
    const faster = pace.share();
    expect(faster).toBeGreaterThan(slow);
    expect(faster).toBeLessThan(1);
    pass(150);
    expect(pace.share()).toBe(1);
  });

  it('slows down to half speed while requests arrive and all processors are busy', () => {
    const pass = fakeTime();
    const machine = { busy: 1 };
    const pace = new BulkPace(processors(machine));
    const shares: number[] = [];
    const evaluate = () => {
      pace.countRequest();
      pass(110);
      shares.push(pace.share());
    };
    for (let count = 0; count < 4; count += 1) evaluate();
    expect(shares).toEqual([0.7, 0.5, 0.5, 0.5]);
    machine.busy = 0.8;
    evaluate();
    expect(shares.at(-1)).toBeCloseTo(0.575);
  });

  it('holds bulk messages while a file becomes messages and requests arrive, and rests between its parts', () => {
    const pass = fakeTime();
    const pace = new BulkPace(idle);
    expect([pace.restAfter_ms(100), pace.mustHoldBulk()]).toEqual([0, false]);
    pace.countRequest();
    pass(110);
    expect(pace.restAfter_ms(100)).toBeGreaterThanOrEqual(50);
    expect(pace.mustHoldBulk()).toBe(true);
    pace.countRequest();
    pass(510);
    expect(pace.mustHoldBulk()).toBe(false);
  });
});
