import type pg from 'pg';
import type { Log } from '../log.ts';
import { Loop } from '../process/loop.ts';

/** Measured by the database clock, the only one that all workers share. */
const beat_ms = 2_000;
const deadAfter_ms = 8_000;

export interface Heartbeat {
  stop(): Promise<void>;
}

/**
 * Records every two seconds that a worker is alive, and unlocks the tasks of workers that are not: the library itself
 * would leave them locked for four hours. A worker that was only stalled may then have a task run twice, which is safe:
 * the row decides whether there is anything left to do.
 */
export function startHeartbeat({ pool, log }: { pool: pg.Pool; log: Log }, workerId: string): Heartbeat {
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
      // Tasks whose result could not be recorded are still locked. If this fails, another worker unlocks them later.
      await unlockTasks(pool, 'id = $1', workerId).catch(() => undefined);
    },
  };
}

function unlockTasksOfDeadWorkers(pool: pg.Pool): Promise<string[]> {
  return unlockTasks(pool, "seen_at < now() - $1 * interval '1 ms'", deadAfter_ms);
}

/** Deletes the workers that match the condition, and unlocks their tasks. */
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
