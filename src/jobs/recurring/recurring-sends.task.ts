import { createHash } from 'node:crypto';
import { nextOccurrences } from '../../countries/timing/recurrence.ts';
import { inEnglish, isText, storedText } from '../../language/text.ts';
import { refusalOfGuard } from '../../notifications/guard/guard.ts';
import { day_ms, earlier, hour_ms, minute_ms, timestamp } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { Failure, invalid } from '../../platform/failure.ts';
import { uuidOfHex } from '../../platform/id.ts';
import { findTemplate } from '../../templates/compiled-templates.ts';
import { maySend } from '../../users/members/permissions.ts';
import { acceptJob, type JobDeps } from '../accept-job.ts';
import { copyContactList } from '../contact-lists/contact-lists.ts';
import { type JobRow, selectJob } from '../jobs.sql.ts';
import { selectUpload } from '../uploads/uploads.sql.ts';
import { checkCopy, getService, type UploadDeps } from '../uploads/uploads.ts';
import {
  deleteRunsBefore,
  endPaused,
  insertRun,
  leaseRun,
  lockDue,
  lockRun,
  type RecurringRunRow,
  type RecurringSendRow,
  selectOwner,
  selectRecurringSend,
  updateRecurringSend,
  updateRun,
} from './recurring-sends.sql.ts';
import { recurrenceOf } from './recurring-sends.ts';
import { countRuns, recordFailure, recordOutcome, recordSkipped } from './run-outcomes.ts';
import {
  listDeleted,
  notRunning,
  ownerHasLeft,
  ownerMayNotSend,
  ownerReasons,
  pausedByGuard,
  templateDeleted,
  templateHidden,
  unexpectedError,
  wasPaused,
} from './run-reasons.ts';

type Deps = JobDeps & UploadDeps;

/** A newsletter of the morning is not sent in the evening. */
const maxDelay_ms = 6 * hour_ms;
/** Longer than creating a job takes. If a process is killed, another one takes over after this time. */
const lease_ms = 5 * minute_ms;
const runsKept_ms = 366 * day_ms;
/** Within this time, another member can resume a recurring send whose owner does not stand for it any more. */
const withoutOwner_ms = 14 * day_ms;

/** Creates the jobs of recurring sends that are due. Each date gets one job, no matter how many processes run this. */
export async function runRecurringSends(app: Deps): Promise<void> {
  const errors = [...(await beginRuns(app)), ...(await createJobs(app))];
  const now = app.clock.now();
  await endPaused(app.db, ownerReasons, timestamp(earlier(now, withoutOwner_ms)));
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
    if (isLate) countRuns(app, 'skipped');
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
  const job = await selectJob(app.db, run.job_id);
  if (job) return recordOutcome(app, run, job);
  if (isTooLate(run.due_at, app.clock.now())) return giveUp(app, run);
  try {
    await recordOutcome(app, run, await acceptRun(app, send, run));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // If this took longer than the lease, another process may have created the job meanwhile.
    if (error.reason !== endedReason && !(await selectJob(app.db, run.job_id))) await failOrRetry(app, run, error);
  }
}

/** Other files or another check may be in the way, or the database: then the next lease tries again. */
const temporary: readonly string[] = ['conflict', 'too-many', 'unavailable', 'timeout'] satisfies Failure['kind'][];

async function failOrRetry(app: Deps, run: RecurringRunRow, error: Failure): Promise<void> {
  const { localised } = error;
  const texts = isText(localised) ? [localised] : Object.values(localised).flat();
  const why = { reason: texts.map(inEnglish).join(' '), reason_texts: JSON.stringify(texts.map(storedText)) };
  if (temporary.includes(error.kind)) await updateRun(app.db, run, why);
  else await recordFailure(app, run, { ...why, pauses: error.reason === pausingReason });
}

/** Its reason is that of the last attempt. Without one, no process was there to try. */
function giveUp(app: Deps, run: RecurringRunRow): Promise<void> {
  if (run.reason !== null) return recordFailure(app, run, { reason: run.reason, pauses: false });
  return recordSkipped(app, run, notRunning);
}

async function acceptRun(app: Deps, send: RecurringSendRow, run: RecurringRunRow): Promise<JobRow> {
  const { service_id, template_id, sender_id, created_by_id } = send;
  const template = await findTemplate(app, service_id, template_id);
  if (template.found !== 'here' || template.template.row.archived) throw pausing(templateDeleted);
  const { template_type, folder } = template.template.row;
  const owner = await selectOwner(app.db, { service_id, user_id: created_by_id, folder });
  if (!owner) throw pausing(ownerHasLeft);
  if (!maySend(owner.permissions)) throw pausing(ownerMayNotSend);
  if (!owner.sees_folder) throw pausing(templateHidden);
  const service = await getService(app, service_id);
  const refusal = refusalOfGuard(app, service, { notification_type: template_type, key_type: 'normal' });
  if (refusal) throw pausing(pausedByGuard);
  const upload =
    (await selectUpload(app.db, service_id, run.job_id)) ??
    (await copyContactList(app, service_id, send.contact_list_id, run.job_id).catch((error: unknown) => {
      if (error instanceof Failure && error.kind === 'not-found') throw pausing(listDeleted);
      throw error;
    }));
  await checkCopy(app, service, upload, { template_id, sender_id });
  return acceptJob(app, {
    ...{ service, upload_id: run.job_id, created_by_id, scheduled_for: null, on_error: 'skip' },
    when_limit_exceeded: 'record',
    async alsoStore(tx) {
      if (!(await lockRun(tx, run))) throw invalid(wasPaused, { reason: endedReason });
    },
  });
}

/** The recurring send was paused or deleted while its file was made. */
const endedReason = 'recurring_run_has_ended';
const pausingReason = 'recurring_send_pauses';

/** A failure that would repeat on every date. */
function pausing(text: string): Failure {
  return invalid(text, { reason: pausingReason });
}

function logError({ log }: Deps, recurring_send: string, err: unknown): void {
  log.error({ event: 'recurring_send.error', recurring_send, err }, 'A recurring send met an unexpected error');
}
