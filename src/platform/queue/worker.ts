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
import { hour_ms } from '../clock.ts';
import type { Log } from '../log.ts';
import { type Heartbeat, startHeartbeat } from './heartbeat.ts';
import type { TaskRuns } from './task-runs.ts';

/** `description`: what it does, for whoever reads the list of jobs. */
export interface Job<Payload = unknown> {
  name: string;
  description: string;
  handle(payload: Payload): Promise<void>;
}

/** When a job runs by itself. `cron` is in UTC; a task about London days checks the hour itself. */
export interface TimedTask {
  cron: string;
  job: string;
  description: string;
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
  runs?: TaskRuns;
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
        await options.runs?.watch();
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
    taskList: taskList(options),
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
    taskList: taskList(options),
    logger: workerLogger(options.log),
  });
}

function taskList({ jobs, log, runs }: Pick<WorkerOptions, 'jobs' | 'log' | 'runs'>): TaskList {
  const tasks: TaskList = {};
  for (const job of jobs) {
    if (tasks[job.name]) throw new Error(`Two jobs are named ${job.name}`);
    tasks[job.name] = async (payload, helpers) => {
      try {
        await job.handle(payload);
      } catch (error) {
        const { attempts: attempt, max_attempts } = helpers.job;
        const final = attempt >= max_attempts;
        log.error(
          { err: error, job: job.name, attempt },
          final ? 'a job failed and is given up' : 'a job failed and will be tried again',
        );
        await runs
          ?.record(job.name, final ? 'given up' : 'failed')
          .catch((lost) => log.warn({ err: lost, job: job.name }, 'the end of a task could not be recorded'));
        throw error;
      }
      await runs?.record(job.name, 'succeeded');
    };
  }
  return tasks;
}

const onceADay = /^\d+ \d+ \* \* \*$/;

/**
 * What runs once a day is caught up with when no worker ran at that time, and tried for an hour and a half when it fails. What
 * runs more often is not: its next time is soon.
 */
export function cronItem({ job, cron }: TimedTask): CronItem {
  const options = onceADay.test(cron)
    ? { backfillPeriod: 24 * hour_ms, maxAttempts: 9 }
    : { backfillPeriod: 0, maxAttempts: 3 };
  return { task: job, match: cron, identifier: job, options };
}

function workerLogger(log: Log): Logger {
  // graphile-worker's lines may quote payloads, so only their level and kind of line is passed on.
  return new Logger(() => (level, message) => {
    if (level === 'error' || level === 'warning') log.warn({ worker: message.slice(0, 60) }, 'the worker reports');
  });
}
