import { sql } from 'kysely';
import type { Db, Tx } from '../db/database.ts';

interface JobOptions {
  run_at?: Date;
  /** A second job with the same key replaces the first while that is waiting. */
  job_key?: string;
  /** Jobs of the same named queue run sequentially. */
  queue_name?: string;
  /** Jobs with a lower number run first; 0 by default. */
  priority?: number;
}

/** Background jobs are stored in the same database, so a job commits together with its row or not at all. */
export interface Queue {
  add(db: Db | Tx, name: string, payload: object, options?: JobOptions): Promise<void>;
}

export const databaseQueue: Queue = {
  async add(db, name, payload, options = {}) {
    await sql`select graphile_worker.add_job(
      ${name},
      payload => ${JSON.stringify(payload)}::json,
      queue_name => ${options.queue_name ?? null},
      run_at => ${options.run_at ?? null}::timestamptz,
      job_key => ${options.job_key ?? null},
      priority => ${options.priority ?? null}
    )`.execute(db);
  },
};
