import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { GroupCommit } from './group-commit.ts';

const gone = new Error('gone');

function recording(
  options: {
    largest?: number;
    atOnce?: number;
    every_ms?: number;
    busyFrom?: number;
    turns?: { from: number; atMost_ms: number };
    takes_ms?: number;
    fail?: (items: number[]) => Error | undefined;
  } = {},
) {
  const commits: number[][] = [];
  let running = 0;
  let maxRunning = 0;
  const group = new GroupCommit<number, string>({
    maxItems: options.largest ?? 100,
    maxConcurrent: options.atOnce ?? 1,
    every_ms: options.every_ms,
    busyFrom: options.busyFrom,
    turns: options.turns,
    affectsAll: (error) => error === gone,
    async commit(items) {
      running += 1;
      maxRunning = Math.max(maxRunning, running);
      await new Promise((resolve) => setTimeout(resolve, options.takes_ms ?? 2));
      running -= 1;
      const error = options.fail?.(items);
      if (error) throw error;
      commits.push(items);
      return items.map((item) => `stored ${item}`);
    },
  });
  return { group, commits, maxRunning: () => maxRunning };
}

// Time stands still while code runs, and moves to the next timer when nothing else is left to do.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate', 'performance'] });
  vi.setTimerTickMode('nextTimerAsync');
});
afterEach(() => void vi.useRealTimers());

