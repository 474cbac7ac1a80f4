import { recordAuditEntry } from '../auth/audit-entry.ts';
import { isFile } from '../documents/file-requests.ts';
import { isSentFile } from '../documents/sent-files.ts';
import { countRefusal } from '../notifications/limits/annual-limits.ts';
import type { Admission } from '../notifications/sending/admission.ts';
import {
  claimIdempotencyKey,
  digestOfRequest,
  findStoredResponse,
  replay,
  type Sent,
} from '../notifications/sending/idempotency.ts';
import type { SendContext, SendDeps } from '../notifications/sending/send-context.ts';
import { getSendableTemplate, type Values } from '../notifications/sending/send-rules.ts';
import { type Timestamp, timestamp } from '../platform/clock.ts';
import { currentActor } from '../platform/db/actor.ts';
import { type Db, inTransaction, type Tx } from '../platform/db/database.ts';
import { conflict, invalid, notFound } from '../platform/failure.ts';
import { newId } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import type { Channel } from '../protocol/channels.ts';
import { describeMissing } from '../rendering/placeholders.ts';
import { languageAmong, languagesInUse } from '../templates/languages/languages.ts';
import { type ChannelPlan, type PlanStep, selectPlan, selectPlanNamed } from './channel-plans.sql.ts';
import { createMessageCallback, type PlanDeps } from './message-callback.ts';
import {
  addressOf,
  encryptContent,
  type MessageContent,
  type PlanRecipient,
  readableContentOf,
} from './message-content.ts';
import { tagsOfRecipient } from './message-recipients.ts';
import {
  cancelStepsOfOpenMessages,
  insertPlanMessage,
  type MessageFilter,
  type MessageReader,
  type PlanMessage,
  type StoredStep,
  selectPlanMessage,
  selectPlanMessages,
  selectStepsOf,
  updatePlanMessage,
  updateStep,
} from './plan-messages.sql.ts';
import { countOutcome, selectLateness, sumByStatus } from './plan-outcomes.sql.ts';
import { decisiveStep, messageStatuses } from './plan-rules.ts';
import { countSteps, endedSteps, recordProgress } from './progress.ts';
import { findReachedLimit, sendStep, type Unsent } from './send-step.ts';
import { withdrawSteps } from './withdraw-steps.ts';

export { hasOpenMessages } from './plan-messages.sql.ts';

export interface PlanSend {
  plan: { id: string } | { name: string };
  recipient: PlanRecipient;
  personalisation: Values;
  reference: string | null;
  scheduled_for: Timestamp | null;
}

export interface PlanMessageRecord extends Omit<PlanMessage, 'encrypted_content'> {
  steps: StoredStep[];
}

/** Accepts a message, only once per Idempotency-Key. Its first step starts within a second, or when it is due. */
export async function sendByPlan(
  app: SendDeps,
  { context, idempotencyKey: key, stored }: Admission,
  body: unknown,
  send: PlanSend,
): Promise<Sent<PlanMessageRecord>> {
  if (key === undefined) return { response: await accept(app, context, send), replayed: false };
  const service_id = context.service.id;
  const claim = { key, request_digest: digestOfRequest('message', body) };
  if (stored) return replay(stored, claim.request_digest);
  return app.sending.running.alone(service_id, key, async () => {
    const response = await accept(app, context, send, async (tx, response) => {
      const isFirst = await claimIdempotencyKey(tx, service_id, { ...claim, response }, context.now);
      if (!isFirst) throw new KeyTaken();
    }).catch((error: unknown) => {
      if (error instanceof KeyTaken) return undefined;
      throw error;
    });
    if (response) return { response, replayed: false };
    const first = await findStoredResponse(app, service_id, key);
    if (!first) throw conflict('A request with this Idempotency-Key is still being processed');
    return replay<PlanMessageRecord>(first, claim.request_digest);
  });
}

/** Another process has just accepted a request with the same key. */
class KeyTaken extends Error {}

async function accept(
  app: SendDeps,
  context: SendContext,
  send: PlanSend,
  claim?: (tx: Tx, response: PlanMessageRecord) => Promise<void>,
): Promise<PlanMessageRecord> {
  const { service, key_type, api_key_id, now } = context;
  const { recipient, reference, scheduled_for } = send;
  const plan = await getUsablePlan(app.db, service.id, send.plan);
  const { versions, personalisation } = await checkTemplates(app, context, plan.steps, send);
  await refuseUnlessPossible(app, context, plan.steps, { ...send, personalisation });
  const id = newId(now);
  const created_at = timestamp(now);
  const message = {
    ...{ id, service_id: service.id, plan_id: plan.id, plan_version: plan.version, key_type, api_key_id, reference },
    ...{ status: 'created' as const, how: null, scheduled_for, created_at, completed_at: null },
    encrypted_content: encryptContent(app, id, { recipient, personalisation }),
  };
  const steps = plan.steps.map((step, index): StoredStep => {
    const position = { message_id: id, number: index + 1, template_version: versions[index] ?? 1 };
    const nothingYet = { reason: null, notification_id: null, started_at: null, handed_over_at: null, ended_at: null };
    return { ...step, ...position, ...nothingYet, state: 'waiting' };
  });
  const { encrypted_content: _, ...shown } = message;
  const response = { ...shown, steps };
  await inTransaction(app.db, async (tx) => {
    await claim?.(tx, response);
    const recipient_tags = tagsOfRecipient(app, recipient);
    await insertPlanMessage(tx, { ...message, recipient_tags, due_at: scheduled_for ?? created_at }, steps);
    await countOutcome(tx, message, { after: { status: message.status, steps } });
  });
  return response;
}

