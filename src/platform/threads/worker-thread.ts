import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { findThreadTimes } from './thread-time.ts';

/** What the pool sends to a thread, and what the thread answers. One task at a time, so no ids are needed. */
export type TaskMessage = { task: string; args: unknown[] };
export type ThreadMessage =
  | { kind: 'ready'; times: string | undefined }
  | { kind: 'done'; value: unknown }
  | { kind: 'failed'; error: ThreadError };

/** Copying an error between threads keeps neither its name nor its own fields, by which callers tell errors apart. */
export type ThreadError = { name: string; message: string; stack: string | undefined; fields: Record<string, unknown> };

type TaskFunction = (...args: unknown[]) => unknown;

const port = parentPort;
if (!port) throw new Error('worker-thread is the inside of a worker pool and cannot be started by itself');

// What is done in threads can wait; whoever answers requests in the same process goes first. Only Linux gives threads
// priorities of their own: elsewhere this would slow the whole process.
if (process.platform === 'linux') setPriority(19);

const tasks: Record<string, TaskFunction | undefined> = await import(workerData.module);

port.on('message', async ({ task, args }: TaskMessage) => {
  let answer: ThreadMessage;
  try {
    const run = tasks[task];
    if (typeof run !== 'function') throw new Error(`${workerData.module} exports no task named ${task}`);
    answer = { kind: 'done', value: await run(...args) };
  } catch (error) {
    answer = { kind: 'failed', error: describeError(error) };
  }
  try {
    port.postMessage(answer);
  } catch (error) {
    // A value that cannot be copied to the other thread would otherwise leave the caller waiting for its timeout.
    const refusal = new Error(`the answer of ${task} cannot be passed on: ${error}`);
    port.postMessage({ kind: 'failed', error: describeError(refusal) } satisfies ThreadMessage);
  }
});

port.postMessage({ kind: 'ready', times: findThreadTimes() } satisfies ThreadMessage);

function describeError(thrown: unknown): ThreadError {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  return { name: error.name, message: error.message, stack: error.stack, fields: { ...error } };
}
