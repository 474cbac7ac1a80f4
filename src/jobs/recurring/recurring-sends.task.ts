import { createHash } from 'node:crypto';
import { nextOccurrences } from '../../countries/timing/recurrence.ts';
import { refusalOfGuard } from '../../notifications/guard/guard.ts';
import { day_ms, earlier, hour_ms, later, minute_ms, timestamp } from '../../platform/clock.ts';
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
  leaseRuns,
  lockDue,
  type RecurringRunRow,
  type RecurringSendRow,
  selectRecurringSend,
  updateRecurringSend,
  updateRun,
} from './recurring-sends.sql.ts';
import { recurrenceOf } from './recurring-sends.ts';

type Deps = JobDeps & UploadDeps;

/** A newsletter of the morning is not sent in the evening. */
const mayBeLate_ms = 6 * hour_ms;
/** Longer than making a job takes. A process that was killed is replaced after that time. */
const lease_ms = 5 * minute_ms;
const maxFailures = 3;
const runsKept_ms = 366 * day_ms;
/** In that time somebody else can resume what a person who has left the service sent. */
const withoutSender_ms = 14 * day_ms;
const senderHasLeft = 'The person who sends it has left the service';

/** Makes the jobs of recurring sends that are due: each date once, by however many processes. */
export async function runRecurringSends(app: Deps): Promise<void> {
  while (await beginRun(app));
  const now = app.clock.now();
  for (const run of await leaseRuns(app.db, timestamp(now), timestamp(later(now, lease_ms)))) await makeJob(app, run);
  await endPaused(app.db, senderHasLeft, timestamp(earlier(now, withoutSender_ms)));
  await deleteRunsBefore(app.db, timestamp(earlier(now, runsKept_ms)));
}

/** The run of a date is committed together with the next date. */
async function beginRun(app: Deps): Promise<boolean> {
  const now = app.clock.now();
  return inTransaction(app.db, async (tx) => {
    const due = await lockDue(tx, timestamp(now));
    if (!due?.next_at) return false;
    const due_at = due.next_at;
    const isLate = new Date(due_at) < earlier(now, mayBeLate_ms);
    await insertRun(tx, {
      recurring_id: due.id,
      due_at,
      job_id: jobIdOf(due.id, due_at),
      outcome: isLate ? 'skipped' : 'started',
      reason: isLate ? 'Pennypost was not running at that time' : null,
      leased_until: null,
    });
    if (isLate) countRun(app, 'skipped');
    const [next] = nextOccurrences(recurrenceOf(app.country, due), new Date(due_at), 1);
    await updateRecurringSend(tx, due.id, next ? { next_at: timestamp(next) } : { next_at: null, state: 'ended' });
    return true;
  });
}

/** Always the same for a date, so that no crash and no second process makes a second job. */
function jobIdOf(id: string, due_at: string): string {
  const hex = createHash('sha256').update(`${id} ${due_at}`).digest('hex');
  return uuidOfHex(`${hex.slice(0, 12)}4${hex.slice(13, 16)}8${hex.slice(17, 32)}`);
}

async function makeJob(app: Deps, run: RecurringRunRow): Promise<void> {
  const send = await selectRecurringSend(app.db, run.recurring_id);
  if (!send) return;
  try {
    if (!(await selectJob(app.db, run.job_id))) await acceptRun(app, send, run);
    await updateRun(app.db, run, { outcome: 'sent', leased_until: null });
    await updateRecurringSend(app.db, send.id, { failures: 0 });
    countRun(app, 'sent');
  } catch (error) {
    const isTooLate = new Date(run.due_at) < earlier(app.clock.now(), mayBeLate_ms);
    if (!(error instanceof Failure)) throw error;
    // Other files or another check are in the way: the next lease tries again.
    if ((error.kind === 'conflict' || error.kind === 'too-many') && !isTooLate) return;
    await recordFailure(app, send, run, error);
  }
}

async function acceptRun(app: Deps, send: RecurringSendRow, run: RecurringRunRow): Promise<void> {
  const { service_id, template_id, sender_id, created_by_id } = send;
  if (!(await isMember(app.db, service_id, created_by_id))) throw pausing(senderHasLeft);
  const template = await findTemplate(app, service_id, template_id);
  if (template.found !== 'here' || template.template.row.archived) throw pausing('The template was deleted');
  const service = await getService(app, service_id);
  const { template_type } = template.template.row;
  const refusal = refusalOfGuard(app, service, { notification_type: template_type, key_type: 'normal' });
  if (typeof refusal?.detail === 'string') throw pausing(refusal.detail);
  const upload =
    (await selectUpload(app.db, service_id, run.job_id)) ??
    (await copyContactList(app, service_id, send.contact_list_id, run.job_id).catch((error: unknown) => {
      if (error instanceof Failure && error.kind === 'not-found') throw pausing('The contact list was deleted');
      throw error;
    }));
  await checkCopy(app, service, upload, { template_id, sender_id });
  const job = await acceptJob(app, {
    ...{ service, upload_id: run.job_id, created_by_id, scheduled_for: null, on_error: 'skip' },
    when_limit_exceeded: 'record',
  });
  if (job.status === 'sending limits exceeded')
    throw invalid('The list has more people than the limits of the service allow');
}

const pausingReason = 'recurring_send_pauses';

/** Nothing that another try could overcome. */
function pausing(text: string): Failure {
  return invalid(text, { reason: pausingReason });
}

async function recordFailure(app: Deps, send: RecurringSendRow, run: RecurringRunRow, error: Failure): Promise<void> {
  const reason = typeof error.detail === 'string' ? error.detail : Object.values(error.detail).flat().join(' ');
  const failures = send.failures + 1;
  const pauses = error.reason === pausingReason || failures >= maxFailures;
  await inTransaction(app.db, async (tx) => {
    await updateRun(tx, run, { outcome: 'failed', reason, leased_until: null });
    const paused = { state: 'paused', next_at: null, paused_because: reason } as const;
    await updateRecurringSend(tx, send.id, { failures, ...(pauses && send.state !== 'ended' ? paused : {}) });
  });
  countRun(app, 'failed');
  const { id, service_id } = send;
  app.log.warn(
    { event: 'recurring_send.failed', recurring_send: id, service: service_id, reason, pauses },
    'A recurring send failed',
  );
}

function countRun({ metrics }: Deps, outcome: 'sent' | 'failed' | 'skipped'): void {
  metrics.counter('recurring_runs_total', 'Dates of recurring sends', ['outcome']).inc({ outcome });
}
