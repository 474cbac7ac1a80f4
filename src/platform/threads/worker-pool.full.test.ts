import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { WorkerPool, type WorkerPoolOptions } from './worker-pool.ts';

interface Tasks {
  double(n: number): number;
  slow(ms: number): Promise<string>;
  thread(): number;
  bytes(length: number): Uint8Array;
  fail(message: string): never;
  hang(): never;
  eat(): never;
  exit(): never;
  throwLater(): Promise<never>;
  uncloneable(): unknown;
  count(port: MessagePort, bytes: Uint8Array): Promise<number>;
}

const folder = mkdtempSync(join(tmpdir(), 'worker-pool-'));
const module = pathToFileURL(join(folder, 'tasks.mjs'));
writeFileSync(
  module,
  `
import { threadId } from 'node:worker_threads';
export const double = (n) => n * 2;
export const slow = (ms) => new Promise((resolve) => setTimeout(() => resolve('slept'), ms));
export const thread = () => threadId;
export const bytes = (length) => new Uint8Array(length).fill(7);
export const fail = (message) => { throw Object.assign(new TypeError(message), { page: 7 }); };
export const hang = () => { for (;;); };
export const eat = () => { const kept = []; for (;;) kept.push(Array.from({ length: 10000 }, (_, i) => ({ i }))); };
export const exit = () => process.exit(3);
export const throwLater = () => { setImmediate(() => { throw new Error('out of nowhere'); }); return new Promise(() => {}); };
export const uncloneable = () => () => {};
export const count = (port, bytes) => new Promise((resolve) => {
  port.once('message', (factor) => { port.postMessage('counted'); resolve(factor * bytes.length); });
});
`,
);

let pool: WorkerPool<Tasks>;
const open = (options: Partial<WorkerPoolOptions> = {}) => {
  pool = new WorkerPool<Tasks>({ module, size: 2, ...options });
  return pool;
};
afterEach(() => pool.close());
afterAll(() => rmSync(folder, { recursive: true }));

