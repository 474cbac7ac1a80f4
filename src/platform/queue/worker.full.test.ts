import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { cloneDatabase } from '../../../test/kit/process/database.ts';
import { createLog } from '../log.ts';
import { Metrics } from '../metrics.ts';
import { TaskRuns } from './task-runs.ts';
import { cronItems, runDueTasks, startWorker, type Worker } from './worker.ts';

let database: { url: string; drop(): Promise<void> };
let pool: pg.Pool;
let worker: Worker;
const handled: unknown[] = [];

beforeAll(async () => {
  database = await cloneDatabase();
  pool = new pg.Pool({ connectionString: database.url });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
});

afterAll(async () => {
  await worker?.stop();
  await pool.end();
  await database.drop();
});

describe('the worker', () => {
  it('finds its tasks even if its first query failed', async () => {
    const query = pg.Client.prototype.query;
    let failures = 0;
    const failing = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
      this: pg.Client,
      ...args: unknown[]
    ) {
      const text = (args[0] as { text?: string })?.text ?? '';
      if (text.includes('_private_tasks') && failures < 2) {
        failures += 1;
        return Promise.reject(new Error('timeout exceeded when trying to connect'));
      }
      return Reflect.apply(query, this, args);
    });
    worker = startWorker({
      pool,
      log: createLog('silent'),
      tasks: [
        {
          name: 'a-task',
          description: 'Remembers its payload',
          maxAttempts: 3,
          run: async (payload) => {
            if ((payload as { fails?: true }).fails) throw new Error('as asked');
            handled.push(payload);
          },
        },
      ],
      concurrency: 2,
    });
    await pool.query(`select graphile_worker.add_job('a-task', '{"n":1}')`);
    await vi.waitFor(() => expect(handled).toEqual([{ n: 1 }]), { timeout: 15_000, interval: 100 });
    expect(failures).toBeGreaterThan(0);
    failing.mockRestore();
  });

  it('takes over the tasks of a dead worker, but not of a live one', async () => {
    handled.length = 0;
    await pool.query(
      `insert into queue_workers values ('dead', now() - interval '9 s'), ('alive', now() + interval '1 h')`,
    );
    for (const of of ['dead', 'alive']) {
      await pool.query(
        `select graphile_worker.add_job('a-task', json_build_object('of', $1::text), job_key => $1,
        run_at => now() + interval '1 s')`,
        [of],
      );
    }
    await pool.query(`update graphile_worker._private_jobs set locked_at = now(), locked_by = key, run_at = now()`);
    // Completed tasks leave the queue a moment later, in batches.
    const left = async () => (await pool.query('select key, locked_by from graphile_worker._private_jobs')).rows;
    await vi.waitFor(async () => expect(await left()).toEqual([{ key: 'alive', locked_by: 'alive' }]), {
      timeout: 10_000,
      interval: 100,
    });
    expect(handled).toEqual([{ of: 'dead' }]);
  });

  it('survives an unavailable database when a task has failed', async () => {
    const unhandled: unknown[] = [];
    const onUnhandled = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', onUnhandled);
    const query = pg.Client.prototype.query;
    let refused = 0;
    const failing = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
      this: pg.Client,
      ...args: unknown[]
    ) {
      const text = (args[0] as { text?: string })?.text ?? '';
      if (text.includes('last_error = ') && refused < 2) {
        refused += 1;
        return Promise.reject(new Error('Connection terminated unexpectedly'));
      }
      return Reflect.apply(query, this, args);
    });
    await pool.query(`select graphile_worker.add_job('a-task', '{"fails":true}')`);
    const state = async () =>
      (
        await pool.query(
          `select last_error from graphile_worker._private_jobs where payload ->> 'fails' = 'true' and locked_by is null`,
        )
      ).rows;
    await vi.waitFor(async () => expect(await state()).toEqual([{ last_error: 'as asked' }]), {
      timeout: 15_000,
      interval: 100,
    });
    expect(refused).toBeGreaterThan(0);
    expect(unhandled).toEqual([]);
    failing.mockRestore();
    process.off('unhandledRejection', onUnhandled);
  });

  it('survives a LISTEN that fails after its runner was replaced', async () => {
    const unhandled: unknown[] = [];
    const onUnhandled = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', onUnhandled);
    const query = pg.Client.prototype.query;
    const gone = new Error('Connection terminated unexpectedly');
    let failListening: (error: Error) => void = () => undefined;
    let noteListening: () => void = () => undefined;
    const listening = new Promise<void>((resolve) => {
      noteListening = resolve;
    });
    let listened = 0;
    let failures = 0;
    let released = 0;
    const hanging = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
      this: pg.Client,
      ...args: unknown[]
    ) {
      const text = typeof args[0] === 'string' ? args[0] : ((args[0] as { text?: string })?.text ?? '');
      if (text.startsWith('LISTEN')) {
        listened += 1;
        noteListening();
        if (listened > 1) return Reflect.apply(query, this, args);
        return new Promise((_, reject) => {
          failListening = reject;
        });
      }
      if (text.startsWith('UNLISTEN')) released += 1;
      if (text.includes('_private_tasks') && failures < 1) {
        failures += 1;
        return listening.then(() => Promise.reject(gone));
      }
      return Reflect.apply(query, this, args);
    });
    const tasks = [{ name: 'never-added', description: 'For this test', maxAttempts: 1, run: async () => {} }];
    const another = startWorker({ pool, log: createLog('silent'), tasks, concurrency: 1 });
    // The first runner gives its connection back when it is replaced.
    await vi.waitFor(() => expect(released).toBe(1), { timeout: 15_000, interval: 20 });
    failListening(gone);
    await vi.waitFor(() => expect(released).toBe(2), { timeout: 15_000, interval: 20 });
    await another.stop();
    hanging.mockRestore();
    process.off('unhandledRejection', onUnhandled);
    expect(failures).toBe(1);
    expect(unhandled).toEqual([]);
  });

  it('is deleted from the database when it stops', async () => {
    await worker.stop();
    const { rows } = await pool.query('select id from queue_workers');
    expect(rows).toEqual([{ id: 'alive' }]);
  });

  it('reports when a scheduled task last succeeded in any process, and when it has no retries left', async () => {
    const clock = { now: () => new Date('2026-11-15T03:00:00Z') };
    const metrics = new Metrics();
    const lines: string[] = [];
    const log = createLog('debug', { write: (line) => void lines.push(line) });
    const task = (name: string, cron?: string, run = async () => {}) => ({
      name,
      description: 'For this test',
      maxAttempts: 1,
      ...(cron && { schedule: { cron, reason: 'For this test' } }),
      run,
    });
    const tasks = [
      task('nightly', '0 3 * * *'),
      task('broken', '0 3 * * *', () => Promise.reject(new Error('no'))),
      task('never', '0 3 * * *'),
      task('unscheduled'),
    ];
    const runs = new TaskRuns({ pool, clock, metrics }, tasks);
    await runs.watch();
    clock.now = () => new Date('2026-11-15T04:00:00Z');
    for (const name of ['nightly', 'broken', 'unscheduled'])
      await pool.query('select graphile_worker.add_job($1, max_attempts => 1)', [name]);
    await runDueTasks({ pool, log, tasks, runs });
    const { rows } = await pool.query('select * from task_runs order by task');
    const at = (hour: number) => new Date(`2026-11-15T0${hour}:00:00Z`);
    expect(rows).toEqual([
      { task: 'broken', watched_since: at(3), succeeded_at: null, failed_at: at(4) },
      { task: 'never', watched_since: at(3), succeeded_at: null, failed_at: null },
      { task: 'nightly', watched_since: at(3), succeeded_at: at(4), failed_at: null },
    ]);
    const figures = await metrics.registry.metrics();
    expect(figures).toContain(
      `scheduled_task_last_success_timestamp_seconds{task="nightly"} ${at(4).getTime() / 1_000}`,
    );
    expect(figures).toContain(`scheduled_task_last_success_timestamp_seconds{task="never"} ${at(3).getTime() / 1_000}`);
    expect(figures).toContain('scheduled_task_runs_total{task="broken",outcome="given up"} 1');
    expect(lines.filter((line) => line.includes('A task failed; no retries left'))).toHaveLength(1);
    expect(lines.filter((line) => line.includes('it will be retried'))).toHaveLength(0);
  });

  it('backfills a missed daily run, but not a minutely one', () => {
    const task = { name: 'x', description: 'x', maxAttempts: 9, run: async () => {} };
    const options = (cron: string) => cronItems({ ...task, schedule: { cron, reason: 'x' } })[0]?.options;
    expect(options('0 3 * * *')).toEqual({ backfillPeriod: 86_400_000, maxAttempts: 9 });
    expect(options('*/5 * * * *')).toMatchObject({ backfillPeriod: 0 });
    expect(options('13 * * * *')).toMatchObject({ backfillPeriod: 0 });
  });
});
