import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CronItem,
  Logger,
  parseCronItems,
  type Runner,
  run,
  runOnce,
  type TaskList,
  type WorkerEvents,
} from 'graphile-worker';
import type pg from 'pg';
import type { Log } from '../log.ts';
import { type Heartbeat, startHeartbeat } from './heartbeat.ts';

/** `sentence`: what it does, for whoever reads the list of jobs. */
export interface Job<Payload = unknown> {
  name: string;
  sentence: string;
  handle(payload: Payload): Promise<void>;
}

/** When a job runs by itself. `cron` is in UTC; a task about London days checks the hour itself. */
export interface TimedTask {
  cron: string;
  job: string;
  sentence: string;
}

export interface Worker {
  stop(): Promise<void>;
}

interface WorkerOptions {
  pool: pg.Pool;
  log: Log;
  jobs: Job[];
  schedule: TimedTask[];
  concurrency: number;
}

/**
 * Runs until it is stopped. The library remembers its first look-up of job names even when that failed, and then never
 * finds a job again; so a runner that has not yet found the queue and gets an error is replaced.
 */
export function startWorker(options: WorkerOptions): Worker {
  let stopped = false;
  let runner: Runner | undefined;

  async function keepRunning(): Promise<void> {
    while (!stopped) {
      let heartbeat: Heartbeat | undefined;
      const events: WorkerEvents = new EventEmitter();
      // The first moment at which the library says by which name it will lock jobs.
      events.once('pool:create', ({ workerPool }) => {
        heartbeat = startHeartbeat(options, workerPool.id);
      });
      try {
        runner = await startRunner(options, events);
        const lost = queueNotFound(runner.events);
        if (stopped) await runner.stop();
        await Promise.race([runner.promise, lost]);
        if (!stopped) await runner.stop();
      } catch (error) {
        if (!stopped) options.log.warn({ err: error }, 'the worker lost the database; starting it again');
      } finally {
        await heartbeat?.stop();
      }
      if (!stopped) await sleep(1_000);
    }
  }

  const ended = keepRunning();
  return {
    async stop() {
      stopped = true;
      await runner?.stop().catch(() => undefined);
      await ended;
    },
  };
}

/**
 * Jobs that end together are recorded together: while many letters are drawn that is one statement instead of ten. It also
 * keeps the process alive when the database is away at that moment: without a batch the library awaits neither record, and
 * a rejection that no code handles ends Node.
 */
const preset = { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } };

function startRunner(options: WorkerOptions, events: WorkerEvents): Promise<Runner> {
  return run({
    pgPool: options.pool,
    concurrency: options.concurrency,
    // Shutdown is the process's business: it drains HTTP first.
    noHandleSignals: true,
    pollInterval: 1_000,
    events,
    preset,
    taskList: taskList(options.jobs, options.log),
    parsedCronItems: parseCronItems(options.schedule.map(cronItem)),
    logger: workerLogger(options.log),
  });
}

/** Resolves at the first error, unless the queue answered before. */
function queueNotFound(events: WorkerEvents): Promise<void> {
  return new Promise((resolve) => {
    const onError = () => resolve();
    events.once('worker:getJob:error', onError);
    for (const answered of ['worker:getJob:empty', 'job:start'] as const) {
      events.once(answered, () => events.off('worker:getJob:error', onError));
    }
  });
}

/** Runs everything that is due now, then returns: for tests. */
export async function runDueJobs(options: Omit<WorkerOptions, 'schedule' | 'concurrency'>): Promise<void> {
  await runOnce({
    pgPool: options.pool,
    noHandleSignals: true,
    preset,
    taskList: taskList(options.jobs, options.log),
    logger: workerLogger(options.log),
  });
}

function taskList(jobs: Job[], log: Log): TaskList {
  const tasks: TaskList = {};
  for (const job of jobs) {
    if (tasks[job.name]) throw new Error(`Two jobs are named ${job.name}`);
    tasks[job.name] = async (payload, helpers) => {
      try {
        await job.handle(payload);
      } catch (error) {
        log.error({ err: error, job: job.name, attempt: helpers.job.attempts }, 'a job failed and will be tried again');
        throw error;
      }
    };
  }
  return tasks;
}

function cronItem(task: TimedTask): CronItem {
  return { task: task.job, match: task.cron, identifier: task.job, options: { backfillPeriod: 0, maxAttempts: 3 } };
}

function workerLogger(log: Log): Logger {
  // graphile-worker's lines may quote payloads, so only their level and kind of line is passed on.
  return new Logger(() => (level, message) => {
    if (level === 'error' || level === 'warning') log.warn({ worker: message.slice(0, 60) }, 'the worker reports');
  });
}
