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
import { Loop } from '../process/loop.ts';
import type { RunnableTask } from './schedule.ts';
import type { TaskRuns } from './task-runs.ts';

export interface Worker {
  stop(): Promise<void>;
}

interface WorkerOptions {
  pool: pg.Pool;
  log: Log;
  tasks: RunnableTask[];
  concurrency: number;
  runs?: TaskRuns;
}

/**
 * Runs until stopped. graphile-worker caches its first lookup of task names even if it failed, and then never finds a task again. So a
 * runner that gets an error before it has found the queue is replaced.
 */
export function startWorker(options: WorkerOptions): Worker {
  let stopped = false;
  let runner: Runner | undefined;
  let failures = 0;

  async function keepRunning(): Promise<void> {
    while (!stopped) {
      let heartbeat: Heartbeat | undefined;
      const events: WorkerEvents = new EventEmitter();
      // The earliest event that reveals the worker id that locks tasks.
      events.once('pool:create', ({ workerPool }) => {
        heartbeat = startHeartbeat(options, workerPool.id);
      });
      try {
        await options.runs?.watch();
        runner = await startRunner(options, events);
        failures = 0;
        const lost = queueNotFound(runner.events);
        if (stopped) await runner.stop();
        await Promise.race([runner.promise, lost]);
        if (!stopped) await runner.stop();
      } catch (error) {
        failures += 1;
        // Log an outage once, not every second.
        if (!stopped && failures === 1)
          options.log.warn({ event: 'worker.restarted', err: error }, 'The worker lost the database; restarting it');
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
 * Records tasks that finish together in one statement, instead of ten when many short tasks run. It also keeps the process alive if the
 * database is unavailable at that moment: without batching, the library does not await the records, and an unhandled rejection ends Node.
 */
const preset = { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } };

function startRunner(options: WorkerOptions, events: WorkerEvents): Promise<Runner> {
  return run({
    pgPool: releasingOnce(options.pool),
    concurrency: options.concurrency,
    // The process handles shutdown: it drains HTTP first.
    noHandleSignals: true,
    pollInterval: 1_000,
    events,
    preset,
    taskList: taskList(options),
    parsedCronItems: parseCronItems(options.tasks.flatMap(cronItems)),
    logger: workerLogger(options.log),
  });
}

type Connected = Parameters<Parameters<pg.Pool['connect']>[0]>;

/**
 * If a runner is stopped before its LISTEN has a response, it releases that connection, and again when the connection breaks. The pool
 * would then throw in a promise that the library does not handle, which ends Node.
 */
function releasingOnce(pool: pg.Pool): pg.Pool {
  const connect = (callback?: (...connected: Connected) => void) =>
    callback
      ? pool.connect((error, client, release) => {
          let isReleased = false;
          callback(error, client, (broken) => {
            if (!isReleased) release(broken);
            isReleased = true;
          });
        })
      : pool.connect();
  return new Proxy(pool, {
    get(target, name) {
      if (name === 'connect') return connect;
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Resolves at the first error, unless the queue was found before. */
function queueNotFound(events: WorkerEvents): Promise<void> {
  return new Promise((resolve) => {
    const onError = () => resolve();
    events.once('worker:getJob:error', onError);
    for (const responded of ['worker:getJob:empty', 'job:start'] as const) {
      events.once(responded, () => events.off('worker:getJob:error', onError));
    }
  });
}

/** Runs all due tasks, then returns; for tests. */
export async function runDueTasks(options: Omit<WorkerOptions, 'concurrency'>): Promise<void> {
  await runOnce({
    pgPool: options.pool,
    noHandleSignals: true,
    preset,
    taskList: taskList(options),
    logger: workerLogger(options.log),
  });
}

function taskList({ tasks, log, runs }: Pick<WorkerOptions, 'tasks' | 'log' | 'runs'>): TaskList {
  const list: TaskList = {};
  for (const task of tasks) {
    if (list[task.name]) throw new Error(`Two tasks are named ${task.name}`);
    list[task.name] = async (payload, helpers) => {
      try {
        await task.run(payload);
      } catch (error) {
        const { attempts: attempt, max_attempts } = helpers.job;
        const final = attempt >= max_attempts;
        log.error(
          { event: 'task.failed', err: error, task: task.name, attempt },
          final ? 'A task failed; no retries left' : 'A task failed; it will be retried',
        );
        await runs
          ?.record(task.name, final ? 'given up' : 'failed')
          .catch((lost) =>
            log.warn(
              { event: 'task.unrecorded', err: lost, task: task.name },
              'The outcome of a task was not recorded',
            ),
          );
        throw error;
      }
      await runs?.record(task.name, 'succeeded');
    };
  }
  return list;
}

const onceADay = /^\d+ \d+ \* \* \*$/;

/** A daily task is backfilled if no worker ran at its time. More frequent tasks are not, because their next run is soon. */
export function cronItems({ name, maxAttempts, schedule }: RunnableTask): CronItem[] {
  if (!schedule) return [];
  const backfillPeriod = onceADay.test(schedule.cron) ? 24 * hour_ms : 0;
  return [{ task: name, match: schedule.cron, identifier: name, options: { backfillPeriod, maxAttempts } }];
}

function workerLogger(log: Log): Logger {
  // graphile-worker's lines may quote payloads, so only their level and first words are logged.
  return new Logger(() => (level, message) => {
    if (level === 'error' || level === 'warning')
      log.warn({ event: 'worker.message', worker: message.slice(0, 60) }, 'graphile-worker message');
  });
}

/** Workers compare heartbeats with the database clock, the only one that they share. */
const beat_ms = 2_000;
const deadAfter_ms = 8_000;

interface Heartbeat {
  stop(): Promise<void>;
}

/**
 * Records every two seconds that a worker is alive, and unlocks the tasks of dead workers. The library itself would leave them locked for
 * four hours. If a worker only stalled, a task may run twice, which is safe: the row decides whether there is anything left to do.
 */
function startHeartbeat({ pool, log }: { pool: pg.Pool; log: Log }, workerId: string): Heartbeat {
  const loop = new Loop({
    name: 'heartbeat',
    log,
    async step() {
      await pool.query('insert into queue_workers values ($1, now()) on conflict (id) do update set seen_at = now()', [
        workerId,
      ]);
      const dead = await unlockTasksOfDeadWorkers(pool);
      if (dead.length > 0)
        log.warn({ event: 'workers.died', workers: dead }, 'Workers died; their tasks are restarted');
      return beat_ms;
    },
  });
  loop.start();
  return {
    async stop() {
      await loop.stop();
      // Tasks whose result could not be recorded are still locked. If unlocking fails, another worker does it later.
      await unlockTasks(pool, 'id = $1', workerId).catch(() => undefined);
    },
  };
}

function unlockTasksOfDeadWorkers(pool: pg.Pool): Promise<string[]> {
  return unlockTasks(pool, "seen_at < now() - $1 * interval '1 ms'", deadAfter_ms);
}

/** Deletes the workers that match the condition and unlocks their tasks. */
async function unlockTasks(pool: pg.Pool, condition: string, value: string | number): Promise<string[]> {
  const { rows } = await pool.query<{ ended: string[] }>(
    `with ended as (
      delete from queue_workers where ${condition} returning id
    ), ids as (select array_agg(id) as ended from ended)
    select ended, graphile_worker.force_unlock_workers(ended) from ids where ended is not null`,
    [value],
  );
  return rows[0]?.ended ?? [];
}
