import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { FairQueue } from './fair-queue.ts';
import { readThreadTime } from './thread-time.ts';
import type { TaskMessage, ThreadError, ThreadMessage } from './worker-thread.ts';

/** Why a task has no result. An error thrown by the task itself arrives as that error instead. */
type WorkerFailureReason = 'timeout' | 'memory' | 'crashed' | 'closed' | 'too-many';

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
  /**
   * Threads at most; they start when there is work. Default: all cores but one, at least one. One more starts for urgent
   * tasks that would wait for background ones.
   */
  size?: number;
  /**
   * How long a task may work. Where the system tells how long a thread has had a core, the time it waits for one does not
   * count, up to three times the limit: threads yield to the rest of the process, and a busy machine is not a bad file.
   */
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

/** Whose tasks they are, and how they are treated. */
export type Share = {
  /** Owners take turns. */
  owner: string;
  /** A client waits for the result: goes before what is not urgent. */
  urgent?: boolean;
  /** Tasks of this owner that may wait; one more is refused with the reason `too-many`. */
  maxWaiting?: number;
  /** Instead of the pool's. */
  timeout_ms?: number;
};

export type TaskRunner<Tasks> = {
  run<Name extends string & keyof Tasks>(name: Name, ...args: Arguments<Tasks[Name]>): Promise<Result<Tasks[Name]>>;
};

/** Run by the pool itself, a task has no owner and is not urgent. */
export type WorkerPool<Tasks> = TaskRunner<Tasks> & {
  runnerFor(share: Share): TaskRunner<Tasks>;
  /** Threads at most, but for the one more. */
  readonly size: number;
  /** Tasks that wait for a thread. */
  readonly waiting: number;
  /** Finishes what runs, refuses what waits, ends the threads. */
  close(): Promise<void>;
};

type Job = {
  message: TaskMessage;
  urgent: boolean;
  timeout_ms: number;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
};
type Thread = {
  worker: Worker;
  ready: boolean;
  /** Where its working time is read. */
  times: string | undefined;
  job: Job | undefined;
  timer: NodeJS.Timeout | undefined;
};

const threadStart_ms = 60_000;
/** Of its time limit, that a task may take with the time it waits for a core. */
const longestWait = 3;
/** After so many urgent tasks in a row one waits for a background task, so that those are never put off for ever. */
const mostUrgentInARow = 4;

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
  const urgent = new FairQueue<Job>();
  const background = new FairQueue<Job>();
  let urgentInARow = 0;
  let closing: Promise<void> | undefined;
  let drained: (() => void) | undefined;

  function startThread(): Thread {
    const worker = new Worker(compiled(new URL('./worker-thread.ts', import.meta.url)), {
      workerData: { module: compiled(options.module).href },
      resourceLimits: { maxOldGenerationSizeMb: memory_mb },
      // The flags of the parent (a test runner's loader, an inspector) are not meant for these threads.
      execArgv: ['--enable-source-maps'],
    });
    const thread: Thread = { worker, ready: false, times: undefined, job: undefined, timer: undefined };
    threads.add(thread);
    worker.on('message', (message: ThreadMessage) => {
      if (message.kind === 'ready') {
        thread.ready = true;
        thread.times = message.times;
        if (thread.job) watch(thread, thread.job.timeout_ms);
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
    const began_ms = performance.now();
    const worked_ms = readThreadTime(thread.times);
    const check = () => {
      const worked = readThreadTime(thread.times);
      const left_ms = worked === undefined || worked_ms === undefined ? 0 : limit_ms - (worked - worked_ms);
      if (left_ms <= 0 || performance.now() - began_ms >= limit_ms * longestWait) {
        return lose(thread, new WorkerFailure('timeout', what));
      }
      thread.timer = setTimeout(check, Math.max(left_ms, 50));
    };
    thread.timer = setTimeout(check, limit_ms);
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

  /** The next task that may begin now. */
  function takeJob(): Job | undefined {
    const running = [...threads].flatMap(({ job }) => job ?? []);
    const hasRoom = running.length < size;
    const isBackgroundDue = hasRoom && background.length > 0 && urgentInARow >= mostUrgentInARow;
    const hasSpare = running.length === size && running.some((job) => !job.urgent);
    if (urgent.length > 0 && !isBackgroundDue && (hasRoom || hasSpare)) {
      urgentInARow += 1;
      return urgent.take();
    }
    if (!hasRoom || background.length === 0) return undefined;
    urgentInARow = 0;
    return background.take();
  }

  function assign(): void {
    for (let job = takeJob(); job; job = takeJob()) {
      const idle = [...threads].find((candidate) => !candidate.job);
      let thread: Thread;
      try {
        thread = idle ?? startThread();
      } catch (error) {
        job.reject(error);
        continue;
      }
      thread.job = job;
      thread.worker.ref();
      watch(thread, thread.ready ? job.timeout_ms : threadStart_ms);
      try {
        thread.worker.postMessage(job.message);
      } catch (error) {
        release(thread)?.reject(error);
      }
    }
    if (![...threads].some((thread) => thread.job)) drained?.();
  }

  async function shutDown(): Promise<void> {
    for (const job of [...urgent.clear(), ...background.clear()]) {
      job.reject(new WorkerFailure('closed', 'the worker pool is closing'));
    }
    if ([...threads].some((thread) => thread.job)) {
      await new Promise<void>((resolve) => {
        drained = resolve;
      });
    }
    await Promise.all([...[...threads].map((thread) => thread.worker.terminate()), ...ending]);
  }

  function runnerFor(share: Share): TaskRunner<Tasks> {
    const queue = share.urgent ? urgent : background;
    return {
      run: (name, ...args) =>
        new Promise((resolve, reject) => {
          if (closing) return reject(new WorkerFailure('closed', 'the worker pool is closed'));
          if (queue.lengthOf(share.owner) >= (share.maxWaiting ?? Number.POSITIVE_INFINITY)) {
            return reject(new WorkerFailure('too-many', `${share.maxWaiting} tasks of this owner are waiting`));
          }
          queue.add(share.owner, {
            message: { task: name, args },
            urgent: share.urgent ?? false,
            timeout_ms: share.timeout_ms ?? timeout_ms,
            resolve: resolve as Job['resolve'],
            reject,
          });
          assign();
        }),
    };
  }

  return {
    ...runnerFor({ owner: '' }),
    runnerFor,
    size,
    get waiting() {
      return urgent.length + background.length;
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
