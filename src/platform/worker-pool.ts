import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { TaskMessage, ThreadError, ThreadMessage } from './worker-thread.ts';

/** Why a task has no result. An error thrown by the task itself arrives as that error instead. */
type WorkerFailureReason = 'timeout' | 'memory' | 'crashed' | 'closed';

export class WorkerFailure extends Error {
  override readonly name = 'WorkerFailure';
  readonly reason: WorkerFailureReason;

  constructor(reason: WorkerFailureReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

export type WorkerPoolOptions = {
  /** The module whose exported functions are the tasks, as a URL beside the caller: `new URL('./x.ts', import.meta.url)`. */
  module: URL;
  /** Threads at most; they start when there is work. Default: all cores but one, at least one. */
  size?: number;
  /** From the moment a ready thread begins the task. */
  timeout_ms?: number;
  /**
   * The limit of one thread's JavaScript heap. Buffers and WebAssembly memory lie outside of it: a task that uses them
   * on input from strangers must bound them itself.
   */
  memory_mb?: number;
};

type AnyTasks = Record<string, unknown>;
type Arguments<F> = F extends (...args: infer A) => unknown ? A : never;
type Result<F> = F extends (...args: never[]) => infer R ? Awaited<R> : never;

export type WorkerPool<Tasks> = {
  run<Name extends string & keyof Tasks>(name: Name, ...args: Arguments<Tasks[Name]>): Promise<Result<Tasks[Name]>>;
  /** Threads at most. */
  readonly size: number;
  /** Tasks that wait for a thread. */
  readonly waiting: number;
  /** Finishes what runs, refuses what waits, ends the threads. */
  close(): Promise<void>;
};

type Job = { message: TaskMessage; resolve: (value: unknown) => void; reject: (error: unknown) => void };
type Thread = { worker: Worker; ready: boolean; job: Job | undefined; timer: NodeJS.Timeout | undefined };

const threadStart_ms = 60_000;

/**
 * Runs the functions of one module in worker threads. A task that hangs, eats memory or kills its thread rejects with a
 * WorkerFailure and costs one thread, which is replaced when the next task needs it; other tasks do not notice.
 *
 * Own code because piscina (the usual choice) counts a task's abort signal from the moment it is queued, so a busy pool
 * would time out tasks that never ran.
 */
export function createWorkerPool<Tasks extends object = AnyTasks>(options: WorkerPoolOptions): WorkerPool<Tasks> {
  const size = Math.max(1, options.size ?? availableParallelism() - 1);
  const timeout_ms = options.timeout_ms ?? 30_000;
  const memory_mb = options.memory_mb ?? 512;
  const threads = new Set<Thread>();
  const ending = new Set<Promise<unknown>>();
  const queue: Job[] = [];
  let closing: Promise<void> | undefined;
  let drained: (() => void) | undefined;

  function startThread(): Thread {
    const worker = new Worker(compiled(new URL('./worker-thread.ts', import.meta.url)), {
      workerData: { module: compiled(options.module).href },
      resourceLimits: { maxOldGenerationSizeMb: memory_mb },
      // The flags of the parent (a test runner's loader, an inspector) are not meant for these threads.
      execArgv: ['--enable-source-maps'],
    });
    const thread: Thread = { worker, ready: false, job: undefined, timer: undefined };
    threads.add(thread);
    worker.on('message', (message: ThreadMessage) => {
      if (message.kind === 'ready') {
        thread.ready = true;
        if (thread.job) watch(thread, timeout_ms);
      } else {
        const job = release(thread);
        if (message.kind === 'done') job?.resolve(message.value);
        else job?.reject(errorOf(message.error));
        assign();
      }
    });
    worker.on('error', (error) => lose(thread, failureOf(error, memory_mb)));
    worker.on('messageerror', (error) => lose(thread, new WorkerFailure('crashed', `unreadable answer: ${error}`)));
    worker.on('exit', (code) =>
      lose(thread, new WorkerFailure('crashed', `the worker thread ended with code ${code}`)),
    );
    return thread;
  }

  function watch(thread: Thread, limit_ms: number): void {
    clearTimeout(thread.timer);
    const task = thread.job?.message.task;
    const what = thread.ready ? `task ${task} took longer than ${limit_ms} ms` : `a worker thread did not start`;
    thread.timer = setTimeout(() => lose(thread, new WorkerFailure('timeout', what)), limit_ms);
  }

  function release(thread: Thread): Job | undefined {
    clearTimeout(thread.timer);
    const { job } = thread;
    thread.job = undefined;
    // An idle thread must not keep a process alive whose other work is done.
    thread.worker.unref();
    return job;
  }

  function lose(thread: Thread, failure: WorkerFailure): void {
    if (!threads.delete(thread)) return;
    const job = release(thread);
    const end = thread.worker.terminate().finally(() => ending.delete(end));
    ending.add(end);
    job?.reject(failure);
    assign();
  }

  function assign(): void {
    while (queue.length > 0) {
      const idle = [...threads].find((candidate) => !candidate.job);
      if (!idle && threads.size >= size) return;
      const job = queue.shift();
      if (!job) return;
      let thread: Thread;
      try {
        thread = idle ?? startThread();
      } catch (error) {
        job.reject(error);
        continue;
      }
      thread.job = job;
      thread.worker.ref();
      watch(thread, thread.ready ? timeout_ms : threadStart_ms);
      try {
        thread.worker.postMessage(job.message);
      } catch (error) {
        release(thread)?.reject(error);
      }
    }
    if (![...threads].some((thread) => thread.job)) drained?.();
  }

  async function shutDown(): Promise<void> {
    for (const job of queue.splice(0)) job.reject(new WorkerFailure('closed', 'the worker pool is closing'));
    if ([...threads].some((thread) => thread.job)) {
      await new Promise<void>((resolve) => {
        drained = resolve;
      });
    }
    await Promise.all([...[...threads].map((thread) => thread.worker.terminate()), ...ending]);
  }

  return {
    run(name, ...args) {
      return new Promise((resolve, reject) => {
        if (closing) return reject(new WorkerFailure('closed', 'the worker pool is closed'));
        queue.push({ message: { task: name, args }, resolve: resolve as Job['resolve'], reject });
        assign();
      });
    },
    size,
    get waiting() {
      return queue.length;
    },
    close() {
      closing ??= shutDown();
      return closing;
    },
  };
}

function errorOf({ name, message, stack, fields }: ThreadError): Error {
  return Object.assign(new Error(message), fields, { name, stack });
}

function failureOf(error: unknown, memory_mb: number): WorkerFailure {
  if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return new WorkerFailure('memory', `the task needed more than ${memory_mb} MB`, { cause: error });
  }
  return new WorkerFailure('crashed', `the worker thread crashed: ${error}`, { cause: error });
}

/**
 * Node 20 cannot run TypeScript in a thread, so code that runs from `src/` (tests) uses its compiled twin in `dist/`.
 * In `dist/` itself the compiler has rewritten imports but not this URL, so the ending is put right here.
 */
function compiled(module: URL): URL {
  const path = fileURLToPath(module);
  if (!path.endsWith('.ts')) return module;
  const beside = path.replace(/\.ts$/, '.js');
  if (existsSync(beside)) return pathToFileURL(beside);
  const source = beside.lastIndexOf('/src/');
  const twin = `${beside.slice(0, source)}/dist/${beside.slice(source + '/src/'.length)}`;
  if (source < 0 || !existsSync(twin)) throw new Error(`no compiled form of ${path}: build first (npm run build)`);
  return pathToFileURL(twin);
}
