import type pg from 'pg';
import type { Log } from '../log.ts';
import { Loop } from '../loop.ts';

/** By the clock of the database, the only one that all workers share. */
const beat_ms = 2_000;
const deadAfter_ms = 8_000;

export interface Heartbeat {
  stop(): Promise<void>;
}

/**
 * Says every two seconds that a worker lives, and unlocks the jobs of those that have stopped saying so: the library
 * itself would leave them locked for four hours. A worker that was only stalled may then see a job done twice, which jobs
 * bear: the row decides whether there is anything left to do.
 */
export function startHeartbeat({ pool, log }: { pool: pg.Pool; log: Log }, workerId: string): Heartbeat {
  const loop = new Loop({
    name: 'heartbeat',
    log,
    async step() {
      await pool.query('insert into queue_workers values ($1, now()) on conflict (id) do update set seen_at = now()', [
        workerId,
      ]);
      const dead = await unlockJobsOfDeadWorkers(pool);
      if (dead.length > 0) log.warn({ workers: dead }, 'workers died; what they were doing is begun again');
      return beat_ms;
    },
  });
  loop.start();
  return {
    async stop() {
      await loop.stop();
      // Jobs whose end could not be recorded are still locked. When this fails, another worker finds out and unlocks them.
      await unlockJobs(pool, 'id = $1', workerId).catch(() => undefined);
    },
  };
}

function unlockJobsOfDeadWorkers(pool: pg.Pool): Promise<string[]> {
  return unlockJobs(pool, "seen_at < now() - $1 * interval '1 ms'", deadAfter_ms);
}

/** Forgets the workers that the condition finds, and unlocks what they held. */
async function unlockJobs(pool: pg.Pool, condition: string, value: string | number): Promise<string[]> {
  const { rows } = await pool.query<{ ended: string[] }>(
    `with ended as (
      delete from queue_workers where ${condition} returning id
    ), ids as (select array_agg(id) as ended from ended)
    select ended, graphile_worker.force_unlock_workers(ended) from ids where ended is not null`,
    [value],
  );
  return rows[0]?.ended ?? [];
}
