import type { GuardSettings } from '../notifications/settings.ts';
import { earlier, minute_ms, type Timestamp, timestamp } from '../platform/clock.ts';
import type { Db } from '../platform/db/database.ts';
import type { Platform } from '../platform/platform.ts';
import { enqueueExpansion } from './accept-job.ts';
import { maxWaitingRows } from './expand-job.ts';
import { cancelUnfinishedJobs, countWaitingRows, type IdleJob, selectIdleJobs } from './jobs.sql.ts';

const resumedAfter_ms = minute_ms;
const stalledAfter_s = 600;

type Deps = Platform & { config: { guard: GuardSettings } };

/** A job moves at least every second, or waits until enough of its messages are sent, or until the guard lets it go on. */
async function findIdle({ db, clock, config }: Deps) {
  const now = clock.now();
  const idle = await selectIdleJobs(db, timestamp(now), timestamp(earlier(now, resumedAfter_ms)));
  const mayMove = ({ is_paused, waiting }: IdleJob) =>
    waiting <= maxWaitingRows && !(is_paused && config.guard.mode === 'on');
  return { idle, stalled: idle.filter((job) => job.idle_s >= stalledAfter_s && mayMove(job)) };
}

/** Returns the number of jobs that do not move, and since when the first of them has not moved. */
export async function summariseStalledJobs(app: Deps): Promise<{ count: number; since: Timestamp | undefined }> {
  const { stalled } = await findIdle(app);
  const longest_s = Math.max(...stalled.map(({ idle_s }) => idle_s));
  return {
    count: stalled.length,
    since: stalled.length > 0 ? timestamp(earlier(app.clock.now(), longest_s * 1_000)) : undefined,
  };
}

/** Restarts jobs whose task was lost, and logs an error if a job does not move nevertheless. */
export async function resumeJobs(app: Deps): Promise<void> {
  const { idle, stalled } = await findIdle(app);
  for (const { id } of idle) await enqueueExpansion(app, app.db, id);
  for (const { id, service_id, idle_s } of stalled) {
    app.log.error({ event: 'job.stalled', job: id, service: service_id, idle_s }, 'A job does not move');
  }
}

/** Read at each scrape. */
export function measureJobs(app: Deps): void {
  const { metrics, db, clock } = app;
  metrics.gauges(
    'job_rows_waiting',
    'Rows of files that are not notifications yet',
    ['notification_type'],
    async () => {
      const waiting = await countWaitingRows(db, timestamp(clock.now()));
      return waiting.map(({ notification_type, rows }) => ({ labels: { notification_type }, value: rows }));
    },
  );
  metrics.gauges('jobs_stalled', 'Files that are being sent and have not moved for ten minutes', [], async () => {
    return [{ labels: {}, value: (await summariseStalledJobs(app)).count }];
  });
}

/** Needed after a database was restored: what was sent after the backup must not be sent again. */
export async function endUnfinishedJobs(db: Db, now: Date): Promise<number> {
  return cancelUnfinishedJobs(db, 'Restored from a backup', timestamp(now));
}