async function getUsablePlan(db: Db, serviceId: string, which: PlanSend['plan']): Promise<ChannelPlan> {
  const plan = await ('id' in which ? selectPlan(db, serviceId, which.id) : selectPlanNamed(db, serviceId, which.name));
  if (!plan) throw invalid('Plan not found', { reason: 'plan_not_found' });
  if (plan.archived) throw invalid('Plan has been deleted', { reason: 'plan_deleted' });
  return plan;
}

/** Refuses a message that lacks a value for one of its templates. Returns the versions of the templates and the values that they use. */
async function checkTemplates(
  app: SendDeps,
  context: SendContext,
  steps: PlanStep[],
  { recipient, personalisation }: PlanSend,
): Promise<{ versions: number[]; personalisation: Values }> {
  if (Object.values(personalisation).some((value) => isFile(value) || isSentFile(value))) {
    throw invalid('Cannot send a file in a message with a plan');
  }
  const templates = await Promise.all(
    steps.map(({ template_id, channel }) =>
      getSendableTemplate(app, context, { template_id, personalisation }, channel),
    ),
  );
  const missing = templates.flatMap(({ row, compiled }) => {
    const files = Object.fromEntries(row.email_files.map(({ filename }) => [filename, filename]));
    const address = compiled.template_type === 'letter' ? addressOf(recipient) : {};
    return compiled.missing({ ...personalisation, ...address, ...files });
  });
  if (missing.length > 0) throw invalid(describeMissing([...new Set(missing)]), { reason: 'missing_values' });
  const used = templates.map(({ row, compiled }) => {
    const languages = languagesInUse(row);
    const language = languages && languageAmong(languages, personalisation);
    return { ...(languages?.field && language && { [languages.field]: language }), ...compiled.used(personalisation) };
  });
  return { versions: templates.map(({ row }) => row.version), personalisation: Object.assign({}, ...used) };
}

const isLimit = ({ reason }: Unsent) => reason === 'limit';

/**
 * Refuses a message of which no step could be sent, or only beyond the limits of its day. If only some steps cannot, they are skipped or
 * fail in their turn.
 */
async function refuseUnlessPossible(
  app: SendDeps,
  context: SendContext,
  steps: PlanStep[],
  { recipient, personalisation, reference, scheduled_for }: PlanSend,
): Promise<void> {
  const checked = { ...context, only_check: true as const };
  const day = (at: Date) => app.country.limitCalendar.day(at);
  const startsToday = scheduled_for === null || day(new Date(scheduled_for)) === day(context.now);
  const refused: (Unsent & { channel: Channel })[] = [];
  let isPossible = false;
  for (const { channel, template_id, only_if_missing } of steps) {
    const step = { channel, template_id, reference };
    const unsent =
      (await sendStep(app, checked, step, { recipient, personalisation })) ??
      (startsToday ? await findReachedLimit(app, context, channel) : undefined);
    if (unsent?.reason === 'template' && unsent.failure) throw unsent.failure;
    const isTriedLater = unsent?.state === 'waiting' || (unsent?.reason === 'limit' && !startsToday);
    if (unsent && !isTriedLater) refused.push({ ...unsent, channel });
    // A step beyond a limit fails, so one that replaces missing steps is not used.
    else isPossible ||= !(only_if_missing && refused.some(isLimit));
  }
  if (isPossible) return;
  const limit = refused.find(isLimit);
  if (limit?.failure) {
    countRefusal(app, limit.failure.reason === 'annual_limit' ? 'year' : 'day', limit.channel);
    throw limit.failure;
  }
  const found = refused.find(({ reason, failure }) => failure && reason !== 'invalid');
  if (found?.failure) throw found.failure;
  throw invalid('recipient has no email address, phone number or address that this plan can use', {
    reason: 'unusable_recipient',
  });
}

export async function getPlanMessage(db: Db | Tx, reader: MessageReader, id: string): Promise<PlanMessageRecord> {
  const message = await selectPlanMessage(db, reader, id);
  if (!message) throw notFound();
  return { ...message, steps: await selectStepsOf(db, [message.id]) };
}

