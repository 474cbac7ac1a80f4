import { refuseUnlessFilesAreSetUp } from '../documents/file-requests.ts';
import { annualQuotas } from '../notifications/limits/annual-limits.ts';
import { countsParts, reserveMessages } from '../notifications/limits/daily-limits.ts';
import type { SendContext } from '../notifications/sending/send-context.ts';
import {
  chooseReplyTo,
  chooseSmsSender,
  refuseLettersInTrialMode,
  refuseUnlessChannelIsAllowed,
} from '../notifications/sending/send-rules.ts';
import type { SendingService } from '../notifications/sending/sending-service.ts';
import { timestamp } from '../platform/clock.ts';
import { inTransaction } from '../platform/db/database.ts';
import { Failure } from '../platform/failure.ts';
import { findTemplate, getReplyToText, type ReadyTemplate } from '../templates/compiled-templates.ts';
import {
  enqueueExpansion,
  findTemplateOfJob,
  type JobDeps,
  limitsExceeded,
  nothingReserved,
  reservationOf,
  returnReservation,
} from './accept-job.ts';
import { countUploadRows, isServiceActive, type JobRow, lockJob, updateJob } from './jobs.sql.ts';
import { recordOutcomeOfJob } from './recurring/run-outcomes.ts';
import { findOpening } from './waiting-files.ts';

/** Starts a job that is due. Days may have passed since it was accepted, so a job that would be refused now is cancelled. */
export async function startJob(app: JobDeps, job: JobRow): Promise<JobRow | undefined> {
  const now = app.clock.now();
  const service = await app.sending.services.find(job.service_id);
  const decision = await decideStart(app, job, service);
  const started = await inTransaction(app.db, async (tx) => {
    const current = await lockJob(tx, job.id);
    if (!current || !isWaiting(current, now)) return current;
    const at = timestamp(now);
    if ('cancelled_because' in decision) {
      await returnReservation(app, tx, current, now);
      return updateJob(tx, job.id, {
        status: 'cancelled',
        cancelled_because: decision.cancelled_because,
        processing_finished: at,
        updated_at: at,
        ...nothingReserved,
      });
    }
    if (decision.opening && !current.ignores_sending_times) {
      await enqueueExpansion(app, tx, job.id, decision.opening);
      const wanted_at = current.wanted_at ?? current.scheduled_for ?? current.created_at;
      const waiting = { status: 'scheduled', scheduled_for: timestamp(decision.opening), wanted_at } as const;
      return updateJob(tx, job.id, { ...waiting, updated_at: at });
    }
    const starting = {
      status: 'in progress' as const,
      processing_started: at,
      updated_at: at,
      reply_to_text: decision.reply_to_text,
    };
    if (current.reserved_day !== null || job.key_type === 'test') return updateJob(tx, job.id, starting);
    const { rows, problems, abroad, parts } = await countUploadRows(tx, job.id);
    const share = {
      reserved_day: app.country.limitCalendar.day(now),
      reserved: rows - problems,
      reserved_international: abroad,
      reserved_parts: countsParts(app.country, decision.service, job.notification_type, now) ? parts : null,
    };
    const { daily_limits } = decision.service;
    const annual = annualQuotas(app.country, decision.service, job.notification_type, () => now);
    const exceeded = await reserveMessages(tx, reservationOf({ ...current, ...share }), daily_limits, annual);
    return updateJob(tx, job.id, exceeded ? limitsExceeded(now) : { ...starting, ...share });
  });
  if (started) {
    const { id, service_id, status, cancelled_because } = started;
    app.log.info(
      { event: 'job.started', job: id, service: service_id, status, cancelled_because },
      'A job was started',
    );
    await recordOutcomeOfJob(app, started);
  }
  return started;
}

/** Whether a job is due and has not started. */
export function isWaiting({ status, scheduled_for }: JobRow, now: Date): boolean {
  return status === 'pending' || (status === 'scheduled' && new Date(scheduled_for ?? now) <= now);
}

type StartDecision =
  | { cancelled_because: string }
  /** `opening` is when the first row may go out, if none may go out now. */
  | { service: SendingService; reply_to_text: string | null; opening: Date | undefined };

async function decideStart(app: JobDeps, job: JobRow, service: SendingService | undefined): Promise<StartDecision> {
  if (!service || !(await isServiceActive(app.db, job.service_id))) return { cancelled_because: 'Service is inactive' };
  const context = contextOf(app, job, service);
  try {
    refuseUnlessChannelIsAllowed(context, job.notification_type);
    const newest = await findTemplate(app, service.id, job.template_id);
    if (newest.found !== 'here' || newest.template.row.archived)
      return { cancelled_because: 'Template has been deleted' };
    if (job.notification_type === 'letter') refuseLettersInTrialMode(context);
    const sent = await findTemplateOfJob(app, job);
    if (!sent) return { cancelled_because: 'Template has been deleted' };
    const opening = await findOpening(app, job, { service, template: sent }, context.now);
    refuseUnlessFilesAreSetUp(app, service, newest.template.row.email_files.length > 0);
    return { service, reply_to_text: await replyToOf(app, context, newest.template, job), opening };
  } catch (error) {
    if (error instanceof Failure && typeof error.detail === 'string') return { cancelled_because: error.detail };
    throw error;
  }
}

/** Returns the chosen sender, otherwise that of the template version, otherwise that of the service. */
async function replyToOf(app: JobDeps, context: SendContext, template: ReadyTemplate, job: JobRow) {
  const reply_to_text = await getReplyToText(app, job.template_id, job.template_version);
  const sent = { ...template, row: { ...template.row, reply_to_text } };
  const sender_id = job.sender_id ?? undefined;
  if (job.notification_type === 'sms') return chooseSmsSender(context, sent, sender_id);
  if (job.notification_type === 'email') return chooseReplyTo(context, sent, sender_id);
  return reply_to_text;
}

/** The rights of a job are those of its key or user. */
function contextOf(app: JobDeps, job: JobRow, service: SendingService): SendContext {
  const { key_type, api_key_id, created_by_id } = job;
  return {
    service,
    dialect: service.api_dialect,
    key_type,
    api_key_id,
    created_by_id,
    now: app.clock.now(),
    root: app.config.urls.api,
    idempotency: undefined,
  };
}
