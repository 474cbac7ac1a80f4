import type pg from 'pg';
import type { Clock } from '../clock.ts';
import { timestamp } from '../clock.ts';
import type { Metrics } from '../metrics.ts';
import type { RunnableTask } from './schedule.ts';

interface Deps {
  pool: pg.Pool;
  clock: Clock;
  metrics: Metrics;
}

/** `failed`: will be retried. `given up`: will run again only at its next scheduled time. */
type Outcome = 'succeeded' | 'failed' | 'given up';

/** Records the outcomes of scheduled tasks in the database, so that every worker can report overdue ones. */
export class TaskRuns {
  private readonly app: Deps;
  private readonly tasks: ReadonlySet<string>;
  private readonly runs;

  constructor(app: Deps, tasks: Pick<RunnableTask, 'name' | 'schedule'>[]) {
    this.app = app;
    this.tasks = new Set(tasks.filter(({ schedule }) => schedule).map(({ name }) => name));
    this.runs = app.metrics.counter('scheduled_task_runs_total', 'Runs of scheduled tasks by outcome', [
      'task',
      'outcome',
    ]);
    app.metrics.gauges(
      'scheduled_task_last_success_timestamp_seconds',
      'When a scheduled task last succeeded in any process; if never, when it was first scheduled',
      ['task'],
      () => this.lastSuccesses(),
    );
  }

  /** Each worker must call it on start. */
  async watch(): Promise<void> {
    const names = [...this.tasks];
    const { pool, clock } = this.app;
    await pool.query(
      `insert into task_runs (task, watched_since) select task, $2 from unnest($1::text[]) as task
      on conflict (task) do nothing`,
      [names, timestamp(clock.now())],
    );
  }

  async record(task: string, outcome: Outcome): Promise<void> {
    if (!this.tasks.has(task)) return;
    this.runs.inc({ task, outcome });
    const { pool, clock } = this.app;
    const column = outcome === 'succeeded' ? 'succeeded_at' : 'failed_at';
    await pool.query(
      `insert into task_runs as r (task, watched_since, ${column}) values ($1, $2, $2)
      on conflict (task) do update set ${column} = excluded.${column}`,
      [task, timestamp(clock.now())],
    );
  }

  private async lastSuccesses() {
    const { rows } = await this.app.pool.query<{ task: string; at: number }>(
      `select task, extract(epoch from coalesce(succeeded_at, watched_since))::float8 as at from task_runs
      where task = any ($1::text[])`,
      [[...this.tasks]],
    );
    return rows.map(({ task, at }) => ({ labels: { task }, value: at }));
  }
}
