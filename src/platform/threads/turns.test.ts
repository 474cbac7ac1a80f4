import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Turns } from './turns.ts';

it('runs two at a time, in order, also after a failure', async () => {
  const turns = new Turns(2);
  const order: number[] = [];
  let running = 0;
  let most = 0;
  const work = (number: number) =>
    turns.take(async () => {
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
