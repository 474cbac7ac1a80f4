import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Transferable, Worker } from 'node:worker_threads';
import { readThreadTime } from './thread-time.ts';
import { FairQueue } from './turns.ts';
import type { TaskMessage, ThreadError, ThreadMessage } from './worker-thread.ts';

/** Why a task has no result. An error thrown by the task itself is passed on as that error. */
type WorkerFailureReason = 'timeout' | 'memory' | 'crashed' | 'closed' | 'too-many';

export class WorkerFailure extends Error {
  override readonly name = 'WorkerFailure';
  readonly reason: WorkerFailureReason;

  constructor(reason: WorkerFailureReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

export interface WorkerPoolOptions {
  /**
   * The module whose exported functions are the tasks, as a URL relative to the caller: `new URL('./x.ts',
   * import.meta.url)`.
   */
  module: URL;
  /**
   * Maximum threads; they start on demand. Default: all cores but one, at least one. One more starts for urgent tasks
   * that would otherwise wait for background ones.
   */
  size?: number;
  /**
   * Time limit of a task. Where the CPU time of a thread is available, time spent waiting for a core does not count, up
   * to three times the limit: threads yield to the rest of the process, and a busy machine does not mean a bad file.
   */
  timeout_ms?: number;
  /**
   * JavaScript heap limit of one thread. Buffers and WebAssembly memory are not included: a task that uses them on
   * untrusted input must limit them itself.
   */
  memory_mb?: number;
}

type AnyTasks = Record<string, unknown>;
type Arguments<F> = F extends (...args: infer A) => unknown ? A : never;
type Result<F> = F extends (...args: never[]) => infer R ? Awaited<R> : never;

/** Scheduling options of an owner's tasks. */
export interface Share {
  /** Owners take turns. */
  owner: string;
  /** A client waits for the result: runs before tasks that are not urgent. */
  urgent?: boolean;
  /** Maximum waiting tasks of this owner; further ones are rejected with the reason `too-many`. */
  maxWaiting?: number;
  /** Overrides the pool's time limit. */
  timeout_ms?: number;
}

export interface TaskRunner<Tasks> {
  run<Name extends string & keyof Tasks>(name: Name, ...args: Arguments<Tasks[Name]>): Promise<Result<Tasks[Name]>>;
}

export interface TransferringRunner<Tasks> extends TaskRunner<Tasks> {
  /** Moves parts of the arguments (buffers, message ports) to the thread instead of copying them. */
  runWith<Name extends string & keyof Tasks>(
    transferred: readonly Transferable[],
    name: Name,
    ...args: Arguments<Tasks[Name]>
  ): Promise<Result<Tasks[Name]>>;
}

/** Tasks run through the pool itself have no owner and are not urgent. */
export type WorkerPool<Tasks> = TransferringRunner<Tasks> & {
  runnerFor(share: Share): TransferringRunner<Tasks>;
  /** Maximum threads, not counting the extra one. */
  readonly size: number;
  /** Tasks waiting for a thread. */
  readonly waiting: number;
  /** Finishes running tasks, rejects waiting ones and ends the threads. */
  close(): Promise<void>;
};

interface Call {
  message: TaskMessage;
  transferred: readonly Transferable[];
  urgent: boolean;
  timeout_ms: number;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}
interface Thread {
  worker: Worker;
  ready: boolean;
  /** File with its CPU time. */
  times: string | undefined;
  call: Call | undefined;
  timer: NodeJS.Timeout | undefined;
}

const threadStart_ms = 60_000;
/** Maximum wall time of a task, as a multiple of its time limit. */
const maxWaitFactor = 3;
/** After this many urgent tasks in a row a background task runs, so that those are never starved. */
const maxUrgentInARow = 4;

/**
 * Runs the functions of one module in worker threads. A task that hangs, exhausts memory or kills its thread rejects
 * with a WorkerFailure and costs one thread, which is replaced when the next task needs it; other tasks are not
 * affected. Not piscina (the usual choice): it counts a task's abort signal from when it is queued, so a busy pool
 * would time out tasks that never ran.
 */
export function createWorkerPool<Tasks extends object = AnyTasks>(options: WorkerPoolOptions): WorkerPool<Tasks> {
  const size = Math.max(1, options.size ?? availableParallelism() - 1);
  const timeout_ms = options.timeout_ms ?? 30_000;
  const memory_mb = options.memory_mb ?? 512;
  const threads = new Set<Thread>();
  const ending = new Set<Promise<unknown>>();
  const urgent = new FairQueue<Call>();
  const background = new FairQueue<Call>();
  let urgentInARow = 0;
  let closing: Promise<void> | undefined;
  let drained: (() => void) | undefined;

  function startThread(): Thread {
    const worker = new Worker(compiled(new URL('./worker-thread.ts', import.meta.url)), {
      workerData: { module: compiled(options.module).href },
      resourceLimits: { maxOldGenerationSizeMb: memory_mb },
      // The parent's flags (a test runner's loader, an inspector) must not apply to these threads.
      execArgv: ['--enable-source-maps'],
    });
    const thread: Thread = { worker, ready: false, times: undefined, call: undefined, timer: undefined };
    threads.add(thread);
    worker.on('message', (message: ThreadMessage) => {
      if (message.kind === 'ready') {
        thread.ready = true;
        thread.times = message.times;
        if (thread.call) watch(thread, thread.call.timeout_ms);
      } else {
        const call = release(thread);
        if (message.kind === 'done') call?.resolve(message.value);
        else call?.reject(errorOf(message.error));
        assign();
      }
    });
    worker.on('error', (error) => lose(thread, failureOf(error, memory_mb)));
    worker.on('messageerror', (error) => lose(thread, new WorkerFailure('crashed', `unreadable response: ${error}`)));
    worker.on('exit', (code) =>
      lose(thread, new WorkerFailure('crashed', `the worker thread ended with code ${code}`)),
    );
    return thread;
  }

  function watch(thread: Thread, limit_ms: number): void {
    clearTimeout(thread.timer);
    const task = thread.call?.message.task;
    const what = thread.ready ? `task ${task} took longer than ${limit_ms} ms` : `a worker thread did not start`;
    const began_ms = performance.now();
    const worked_ms = readThreadTime(thread.times);
    const check = () => {
      const worked = readThreadTime(thread.times);
      const left_ms = worked === undefined || worked_ms === undefined ? 0 : limit_ms - (worked - worked_ms);
      if (left_ms <= 0 || performance.now() - began_ms >= limit_ms * maxWaitFactor) {
        return lose(thread, new WorkerFailure('timeout', what));
      }
      thread.timer = setTimeout(check, Math.max(left_ms, 50));
    };
    thread.timer = setTimeout(check, limit_ms);
  }

  function release(thread: Thread): Call | undefined {
    clearTimeout(thread.timer);
    const { call } = thread;
    thread.call = undefined;
    // An idle thread must not keep the process alive.
    thread.worker.unref();
    return call;
  }

  function lose(thread: Thread, failure: WorkerFailure): void {
    if (!threads.delete(thread)) return;
    const call = release(thread);
    const end = thread.worker.terminate().finally(() => ending.delete(end));
    ending.add(end);
    call?.reject(failure);
    assign();
  }

  /** The next task that may start now. */
  function takeCall(): Call | undefined {
    const running = [...threads].flatMap(({ call }) => call ?? []);
    const hasRoom = running.length < size;
    const isBackgroundDue = hasRoom && background.length > 0 && urgentInARow >= maxUrgentInARow;
    const hasSpare = running.length === size && running.some((call) => !call.urgent);
    if (urgent.length > 0 && !isBackgroundDue && (hasRoom || hasSpare)) {
      urgentInARow += 1;
      return urgent.take();
    }
    if (!hasRoom || background.length === 0) return undefined;
    urgentInARow = 0;
    return background.take();
  }

  function assign(): void {
    for (let call = takeCall(); call; call = takeCall()) {
      const idle = [...threads].find((candidate) => !candidate.call);
      let thread: Thread;
      try {
        thread = idle ?? startThread();
      } catch (error) {
        call.reject(error);
        continue;
      }
      thread.call = call;
      thread.worker.ref();
      watch(thread, thread.ready ? call.timeout_ms : threadStart_ms);
      try {
        thread.worker.postMessage(call.message, call.transferred);
      } catch (error) {
        release(thread)?.reject(error);
      }
    }
    if (![...threads].some((thread) => thread.call)) drained?.();
  }

  async function shutDown(): Promise<void> {
    for (const call of [...urgent.clear(), ...background.clear()]) {
      call.reject(new WorkerFailure('closed', 'the worker pool is closing'));
    }
    if ([...threads].some((thread) => thread.call)) {
      await new Promise<void>((resolve) => {
        drained = resolve;
      });
    }
    await Promise.all([...[...threads].map((thread) => thread.worker.terminate()), ...ending]);
  }

  function runnerFor(share: Share): TransferringRunner<Tasks> {
    const queue = share.urgent ? urgent : background;
    const runWith: TransferringRunner<Tasks>['runWith'] = (transferred, name, ...args) =>
      new Promise((resolve, reject) => {
        if (closing) return reject(new WorkerFailure('closed', 'the worker pool is closed'));
        if (queue.lengthOf(share.owner) >= (share.maxWaiting ?? Number.POSITIVE_INFINITY)) {
          return reject(new WorkerFailure('too-many', `${share.maxWaiting} tasks of this owner are waiting`));
        }
        queue.add(share.owner, {
          message: { task: name, args },
          transferred,
          urgent: share.urgent ?? false,
          timeout_ms: share.timeout_ms ?? timeout_ms,
          resolve: resolve as Call['resolve'],
          reject,
        });
        assign();
      });
    return { runWith, run: (name, ...args) => runWith([], name, ...args) };
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
 * Node 20 cannot run TypeScript in a thread, so code that runs from `src/` (tests) uses its compiled version in
 * `dist/`. In `dist/` the compiler has rewritten imports but not this URL, so the extension is corrected here.
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
