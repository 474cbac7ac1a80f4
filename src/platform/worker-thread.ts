import { parentPort, workerData } from 'node:worker_threads';

/** What the pool sends to a thread, and what the thread answers. One task at a time, so no ids are needed. */
export type TaskMessage = { task: string; args: unknown[] };
export type ThreadMessage = { kind: 'ready' } | { kind: 'done'; value: unknown } | { kind: 'failed'; error: unknown };

type TaskFunction = (...args: unknown[]) => unknown;

const port = parentPort;
if (!port) throw new Error('worker-thread is the inside of a worker pool and cannot be started by itself');

const tasks: Record<string, TaskFunction | undefined> = await import(workerData.module);

port.on('message', async ({ task, args }: TaskMessage) => {
  let answer: ThreadMessage;
  try {
    const run = tasks[task];
    if (typeof run !== 'function') throw new Error(`${workerData.module} exports no task named ${task}`);
    answer = { kind: 'done', value: await run(...args) };
  } catch (error) {
    answer = { kind: 'failed', error };
  }
  try {
    port.postMessage(answer);
  } catch (error) {
    // A value that cannot be copied to the other thread would otherwise leave the caller waiting for its timeout.
    port.postMessage({ kind: 'failed', error: new Error(`the answer of ${task} cannot be passed on: ${error}`) });
  }
});

port.postMessage({ kind: 'ready' } satisfies ThreadMessage);