describe('GroupCommit', () => {
  it('commits concurrent items together and returns each its own outcome', async () => {
    const { group, commits } = recording();
    const outcomes = await Promise.all([1, 2, 3].map((item) => group.add(item)));
    expect(outcomes).toEqual(['stored 1', 'stored 2', 'stored 3']);
    expect(commits).toEqual([[1, 2, 3]]);
  });

  it('under load starts commits at an interval, or when full; the first item never waits', async () => {
    const { group, commits } = recording({ every_ms: 1_000, largest: 3 });
    const began = performance.now();
    await group.add(1);
    expect(performance.now() - began).toBeLessThan(800);
    const next = [group.add(2)];
    await new Promise((resolve) => setTimeout(resolve, 20));
    next.push(group.add(3));
    await Promise.all(next);
    expect(commits).toEqual([[1], [2, 3]]);
    expect(performance.now() - began).toBeGreaterThan(990);
    const full = performance.now();
    await Promise.all([4, 5, 6].map((item) => group.add(item)));
    expect(performance.now() - full).toBeLessThan(800);
  });

  it('does not delay a single sender', async () => {
    const { group, commits } = recording({ every_ms: 1_000, busyFrom: 3 });
    const began = performance.now();
    for (const item of [1, 2, 3]) await group.add(item);
    expect(commits).toEqual([[1], [2], [3]]);
    expect(performance.now() - began).toBeLessThan(800);
  });

  it('waits for no more items than the last group had', async () => {
    const { group, commits } = recording({ every_ms: 1_000, busyFrom: 3 });
    const began = performance.now();
    const three = (items: number[]) => Promise.all(items.map((item) => group.add(item)));
    for (const items of [
      [1, 2, 3],
      [4, 5, 6],
    ])
      await three(items);
    expect(performance.now() - began).toBeLessThan(800);
    await three([7, 8]);
    expect(commits).toEqual([
      [1, 2, 3],
      [4, 5, 6],
      [7, 8],
    ]);
    expect(performance.now() - began).toBeGreaterThan(990);
  });

  it('lets commits take turns after a large group, unless one takes long', async () => {
    const inTwoParts = async (takes_ms: number, from = 3) => {
      const options = { atOnce: 2, every_ms: 1, busyFrom: 2, turns: { from, atMost_ms: 500 }, takes_ms };
      const { group, commits, maxRunning } = recording(options);
      const add = (items: number[]) => items.map((item) => group.add(item));
      const first = add([1, 2, 3]);
      await new Promise((resolve) => setTimeout(resolve, 10));
      const second = add([4, 5, 6]);
      await new Promise((resolve) => setTimeout(resolve, 10));
      await Promise.all([...first, ...second, ...add([7])]);
      return { commits, most: maxRunning() };
    };
    const commits = [
      [1, 2, 3],
      [4, 5, 6, 7],
    ];
    expect(await inTwoParts(250)).toEqual({ commits, most: 1 });
    expect(await inTwoParts(1_500)).toEqual({ commits, most: 2 });
    expect((await inTwoParts(250, 4)).most).toBe(2);
  });

  it('collects the next group during a commit', async () => {
    const { group, commits } = recording();
    const first = group.add(1);
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([first, group.add(2), group.add(3)]);
    expect(commits).toEqual([[1], [2, 3]]);
  });

  it('respects the maximum group size and concurrency', async () => {
    const { group, commits, maxRunning } = recording({ largest: 4, atOnce: 2 });
    await Promise.all(Array.from({ length: 22 }, (_, item) => group.add(item)));
    expect(Math.max(...commits.map((items) => items.length))).toBe(4);
    expect(maxRunning()).toBe(2);
  });

  it('rejects items when the queue is full, and recovers', async () => {
    const { group } = recording({ largest: 10_000 });
    const outcomes = await Promise.allSettled(Array.from({ length: 20_003 }, (_, item) => group.add(item)));
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(3);
    expect(await group.add(1)).toBe('stored 1');
  });

  it('fails only the bad item', async () => {
    const bad = new Error('bad');
    const { group } = recording({ fail: (items) => (items.includes(2) ? bad : undefined) });
    const outcomes = await Promise.allSettled([1, 2, 3].map((item) => group.add(item)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('isolates one bad item among 200 in 16 commits without delaying the next groups', async () => {
    for (const position of [0, 1, 99, 100, 199]) {
      const tried: number[][] = [];
      let next: Promise<string> | undefined;
      const { group } = recording({
        largest: 200,
        fail: (items) => {
          tried.push(items);
          next ??= group.add(1_000);
          return items.includes(position) ? new Error('bad') : undefined;
        },
      });
      const first = Array.from({ length: 200 }, (_, item) => group.add(item));
      const outcomes = await Promise.allSettled(first);
      expect(await next).toBe('stored 1000');
      const before = tried.findIndex((items) => items.includes(1_000));
      expect(before).toBeLessThanOrEqual(3);
      expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1);
      expect(tried.length - 2).toBeLessThanOrEqual(16);
    }
  });

  it('isolates the owner of a bad item from other owners', async () => {
    const tried: string[][] = [];
    const group = new GroupCommit<string, string>({
      maxItems: 100,
      maxConcurrent: 1,
      affectsAll: () => false,
      ownerOf: (item) => item.slice(0, 1),
      async commit(items) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        tried.push(items);
        if (items.some((item) => item.endsWith('bad'))) throw new Error('bad');
        return items;
      },
    });
    const wave = (number: number) =>
      Promise.allSettled(
        [`a${number}`, 'b bad', `b${number}`, `c${number}`].map(async (item) =>
          expect(await group.add(item)).toBe(item),
        ),
      );
    await wave(0);
    tried.length = 0;
    for (let number = 1; number < 5; number += 1) {
      const outcomes = await wave(number);
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    }
    expect(tried.filter((items) => items.some((item) => /^[ac]/.test(item)))).toEqual(
      [1, 2, 3, 4].map((number) => [`a${number}`, `c${number}`]),
    );
  });

  it('lets other owners wait once for a locked row, and fails the items of its owner until it is free', async () => {
    const lockTimeout = new Error('locked');
    let isLocked = true;
    const tried: { items: string; usesShortTimeout: boolean }[] = [];
    const group = new GroupCommit<string, string>({
      maxItems: 100,
      maxConcurrent: 2,
      affectsAll: () => false,
      isLockTimeout: (error) => error === lockTimeout,
      ownerOf: (item) => item.slice(0, 1),
      async commit(items, usesShortTimeout) {
        tried.push({ items: items.join(' '), usesShortTimeout });
        const waits = isLocked && items.some((item) => item.startsWith('b'));
        await new Promise((resolve) => setTimeout(resolve, waits ? (usesShortTimeout ? 150 : 400) : 1));
        if (waits) throw lockTimeout;
        return items;
      },
    });
    const wave = async (number: number) => {
      const settled: string[] = [];
      const add = async (item: string) => {
        const outcome = await group.add(item).catch(() => 'failed');
        settled.push(outcome === item ? item : `${item} ${outcome}`);
      };
      await Promise.all([`b${number}`, `a${number}`, `c${number}`].map(add));
      return settled;
    };
    const failsLast = (number: number) => [`a${number}`, `c${number}`, `b${number} failed`];
    // During the wait for the lock more items arrive, which share the next commit with the same owner.
    const first = wave(0);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const second = wave(1);
    expect((await first).sort()).toEqual(['a0', 'b0 failed', 'c0']);
    expect((await second).sort()).toEqual(['a1', 'b1 failed', 'c1']);
    expect(tried.slice(0, 2).map(({ items }) => items)).toEqual(['b0 a0 c0', 'b1 a1 c1']);
    expect(tried.slice(2).filter(({ items }) => items.includes('b') && !/^b\d( b\d)*$/.test(items))).toEqual([]);
    for (let number = 2; number < 6; number += 1) expect(await wave(number)).toEqual(failsLast(number));
    const alone = tried.slice(2).filter(({ items }) => items.includes('b'));
    expect(alone.every(({ usesShortTimeout }) => usesShortTimeout)).toBe(true);
    isLocked = false;
    expect((await wave(6)).sort()).toEqual(['a6', 'b6', 'c6']);
    await wave(7);
    expect(tried.at(-1)).toEqual({ items: 'b7 a7 c7', usesShortTimeout: false });
  });

  it('fails all waiting items of an owner whose row is locked at once', async () => {
    const lockTimeout = new Error('locked');
    let commits = 0;
    const group = new GroupCommit<string, string>({
      maxItems: 2,
      maxConcurrent: 1,
      affectsAll: () => false,
      isLockTimeout: (error) => error === lockTimeout,
      ownerOf: (item) => item.slice(0, 1),
      async commit(items) {
        commits += 1;
        await new Promise((resolve) => setTimeout(resolve, 2));
        if (items.some((item) => item.startsWith('b'))) throw lockTimeout;
        return items;
      },
    });
    const items = ['a0', 'b0', 'a1', ...Array.from({ length: 50 }, (_, number) => `b${number}`)];
    const settled = await Promise.allSettled(items.map((item) => group.add(item)));
    expect(items.filter((_, index) => settled[index]?.status === 'fulfilled')).toEqual(['a0', 'a1']);
    expect(commits).toBeLessThan(12);
  });

  it('fails the whole group without retries for an error that concerns all', async () => {
    let tries = 0;
    const { group } = recording({
      fail: () => {
        tries += 1;
        return gone;
      },
    });
    const outcomes = await Promise.allSettled([1, 2, 3].map((item) => group.add(item)));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(tries).toBe(1);
  });

  it('continues after a failure', async () => {
    let broken = true;
    const { group } = recording({ fail: () => (broken ? gone : undefined) });
    await expect(group.add(1)).rejects.toBe(gone);
    broken = false;
    expect(await group.add(2)).toBe('stored 2');
  });

  it('stores every good item exactly once, regardless of bad ones', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.nat(50)), fc.integer({ min: 1, max: 8 }), async (items, largest) => {
        const { group, commits } = recording({
          largest,
          atOnce: 2,
          fail: (tried) => (tried.some((item) => item % 7 === 3) ? new Error('bad') : undefined),
        });
        const outcomes = await Promise.allSettled(items.map((item) => group.add(item)));
        const good = items.filter((item) => item % 7 !== 3);
        expect(commits.flat().sort()).toEqual([...good].sort());
        expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(good.length);
      }),
      { numRuns: 30 },
    );
  });
});
