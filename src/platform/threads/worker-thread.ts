import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { findThreadTimes } from './thread-time.ts';

/** Messages between the pool and a thread. One task at a time, so no ids are needed. */
export interface TaskMessage {
  task: string;
  args: unknown[];
}
export type ThreadMessage =
  | { kind: 'ready'; times: string | undefined }
  | { kind: 'done'; value: unknown }
  | { kind: 'failed'; error: ThreadError };

/** Structured cloning of an error keeps neither its name nor its own fields, by which callers distinguish errors. */
export interface ThreadError {
  name: string;
  message: string;
  stack: string | undefined;
  fields: Record<string, unknown>;
}

type TaskFunction = (...args: unknown[]) => unknown;

const port = parentPort;
if (!port) throw new Error('worker-thread is part of a worker pool and cannot be started directly');

// The thread that serves requests has priority. On a busy machine, these threads get a tenth of a core. With the lowest priority it would
// be a hundredth, and a client would wait for minutes. Only Linux has per-thread priorities: elsewhere this would slow the whole process.
if (process.platform === 'linux') setPriority(10);

const tasks: Record<string, TaskFunction | undefined> = await import(workerData.module);

port.on('message', async ({ task, args }: TaskMessage) => {
  let response: ThreadMessage;
  try {
    const run = tasks[task];
    if (typeof run !== 'function') throw new Error(`${workerData.module} exports no task named ${task}`);
    response = { kind: 'done', value: await run(...args) };
  } catch (error) {
    response = { kind: 'failed', error: describeError(error) };
  }
  try {
    port.postMessage(response);
  } catch (error) {
    // A value that cannot be cloned would otherwise leave the caller waiting for its timeout.
    const refusal = new Error(`the result of ${task} cannot be cloned: ${error}`);
    port.postMessage({ kind: 'failed', error: describeError(refusal) } satisfies ThreadMessage);
  }
});

port.postMessage({ kind: 'ready', times: findThreadTimes() } satisfies ThreadMessage);

function describeError(thrown: unknown): ThreadError {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  return { name: error.name, message: error.message, stack: error.stack, fields: { ...error } };
}
