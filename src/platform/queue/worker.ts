import { type CronItem, Logger, parseCronItems, type Runner, run, runOnce, type TaskList } from 'graphile-worker';
import type pg from 'pg';
import type { Log } from '../log.ts';

/** What a background job is: a name, a handler, and how often it may fail. */
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

export interface WorkerOptions {
  pool: pg.Pool;
  log: Log;
  jobs: Job[];
  schedule: TimedTask[];
  concurrency: number;
}

export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const runner: Runner = await run({
    pgPool: options.pool,
    concurrency: options.concurrency,
    // Shutdown is the process's business: it drains HTTP first.
    noHandleSignals: true,
    pollInterval: 1_000,
    taskList: taskList(options.jobs, options.log),
    parsedCronItems: parseCronItems(options.schedule.map(cronItem)),
    logger: workerLogger(options.log),
  });
  runner.promise.catch((error) => options.log.error({ err: error }, 'the worker stopped by itself'));
  return { stop: () => runner.stop() };
}

/** Runs everything that is due now, then returns: for tests. */
export async function runDueJobs(options: Omit<WorkerOptions, 'schedule' | 'concurrency'>): Promise<void> {
  await runOnce({
    pgPool: options.pool,
    noHandleSignals: true,
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
    if (level === 'error') log.debug({ worker: message.slice(0, 60) }, 'worker');
  });
}
