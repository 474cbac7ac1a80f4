import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { BatchReader } from './batch-reader.ts';

/** Its reads wait until they are released, in order. */
function aReader() {
  const batches: string[][] = [];
  const releases: (() => void)[] = [];
  const reader = new BatchReader<{ id: string; batch: number }>(
    async (keys) => {
      const batch = batches.push(keys);
      await new Promise<void>((resolve) => releases.push(resolve));
      if (keys.includes('bad')) throw new Error('It cannot be read');
      return keys.filter((key) => key !== 'missing').map((id) => ({ id, batch }));
    },
    ({ id }) => id,
  );
  return { reader, batches, release: () => releases.shift()?.() };
}

describe('BatchReader', () => {
  it('reads what is requested in one turn of the event loop together, each key once', async () => {
    const { reader, batches, release } = aReader();
    const rows = Promise.all(['a', 'b', 'a', 'missing'].map((key) => reader.find(key)));
    await nextTurn();
    release();
    expect(await rows).toEqual([{ id: 'a', batch: 1 }, { id: 'b', batch: 1 }, { id: 'a', batch: 1 }, undefined]);
    expect(batches).toEqual([['a', 'b', 'missing']]);
  });

  it('has at most two reads under way; later requests share the next, which begins after them', async () => {
    const { reader, batches, release } = aReader();
    const rows = [];
    for (const key of ['a', 'b', 'a', 'c']) {
      rows.push(reader.find(key));
      await nextTurn();
    }
    expect(batches).toEqual([['a'], ['b']]);
    release();
    await rows[0];
    await nextTurn();
    expect(batches).toEqual([['a'], ['b'], ['a', 'c']]);
    release();
    release();
    expect((await Promise.all(rows)).map((row) => row?.batch)).toEqual([1, 2, 3, 3]);
  });

  it('splits many keys, and a failed read fails no other one', async () => {
    const { reader, batches, release } = aReader();
    const many = Array.from({ length: 150 }, (_, number) => `${number}`);
    const rows = Promise.allSettled([...many, 'bad'].map((key) => reader.find(key)));
    await nextTurn();
    await nextTurn();
    expect(batches.map((keys) => keys.length)).toEqual([100, 51]);
    release();
    release();
    const settled = await rows;
    expect(settled.filter(({ status }) => status === 'rejected')).toHaveLength(51);
  });
});
