import { createHash } from 'node:crypto';
import { nextOccurrences } from '../../countries/timing/recurrence.ts';
import { inEnglish, isText, storedText } from '../../language/text.ts';
import { refusalOfGuard } from '../../notifications/guard/guard.ts';
import { day_ms, earlier, hour_ms, minute_ms, timestamp } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { Failure, invalid } from '../../platform/failure.ts';
import { uuidOfHex } from '../../platform/id.ts';
import { findTemplate } from '../../templates/compiled-templates.ts';
import { acceptJob, type JobDeps } from '../accept-job.ts';
import { copyContactList } from '../contact-lists/contact-lists.ts';
import { selectJob } from '../jobs.sql.ts';
import { selectUpload } from '../uploads/uploads.sql.ts';
import { checkCopy, getService, type UploadDeps } from '../uploads/uploads.ts';
import {
  deleteRunsBefore,
  endPaused,
  insertRun,
  isMember,
  leaseRun,
  lockDue,
  type RecurringRunRow,
  type RecurringSendRow,
  selectRecurringSend,
  updateRecurringSend,
  updateRun,
} from './recurring-sends.sql.ts';
import { recurrenceOf } from './recurring-sends.ts';
import {
  limitExceeded,
  listDeleted,
  notRunning,
  ownerHasLeft,
  pausedByGuard,
  templateDeleted,
  unexpectedError,
} from './run-reasons.ts';

type Deps = JobDeps & UploadDeps;

/** A newsletter of the morning is not sent in the evening. */
const maxDelay_ms = 6 * hour_ms;
/** Longer than creating a job takes. If a process is killed, another one takes over after this time. */
const lease_ms = 5 * minute_ms;
const maxFailures = 3;
const runsKept_ms = 366 * day_ms;
/** Within this time, somebody else can resume a recurring send whose owner has left. */
const withoutOwner_ms = 14 * day_ms;