/** The recipient and the values of a message. Undefined if they were erased or cannot be decrypted. */
export async function findMessageContent(
  app: Platform,
  serviceId: string,
  id: string,
): Promise<MessageContent | undefined> {
  const message = await selectPlanMessage(app.db, { service_id: serviceId }, id);
  return message && readableContentOf(app, message);
}

const pageSize = 250;

/** Newest first. */
export async function listPlanMessages(
  db: Db,
  serviceId: string,
  filter: MessageFilter,
  size = pageSize,
): Promise<{ messages: PlanMessageRecord[]; hasOlder: boolean }> {
  const found = await selectPlanMessages(db, serviceId, filter, size + 1);
  const page = found.slice(0, size);
  const steps =
    page.length === 0
      ? []
      : await selectStepsOf(
          db,
          page.map(({ id }) => id),
        );
  const messages = page.map((message) => ({
    ...message,
    steps: steps.filter(({ message_id }) => message_id === message.id),
  }));
  return { messages, hasOlder: found.length > page.length };
}

/** No further step starts. Withdraws what no provider can have, and a letter until it is printed. */
export async function cancelPlanMessage(app: PlanDeps, reader: MessageReader, id: string): Promise<PlanMessageRecord> {
  const now = app.clock.now();
  const { record, ended } = await inTransaction(app.db, async (tx) => {
    const found = await selectPlanMessage(tx, reader, id);
    // A delivery may be stored that no worker has read yet.
    const progress = found && (await recordProgress(app, tx, found.id, now));
    if (!progress) throw notFound();
    const { message, steps: stepsBefore } = progress;
    if (message.status === 'delivered' || message.status === 'failed') {
      throw invalid('This message has ended, so it cannot be cancelled');
    }
    const at = timestamp(now);
    const steps = await cancelWaitingSteps(tx, stepsBefore, at);
    const withdraw = steps.filter(({ state }) => state === 'sent');
    const after = await withdrawSteps(app, tx, { steps, withdraw, now });
    const ended = [...progress.ended, ...endedSteps(stepsBefore, after)];
    const change = { status: 'cancelled', completed_at: message.completed_at ?? at } as const;
    const cancelled = { ...message, ...change };
    const { encrypted_content: _, ...shown } = cancelled;
    const result = { record: { ...shown, steps: after }, ended };
    if (message.status === 'cancelled') return result;
    await updatePlanMessage(tx, message.id, { ...change, due_at: null });
    await countOutcome(tx, message, {
      before: { status: message.status, steps: stepsBefore },
      after: { status: change.status, steps: after },
    });
    // The audit log has no requests of API keys.
    if (currentActor() !== undefined) {
      const entry = {
        action: 'update',
        noun: 'plan_message',
        thing_id: message.id,
        service_id: message.service_id,
      } as const;
      await recordAuditEntry(tx, { ...entry, before: { status: message.status }, after: { status: change.status } });
    }
    await createMessageCallback(app, tx, { message: cancelled, step: decisiveStep(after), now });
    return result;
  });
  countSteps(app, ended);
  return record;
}

async function cancelWaitingSteps(tx: Tx, steps: readonly StoredStep[], at: Timestamp): Promise<StoredStep[]> {
  const change = { state: 'cancelled', reason: 'cancelled', ended_at: at } as const;
  const after: StoredStep[] = [];
  for (const step of steps) {
    if (step.state === 'waiting') await updateStep(tx, step, change);
    after.push(step.state === 'waiting' ? { ...step, ...change } : step);
  }
  return after;
}

/**
 * Open messages, of one API key or of all, start no further step, for example because another installation may have done so. Workers end
 * them with their last step. Returns how many there are.
 */
export function stopPlanMessages(db: Db | Tx, now: Date, key?: { id: string; service_id: string }): Promise<number> {
  return cancelStepsOfOpenMessages(db, timestamp(now), key);
}

/** The same by a person who revokes the key, recorded in the audit log. */
export async function stopMessagesOfKey(tx: Tx, now: Date, key: { id: string; service_id: string }): Promise<void> {
  const stopped_messages = await stopPlanMessages(tx, now, key);
  if (stopped_messages === 0) return;
  const entry = { action: 'update', noun: 'api_key', thing_id: key.id, service_id: key.service_id } as const;
  await recordAuditEntry(tx, { ...entry, after: { stopped_messages } });
}

/** Read at each scrape. */
export function measurePlans({ metrics, db, clock }: Platform): void {
  metrics.gauges('plan_messages', 'Messages with a channel plan in total, by status', ['status'], async () => {
    const sums = new Map((await sumByStatus(db)).map(({ status, messages }) => [status, messages]));
    return messageStatuses.map((status) => ({ labels: { status }, value: sums.get(status) ?? 0 }));
  });
  metrics.gauge('plan_oldest_due_seconds', 'How long the next step of a channel plan has been due', () =>
    selectLateness(db, timestamp(clock.now())),
  );
}
