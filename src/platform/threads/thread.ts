import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Transferable, Worker } from 'node:worker_threads';
import { readThreadTime } from './thread-time.ts';
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

/** A task and its caller. */
export interface Call {
  message: TaskMessage;
  transferred: readonly Transferable[];
  urgent: boolean;
  timeout_ms: number;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

interface ThreadOptions {
  module: URL;
  memory_mb: number;
  /** Called when the thread can run another task. */
  onFree(): void;
  /** Called when the thread is lost; `ended` resolves when it has ended. Its call is rejected next. */
  onFailure(thread: Thread, ended: Promise<unknown>): void;
}

const threadStart_ms = 60_000;
/** Maximum wall time of a task, as a multiple of its time limit. */
const maxWaitFactor = 3;

/** A worker thread that runs one call at a time. */
export class Thread {
  private readonly options: ThreadOptions;
  private readonly worker: Worker;
  private isReady = false;
  private hasFailed = false;
  /** The file with its CPU time. */
  private times: string | undefined;
  private timer: NodeJS.Timeout | undefined;
  private current: Call | undefined;

  constructor(options: ThreadOptions) {
    this.options = options;
    this.worker = new Worker(compiled(new URL('./worker-thread.ts', import.meta.url)), {
      workerData: { module: compiled(options.module).href },
      resourceLimits: { maxOldGenerationSizeMb: options.memory_mb },
      // The parent's flags (a test runner's loader, an inspector) must not apply to these threads.
      execArgv: ['--enable-source-maps'],
    });
    this.worker
      .on('message', (message: ThreadMessage) => this.receive(message))
      .on('error', (error) => this.fail(failureOf(error, options.memory_mb)))
      .on('messageerror', (error) => this.fail(new WorkerFailure('crashed', `unreadable response: ${error}`)))
      .on('exit', (code) => this.fail(new WorkerFailure('crashed', `the worker thread ended with code ${code}`)));
  }

  get call(): Call | undefined {
    return this.current;
  }

  /** A call that cannot be sent to the thread is rejected, and leaves the thread free. */
  run(call: Call): void {
    this.current = call;
    this.worker.ref();
    this.watch(this.isReady ? call.timeout_ms : threadStart_ms);
    try {
      this.worker.postMessage(call.message, call.transferred);
    } catch (error) {
      this.release()?.reject(error);
    }
  }

  terminate(): Promise<unknown> {
    return this.worker.terminate();
  }

  private receive(message: ThreadMessage): void {
    if (message.kind === 'ready') {
      this.isReady = true;
      this.times = message.times;
      if (this.current) this.watch(this.current.timeout_ms);
      return;
    }
    const call = this.release();
    if (message.kind === 'done') call?.resolve(message.value);
    else call?.reject(errorOf(message.error));
    this.options.onFree();
  }

  private watch(limit_ms: number): void {
    clearTimeout(this.timer);
    const task = this.current?.message.task;
    const what = this.isReady ? `task ${task} took longer than ${limit_ms} ms` : `a worker thread did not start`;
    const began_ms = performance.now();
    const worked_ms = readThreadTime(this.times);
    const check = () => {
      const worked = readThreadTime(this.times);
      const left_ms = worked === undefined || worked_ms === undefined ? 0 : limit_ms - (worked - worked_ms);
      if (left_ms <= 0 || performance.now() - began_ms >= limit_ms * maxWaitFactor) {
        return this.fail(new WorkerFailure('timeout', what));
      }
      this.timer = setTimeout(check, Math.max(left_ms, 50));
    };
    this.timer = setTimeout(check, limit_ms);
  }

  private release(): Call | undefined {
    clearTimeout(this.timer);
    const call = this.current;
    this.current = undefined;
    // An idle thread must not keep the process alive.
    this.worker.unref();
    return call;
  }

  private fail(failure: WorkerFailure): void {
    if (this.hasFailed) return;
    this.hasFailed = true;
    const call = this.release();
    this.options.onFailure(this, this.worker.terminate());
    call?.reject(failure);
    this.options.onFree();
  }
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
 * Node 20 cannot run TypeScript in a thread, so code that runs from `src/` (tests) uses its compiled version in `dist/`. In `dist/`, the
 * compiler has rewritten imports but not this URL, so the extension is corrected here.
 */
function compiled(module: URL): URL {
  const path = fileURLToPath(module);
  if (!path.endsWith('.ts')) return module;
  const jsPath = path.replace(/\.ts$/, '.js');
  if (existsSync(jsPath)) return pathToFileURL(jsPath);
  const source = jsPath.lastIndexOf('/src/');
  const distPath = `${jsPath.slice(0, source)}/dist/${jsPath.slice(source + '/src/'.length)}`;
  if (source < 0 || !existsSync(distPath)) throw new Error(`no compiled form of ${path}: build first (npm run build)`);
  return pathToFileURL(distPath);
}