describe('a pool of threads', () => {
  it('returns what the task returns, bytes included', async () => {
    open();
    expect(await pool.run('double', 21)).toBe(42);
    expect(await pool.run('bytes', 5)).toEqual(new Uint8Array([7, 7, 7, 7, 7]));
  });

  it('moves buffers and ports to the thread', async () => {
    open();
    const { port1, port2 } = new MessageChannel();
    const bytes = new Uint8Array(3);
    const counting = pool.runnerFor({ owner: 'a' }).runWith([port2, bytes.buffer], 'count', port2, bytes);
    expect(bytes.length).toBe(0);
    const answer = new Promise((resolve) => port1.once('message', resolve));
    port1.postMessage(7);
    expect([await counting, await answer]).toEqual([21, 'counted']);
    port1.close();
  });

  it('uses no more threads than its size and queues the rest', async () => {
    open({ size: 2 });
    const ids = Promise.all(Array.from({ length: 12 }, () => pool.run('thread')));
    expect(pool.waiting).toBe(10);
    expect(new Set(await ids).size).toBeLessThanOrEqual(2);
    expect(pool.waiting).toBe(0);
  });

  it('passes on the error a task throws and keeps its thread', async () => {
    open({ size: 1 });
    const before = await pool.run('thread');
    await expect(pool.run('fail', 'no such page')).rejects.toMatchObject({
      name: 'TypeError',
      message: 'no such page',
      page: 7,
      stack: expect.stringContaining('tasks.mjs'),
    });
    expect(await pool.run('thread')).toBe(before);
  });

  it('names a task that does not exist', async () => {
    open();
    await expect(pool.run('missing' as 'hang')).rejects.toThrow('exports no task named missing');
  });

  it('rejects a result that cannot be cloned', async () => {
    open();
    await expect(pool.run('uncloneable')).rejects.toThrow('the result of uncloneable cannot be cloned');
  });

  it('rejects an argument that cannot be cloned, and continues', async () => {
    open({ size: 1 });
    await expect(pool.run('double', (() => 1) as never)).rejects.toThrow('could not be cloned');
    expect(await pool.run('double', 2)).toBe(4);
  });

  it.each([
    ['hang', 'timeout', 'task hang took longer than 2000 ms'],
    ['eat', 'memory', 'the task needed more than 32 MB'],
    ['exit', 'crashed', 'the worker thread ended with code 3'],
    ['throwLater', 'crashed', 'the worker thread crashed: Error: out of nowhere'],
  ] as const)(
    'replaces the thread of a task that does %s (%s), disturbing nothing else',
    async (task, reason, message) => {
      open({ size: 2, timeout_ms: task === 'hang' ? 2_000 : 10_000, memory_mb: 32 });
      const neighbour = pool.run('slow', 200);
      await expect(pool.run(task)).rejects.toMatchObject({ name: 'WorkerFailure', reason, message });
      expect(await neighbour).toBe('slept');
      expect(await Promise.all([pool.run('double', 1), pool.run('double', 2), pool.run('double', 3)])).toEqual([
        2, 4, 6,
      ]);
    },
  );

  it('does not count the time in the queue', async () => {
    open({ size: 1, timeout_ms: 2_000 });
    const all = Promise.all([1, 2, 3, 4].map(() => pool.run('slow', 700)));
    await expect(all).resolves.toEqual(['slept', 'slept', 'slept', 'slept']);
  });

  it('lets owners take turns', async () => {
    open({ size: 1 });
    const order: string[] = [];
    const run = (owner: string, share = {}) =>
      pool
        .runnerFor({ owner, ...share })
        .run('double', 1)
        .then(() => order.push(owner));
    const blocker = pool.run('slow', 100);
    await Promise.all([run('a'), run('a'), run('a'), run('b'), run('c'), run('b'), blocker]);
    expect(order.join('')).toBe('abcaba');
  });

  it('starts an urgent task at once even if background tasks occupy every thread', async () => {
    open({ size: 1 });
    await pool.run('double', 1);
    let isDone = false;
    const blockers = [pool.run('slow', 3_000).then(() => (isDone = true)), pool.run('double', 1)];
    const urgent = pool.runnerFor({ owner: 'a', urgent: true });
    expect(await urgent.run('double', 4)).toBe(8);
    expect(isDone).toBe(false);
    await Promise.all(blockers);
  });

  it('delays background tasks without starving them', async () => {
    open({ size: 1 });
    const order: string[] = [];
    const urgent = pool.runnerFor({ owner: 'a', urgent: true });
    const first = urgent.run('slow', 50);
    const all = [pool.run('double', 1).then(() => order.push('background'))];
    // So many that even a slow machine finishes it before the last of them.
    for (let index = 0; index < 200; index += 1) all.push(urgent.run('double', 1).then(() => order.push('urgent')));
    await Promise.all([first, ...all]);
    // While it runs, urgent tasks continue in the spare thread: some of them may finish before it.
    expect(order.indexOf('background')).toBeGreaterThanOrEqual(3);
    expect(order.indexOf('background')).toBeLessThan(200);
  });

  it('rejects tasks above the owner’s limit, and accepts those of others', async () => {
    open({ size: 1 });
    const one = pool.runnerFor({ owner: 'a', urgent: true, maxWaiting: 2 });
    const taken = [one.run('slow', 50), one.run('double', 1), one.run('double', 2)];
    await expect(one.run('double', 3)).rejects.toMatchObject({ reason: 'too-many' });
    const other = pool.runnerFor({ owner: 'b', urgent: true, maxWaiting: 2 });
    expect(await other.run('double', 4)).toBe(8);
    await Promise.all(taken);
    expect(await one.run('double', 3)).toBe(6);
  });

  it('does not count idle time of a task, up to a limit', async () => {
    open({ size: 1, timeout_ms: 500 });
    await pool.run('double', 1);
    const waiting = pool.run('slow', 900);
    await (process.platform === 'linux' ? expect(waiting).resolves.toBe('slept') : expect(waiting).rejects.toThrow());
    await expect(pool.run('slow', 60_000)).rejects.toMatchObject({ reason: 'timeout' });
  });

  it('applies the time limit of the owner', async () => {
    open({ size: 1, timeout_ms: 10_000 });
    const hasty = pool.runnerFor({ owner: 'a', timeout_ms: 200 });
    await expect(hasty.run('hang')).rejects.toMatchObject({ message: 'task hang took longer than 200 ms' });
  });

  it('closes after the running task, rejecting waiting and later ones', async () => {
    open({ size: 1 });
    const running = pool.run('slow', 150);
    const waiting = pool.run('double', 1);
    const refused = expect(waiting).rejects.toMatchObject({ reason: 'closed' });
    const closed = pool.close();
    expect(await running).toBe('slept');
    await refused;
    await closed;
    await expect(pool.run('double', 1)).rejects.toMatchObject({ reason: 'closed' });
  });

  it('rejects when the module cannot be loaded', async () => {
    open({ module: pathToFileURL(join(folder, 'absent.mjs')) });
    await expect(pool.run('double', 1)).rejects.toMatchObject({ reason: 'crashed' });
  });

  it('explains what to do when a TypeScript module has not been compiled', async () => {
    open({ module: new URL('./never-compiled.ts', import.meta.url) });
    await expect(pool.run('double', 1)).rejects.toThrow('build first');
  });
});
