import { sql } from 'kysely';
import type { Db, Tx } from '../db/database.ts';

/** A kind of background work. Code that enqueues it needs only this; `src/tasks.ts` has the handler. */
export interface Task<Payload = unknown> {
  name: string;
  description: string;
  /** A failed run is retried with growing delays, up to this many attempts. */
  maxAttempts: number;
  /** Never set. It ties the type of the payload to the task. */
  readonly payload?: Payload;
}

interface AddOptions {
  runAt?: Date;
  /** Replaces a waiting task with the same key. */
  key?: string;
  /** Tasks of the same serial queue run one after the other. */
  serialQueue?: string;
  /** Lower numbers run first; 0 by default. */
  priority?: number;
}

/** Tasks are stored in the same database, so a task commits together with its row or not at all. */
export interface Queue {
  add<Payload>(db: Db | Tx, task: Task<Payload>, payload: NoInfer<Payload>, options?: AddOptions): Promise<void>;
  /** Adds many tasks of one kind in one statement. */
  addMany<Payload>(
    db: Db | Tx,
    task: Task<Payload>,
    entries: { payload: NoInfer<Payload>; priority?: number }[],
  ): Promise<void>;
}

export const databaseQueue: Queue = {
  async add(db, task, payload, options = {}) {
    await sql`select graphile_worker.add_job(
      ${task.name},
      payload => ${JSON.stringify(payload)}::json,
      queue_name => ${options.serialQueue ?? null},
      run_at => ${options.runAt ?? null}::timestamptz,
      max_attempts => ${task.maxAttempts},
      job_key => ${options.key ?? null},
      priority => ${options.priority ?? null}
    )`.execute(db);
  },
  async addMany(db, task, entries) {
    if (entries.length === 0) return;
    await sql`select count(*) from graphile_worker.add_jobs(array(
      select row(${task.name}, payload, null, null, ${task.maxAttempts}, null, priority, null)::graphile_worker.job_spec
      from json_to_recordset(${JSON.stringify(entries)}::json) as e (payload json, priority integer)
    ))`.execute(db);
  },
};
