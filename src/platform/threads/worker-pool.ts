import { availableParallelism } from 'node:os';
import type { Transferable } from 'node:worker_threads';
import { FairQueue } from './limiter.ts';
import { type Call, Thread, WorkerFailure } from './thread.ts';

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

type Arguments<F> = F extends (...args: infer A) => unknown ? A : never;
type Result<F> = F extends (...args: never[]) => infer R ? Awaited<R> : never;

/** Scheduling options of an owner's tasks. */
export interface Share {
  /** Owners take turns. */
  owner: string;
  /** For tasks that a client waits for: they run before other tasks. */
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

/** After this many urgent tasks in a row, a background task runs, so that background tasks are not starved. */
const maxUrgentInARow = 4;

/**
 * Runs the functions of one module in worker threads. A task that hangs, exhausts memory or kills its thread rejects
 * with a WorkerFailure and costs one thread, which is replaced when the next task needs it; other tasks are not
 * affected. Not piscina (the usual choice): it counts a task's abort signal from when it is queued, so a busy pool
 * would time out tasks that never ran.
 */
export class WorkerPool<Tasks extends object> {
  /** Maximum threads, not counting the extra one. */
  readonly size: number;
  private readonly options: WorkerPoolOptions;
  private readonly threads = new Set<Thread>();
  /** Lost threads that have not ended yet. */
  private readonly ending = new Set<Promise<unknown>>();
  private readonly urgent = new FairQueue<Call>();
  private readonly background = new FairQueue<Call>();
  private urgentInARow = 0;
  private closing: Promise<void> | undefined;
  private onDrained: (() => void) | undefined;

  constructor(options: WorkerPoolOptions) {
    this.options = options;
    this.size = Math.max(1, options.size ?? availableParallelism() - 1);
  }

  /** Tasks waiting for a thread. */
  get waiting(): number {
    return this.urgent.length + this.background.length;
  }

  /** Runs a task that has no owner and is not urgent. */
  readonly run: TaskRunner<Tasks>['run'] = (name, ...args) => this.runnerFor({ owner: '' }).run(name, ...args);

  runnerFor(share: Share): TransferringRunner<Tasks> {
    const runWith: TransferringRunner<Tasks>['runWith'] = (transferred, name, ...args) =>
      new Promise((resolve, reject) => {
        const { urgent = false, timeout_ms = this.options.timeout_ms ?? 30_000 } = share;
        this.add(share, {
          message: { task: name, args },
          transferred,
          urgent,
          timeout_ms,
          resolve: resolve as Call['resolve'],
          reject,
        });
      });
    return { runWith, run: (name, ...args) => runWith([], name, ...args) };
  }

  /** Finishes running tasks, rejects waiting ones and ends the threads. */
  close(): Promise<void> {
    this.closing ??= this.shutDown();
    return this.closing;
  }

  private add({ owner, maxWaiting = Number.POSITIVE_INFINITY }: Share, call: Call): void {
    const queue = call.urgent ? this.urgent : this.background;
    if (this.closing) call.reject(new WorkerFailure('closed', 'the worker pool is closed'));
    else if (queue.lengthOf(owner) >= maxWaiting) {
      call.reject(new WorkerFailure('too-many', `${maxWaiting} tasks of this owner are waiting`));
    } else {
      queue.add(owner, call);
      this.assign();
    }
  }

  private assign(): void {
    for (let call = this.takeCall(); call; call = this.takeCall()) {
      const idle = [...this.threads].find((thread) => !thread.call);
      let thread: Thread;
      try {
        thread = idle ?? this.startThread();
      } catch (error) {
        call.reject(error);
        continue;
      }
      thread.run(call);
    }
    if (!this.isBusy()) this.onDrained?.();
  }

  /** The next task that may start now. */
  private takeCall(): Call | undefined {
    const { urgent, background } = this;
    const running = [...this.threads].flatMap(({ call }) => call ?? []);
    const hasRoom = running.length < this.size;
    const isBackgroundDue = hasRoom && background.length > 0 && this.urgentInARow >= maxUrgentInARow;
    const hasSpare = running.length === this.size && running.some((call) => !call.urgent);
    if (urgent.length > 0 && !isBackgroundDue && (hasRoom || hasSpare)) {
      this.urgentInARow += 1;
      return urgent.take();
    }
    if (!hasRoom || background.length === 0) return undefined;
    this.urgentInARow = 0;
    return background.take();
  }

  private startThread(): Thread {
    const thread = new Thread({
      module: this.options.module,
      memory_mb: this.options.memory_mb ?? 512,
      onFree: () => this.assign(),
      onFailure: (lost, ended) => {
        this.threads.delete(lost);
        const end = ended.finally(() => this.ending.delete(end));
        this.ending.add(end);
      },
    });
    this.threads.add(thread);
    return thread;
  }

  private isBusy(): boolean {
    return [...this.threads].some((thread) => thread.call);
  }

  private async shutDown(): Promise<void> {
    for (const call of [...this.urgent.clear(), ...this.background.clear()]) {
      call.reject(new WorkerFailure('closed', 'the worker pool is closing'));
    }
    if (this.isBusy()) {
      await new Promise<void>((resolve) => {
        this.onDrained = resolve;
      });
    }
    await Promise.all([...[...this.threads].map((thread) => thread.terminate()), ...this.ending]);
  }
}
