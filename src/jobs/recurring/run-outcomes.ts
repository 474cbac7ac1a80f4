import { inTransaction, type Tx } from '../../platform/db/database.ts';
import type { Platform } from '../../platform/platform.ts';
import type { JobRow } from '../jobs.sql.ts';
import {
  lockRecurringSend,
  type RecurringRunRow,
  type RecurringSendRow,
  selectRunOfJob,
  skipWaitingRuns,
  updateRecurringSend,
  updateRun,
} from './recurring-sends.sql.ts';
import { fileCancelled, limitExceeded, wasPaused } from './run-reasons.ts';

const maxFailures = 3;

/** Records the outcome of the run that made a job which has just started, or was cancelled instead. */
export async function recordOutcomeOfJob(app: Platform, job: JobRow): Promise<void> {
  // Only recurring sends and people make files of contact lists.
  if (job.contact_list_id === null) return;
  const run = await selectRunOfJob(app.db, job.id);
  if (run) await recordOutcome(app, run, job);
}

/** The outcome of a run is that of its job. It has none before the job has started. */
export async function recordOutcome(app: Platform, run: RecurringRunRow, job: JobRow): Promise<void> {
  const { status, processing_started, cancelled_because } = job;
  if (status === 'pending' || status === 'scheduled') return;
  if (status === 'sending limits exceeded') return recordFailure(app, run, { reason: limitExceeded, pauses: false });
  if (status !== 'cancelled' || processing_started !== null) return recordSent(app, run);
  if (cancelled_because === null) return recordSkipped(app, run, fileCancelled);
  return recordFailure(app, run, { reason: cancelled_because, reason_texts: null, pauses: false });
}

async function recordSent(app: Platform, run: RecurringRunRow): Promise<void> {
  const none = { reason: null, reason_texts: null, leased_until: null };
  const isSent = await updateRun(app.db, run, { outcome: 'sent', ...none });
  if (!isSent) return;
  await updateRecurringSend(app.db, run.recurring_id, { failures: 0 });
  countRuns(app, 'sent');
}

export async function recordSkipped(app: Platform, run: RecurringRunRow, reason: string): Promise<void> {
  const skipped = { outcome: 'skipped', reason, reason_texts: null, leased_until: null } as const;
  if (await updateRun(app.db, run, skipped)) countRuns(app, 'skipped');
}

export async function recordFailure(
  app: Platform,
  run: RecurringRunRow,
  { pauses: mustPause, ...why }: { reason: string; reason_texts?: string | null; pauses: boolean },
): Promise<void> {
  const failed = await inTransaction(app.db, async (tx) => {
    const send = await lockRecurringSend(tx, run.recurring_id);
    if (!send || !(await updateRun(tx, run, { outcome: 'failed', ...why, leased_until: null }))) return undefined;
    const failures = send.failures + 1;
    await updateRecurringSend(tx, send.id, { failures });
    const pauses = send.state === 'active' && (mustPause || failures >= maxFailures);
    return { send, pauses, skipped: pauses ? await pauseLocked(tx, send, why.reason) : 0 };
  });
  if (!failed) return;
  countRuns(app, 'failed');
  countRuns(app, 'skipped', failed.skipped);
  const { send, pauses } = failed;
  app.log.warn(
    { event: 'recurring_send.failed', recurring_send: send.id, service: send.service_id, reason: why.reason, pauses },
    'A recurring send failed',
  );
}

/** Pauses a locked recurring send, and skips dates that still wait. Returns how many. */
export async function pauseLocked(tx: Tx, { id }: RecurringSendRow, ends_reason: string | null): Promise<number> {
  await updateRecurringSend(tx, id, { state: 'paused', next_at: null, ends_reason });
  return skipWaitingRuns(tx, id, wasPaused);
}

export function countRuns({ metrics }: Platform, outcome: 'sent' | 'failed' | 'skipped', runs = 1): void {
  if (runs > 0) metrics.counter('recurring_runs_total', 'Dates of recurring sends', ['outcome']).inc({ outcome }, runs);
}