/** Creates the jobs of recurring sends that are due. Each date gets one job, no matter how many processes run this. */
export async function runRecurringSends(app: Deps): Promise<void> {
  const errors = [...(await beginRuns(app)), ...(await createJobs(app))];
  const now = app.clock.now();
  await endPaused(app.db, ownerHasLeft, timestamp(earlier(now, withoutOwner_ms)));
  await deleteRunsBefore(app.db, timestamp(earlier(now, runsKept_ms)));
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} recurring sends failed, see the log`);
}

/** Returns the errors of recurring sends whose next date cannot be calculated. They do not keep the others waiting. */
async function beginRuns(app: Deps): Promise<unknown[]> {
  const broken = new Map<string, unknown>();
  while (await beginRun(app, broken));
  return [...broken.values()];
}

/** Commits the run of a date together with the next date. */
async function beginRun(app: Deps, broken: Map<string, unknown>): Promise<boolean> {
  const now = app.clock.now();
  return inTransaction(app.db, async (tx) => {
    const due = await lockDue(tx, timestamp(now), [...broken.keys()]);
    if (!due?.next_at) return false;
    const due_at = due.next_at;
    let next: Date | undefined;
    try {
      [next] = nextOccurrences(recurrenceOf(app.country, due), new Date(due_at), 1);
    } catch (error) {
      logError(app, due.id, error);
      broken.set(due.id, error);
      return true;
    }
    const isLate = isTooLate(due_at, now);
    await insertRun(tx, {
      recurring_id: due.id,
      due_at,
      job_id: jobIdOf(due.id, due_at),
      outcome: isLate ? 'skipped' : 'started',
      reason: isLate ? notRunning : null,
      leased_until: null,
    });
    if (isLate) countRun(app, 'skipped');
    await updateRecurringSend(tx, due.id, next ? { next_at: timestamp(next) } : { next_at: null, state: 'ended' });
    return true;
  });
}

function isTooLate(due_at: string, now: Date): boolean {
  return new Date(due_at) < earlier(now, maxDelay_ms);
}

/** Derived from the date, so that neither a crash nor a second process can create a second job. */
function jobIdOf(id: string, due_at: string): string {
  const hex = createHash('sha256').update(`${id} ${due_at}`).digest('hex');
  return uuidOfHex(`${hex.slice(0, 12)}4${hex.slice(13, 16)}8${hex.slice(17, 32)}`);
}

/** Returns unexpected errors. The next lease tries those runs again; the others do not wait for them. */
async function createJobs(app: Deps): Promise<unknown[]> {
  const errors: unknown[] = [];
  for (;;) {
    const run = await leaseRun(app.db, lease_ms);
    if (!run) return errors;
    try {
      await createJobOf(app, run);
    } catch (error) {
      logError(app, run.recurring_id, error);
      errors.push(error);
      await updateRun(app.db, run, { reason: unexpectedError, reason_texts: null });
    }
  }
}

async function createJobOf(app: Deps, run: RecurringRunRow): Promise<void> {
  const send = await selectRecurringSend(app.db, run.recurring_id);
  if (!send) return;
  if (!(await selectJob(app.db, run.job_id))) {
    if (isTooLate(run.due_at, app.clock.now())) return giveUp(app, send, run);
    try {
      await acceptRun(app, send, run);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      // If this took longer than the lease, another process may have created the job meanwhile.
      if (!(await selectJob(app.db, run.job_id))) return failOrRetry(app, send, run, error);
    }
  }
  await updateRun(app.db, run, { outcome: 'sent', reason: null, reason_texts: null, leased_until: null });
  await updateRecurringSend(app.db, send.id, { failures: 0 });
  countRun(app, 'sent');
}

/** Other files or another check may be in the way, or the database: then the next lease tries again. */
const temporary: readonly string[] = ['conflict', 'too-many', 'unavailable', 'timeout'] satisfies Failure['kind'][];

function failOrRetry(app: Deps, send: RecurringSendRow, run: RecurringRunRow, error: Failure): Promise<void> {
  const { localised } = error;
  const texts = isText(localised) ? [localised] : Object.values(localised).flat();
  const why = { reason: texts.map(inEnglish).join(' '), reason_texts: JSON.stringify(texts.map(storedText)) };
  if (temporary.includes(error.kind)) return updateRun(app.db, run, why);
  return recordFailure(app, send, run, { ...why, pauses: error.reason === pausingReason });
}

/** Its reason is that of the last attempt. Without one, no process was there to try. */
async function giveUp(app: Deps, send: RecurringSendRow, run: RecurringRunRow): Promise<void> {
  if (run.reason !== null) return recordFailure(app, send, run, { reason: run.reason, pauses: false });
  await updateRun(app.db, run, { outcome: 'skipped', reason: notRunning, leased_until: null });
  countRun(app, 'skipped');
}

async function acceptRun(app: Deps, send: RecurringSendRow, run: RecurringRunRow): Promise<void> {
  const { service_id, template_id, sender_id, created_by_id } = send;
  if (!(await isMember(app.db, service_id, created_by_id))) throw pausing(ownerHasLeft);
  const template = await findTemplate(app, service_id, template_id);
  if (template.found !== 'here' || template.template.row.archived) throw pausing(templateDeleted);
  const service = await getService(app, service_id);
  const { template_type } = template.template.row;
  const refusal = refusalOfGuard(app, service, { notification_type: template_type, key_type: 'normal' });
  if (refusal) throw pausing(pausedByGuard);
  const upload =
    (await selectUpload(app.db, service_id, run.job_id)) ??
    (await copyContactList(app, service_id, send.contact_list_id, run.job_id).catch((error: unknown) => {
      if (error instanceof Failure && error.kind === 'not-found') throw pausing(listDeleted);
      throw error;
    }));
  await checkCopy(app, service, upload, { template_id, sender_id });
  const job = await acceptJob(app, {
    ...{ service, upload_id: run.job_id, created_by_id, scheduled_for: null, on_error: 'skip' },
    when_limit_exceeded: 'record',
  });
  if (job.status === 'sending limits exceeded') throw invalid(limitExceeded);
}

const pausingReason = 'recurring_send_pauses';

/** A failure that would repeat on every date. */
function pausing(text: string): Failure {
  return invalid(text, { reason: pausingReason });
}

async function recordFailure(
  app: Deps,
  send: RecurringSendRow,
  run: RecurringRunRow,
  { pauses: mustPause, ...why }: { reason: string; reason_texts?: string; pauses: boolean },
): Promise<void> {
  const failures = send.failures + 1;
  const pauses = mustPause || failures >= maxFailures;
  await inTransaction(app.db, async (tx) => {
    await updateRun(tx, run, { outcome: 'failed', ...why, leased_until: null });
    const paused = { state: 'paused', next_at: null, ends_reason: why.reason } as const;
    await updateRecurringSend(tx, send.id, { failures, ...(pauses && send.state !== 'ended' ? paused : {}) });
  });
  countRun(app, 'failed');
  const { id, service_id } = send;
  app.log.warn(
    { event: 'recurring_send.failed', recurring_send: id, service: service_id, reason: why.reason, pauses },
    'A recurring send failed',
  );
}

function logError({ log }: Deps, recurring_send: string, err: unknown): void {
  log.error({ event: 'recurring_send.error', recurring_send, err }, 'A recurring send met an unexpected error');
}

function countRun({ metrics }: Deps, outcome: 'sent' | 'failed' | 'skipped'): void {
  metrics.counter('recurring_runs_total', 'Dates of recurring sends', ['outcome']).inc({ outcome });
}
