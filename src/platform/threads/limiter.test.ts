import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { FairLimiter, Limiter, TooManyWaiting } from './limiter.ts';

it('runs two at a time, in order, also after a failure', async () => {
  const limiter = new Limiter(2);
  const order: number[] = [];
  let running = 0;
  let most = 0;
  const work = (number: number) =>
    limiter.run(async () => {
      running += 1;
      most = Math.max(most, running);
      order.push(number);
      await sleep(2);
      running -= 1;
      if (number === 3) throw new Error('failed');
      return number;
    });
  const results = await Promise.allSettled([1, 2, 3, 4, 5, 6].map(work));
  expect(most).toBe(2);
  expect(order).toEqual([1, 2, 3, 4, 5, 6]);
  expect(results.map((result) => (result.status === 'fulfilled' ? result.value : 'failed'))).toEqual([
    1,
    2,
    'failed',
    4,
    5,
    6,
  ]);
  expect(await work(7)).toBe(7);
});

function started(limiter: FairLimiter) {
  const order: string[] = [];
  const ends: (() => void)[] = [];
  const take = (owner: string, size: number) =>
    limiter.acquire(owner, size).then((end) => {
      order.push(owner);
      ends.push(end);
    });
  const endFirst = async () => {
    ends.shift()?.();
    await nextTurn();
  };
  return { order, take, endFirst };
}

it('lets owners take turns within the limit of items', async () => {
  const { order, take, endFirst } = started(new FairLimiter({ running: 1, size: 100, waiting: 10 }));
  for (const owner of ['a', 'a', 'a', 'a', 'b', 'b']) void take(owner, 1);
  await nextTurn();
  expect(order.join('')).toBe('a');
  for (let index = 0; index < 6; index += 1) await endFirst();
  expect(order.join('')).toBe('aaabab');
});

it('limits the total size; a larger item has its turn alone', async () => {
  const { order, take, endFirst } = started(new FairLimiter({ running: 10, size: 100, waiting: 10 }));
  for (const [owner, size] of [
    ['a', 60],
    ['b', 40],
    ['c', 500],
    ['d', 1],
  ] as const)
    void take(owner, size);
  await nextTurn();
  expect(order.join('')).toBe('ab');
  await endFirst();
  expect(order.join('')).toBe('ab');
  await endFirst();
  expect(order.join('')).toBe('abc');
  await endFirst();
  expect(order.join('')).toBe('abcd');
});

it('refuses items above the limit of those waiting', async () => {
  const limiter = new FairLimiter({ running: 1, size: 100, waiting: 2 });
  const { take } = started(limiter);
  for (let index = 0; index < 4; index += 1) void take('a', 1);
  expect(limiter.countWaiting('a')).toBe(2);
  await expect(limiter.acquire('b', 1)).rejects.toBeInstanceOf(TooManyWaiting);
});
