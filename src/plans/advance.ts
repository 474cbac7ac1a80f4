import { jobRowIds } from '../jobs/job-row-id.ts';
import type { SendContext } from '../notifications/sending/send-context.ts';
import { hour_ms, later, minute_ms, type Timestamp, timestamp } from '../platform/clock.ts';
import { inTransaction, type Tx } from '../platform/db/database.ts';
import { nilId } from '../platform/id.ts';
import { Loop } from '../platform/process/loop.ts';
import { createMessageCallback, type PlanDeps } from './message-callback.ts';
import { contentOf, UnreadableContent } from './message-content.ts';
import {
  type LeasedMessage,
  leaseDueMessages,
  makeChangedMessagesDue,
  selectDueServices,
} from './plan-leases.shared.sql.ts';
import { type PlanMessage, type StoredStep, updatePlanMessage, updateWaitingStep } from './plan-messages.sql.ts';
import { countOutcome } from './plan-outcomes.sql.ts';
import { countSteps, lockAndSettle, recordProgress } from './progress.ts';
import { sendStep, type Unsent } from './send-step.ts';

const idle_ms = 500;
/** How often a step is tried whose sending times begin later than a notification can wait: they may be changed. */
const closedRetry_ms = hour_ms;
const changesAtOnce = 500;
/** Messages in progress per process and per service: one whose rows are locked uses up only its own share. */
const maxConcurrency = 20;
const perServiceConcurrency = 5;
/** With the doubled leases, about a day: a missing key may be added until then. */
const maxAttemptsToRead = 150;
const logEvery_ms = minute_ms;

/** Follows the steps of messages with a channel plan, and starts the next ones. Services take turns. */
export class PlanWorker {
  private readonly app: PlanDeps;
  private readonly loop: Loop;
  private readonly inProgress = new Map<string, number>();
  private readonly advancing = new Set<Promise<void>>();
  /** The service that was served last: the next turn is that of the one after it. */
  private lastServed = nilId;
  private readonly logged = new Map<string, number>();

  constructor(app: PlanDeps) {
    this.app = app;
    const step = async () => ((await this.step()) > 0 ? 0 : idle_ms);
    this.loop = new Loop({ name: 'channel plans', step, log: app.log });
  }

  start(): void {
    this.loop.start();
  }

  async stop(): Promise<void> {
    await this.loop.stop();
    await Promise.all(this.advancing);
  }

  async runOnce(): Promise<void> {
    while ((await this.step()) > 0) await Promise.all(this.advancing);
  }

  /** Returns the number of messages that it took. */
  private async step(): Promise<number> {
    const { db, clock, changeListener } = this.app;
    const now = timestamp(clock.now());
    await makeChangedMessagesDue(db, now, changesAtOnce);
    const wanted = await this.nextServices(now);
    if (wanted.length === 0) return 0;
    const due = await leaseDueMessages(db, wanted, now);
    // The request may have seen a newer template or permission than the caches of this process.
    if (due.length > 0) await changeListener.catchUp();
    for (const message of due) this.follow(message);
    return due.length;
  }

  /** Shares the free places among the next services with due messages. */
  private async nextServices(now: Timestamp): Promise<{ service_id: string; max: number }[]> {
    const free = maxConcurrency - this.advancing.size;
    if (free === 0) return [];
    const except = [...this.inProgress].flatMap(([id, count]) => (count < perServiceConcurrency ? [] : [id]));
    const { db } = this.app;
    const after = this.lastServed;
    const services = await selectDueServices(db, { after, except, now, max: free });
    if (services.length < free && after !== nilId) {
      const max = free - services.length;
      services.push(...(await selectDueServices(db, { after: nilId, last: after, except, now, max })));
    }
    this.lastServed = services.at(-1) ?? after;
    const each = Math.floor(free / Math.max(1, services.length));
    return services.map((service_id) => ({
      service_id,
      max: Math.min(each, perServiceConcurrency - (this.inProgress.get(service_id) ?? 0)),
    }));
  }

  private follow(message: LeasedMessage): void {
    const { service_id } = message;
    this.inProgress.set(service_id, (this.inProgress.get(service_id) ?? 0) + 1);
    const advancing = this.tryToAdvance(message).finally(() => {
      this.advancing.delete(advancing);
      const left = (this.inProgress.get(service_id) ?? 1) - 1;
      if (left > 0) this.inProgress.set(service_id, left);
      else this.inProgress.delete(service_id);
      this.loop.wake();
    });
    this.advancing.add(advancing);
  }

  /** A message that fails is tried again when its lease ends, and does not delay the others. */
  private async tryToAdvance(message: LeasedMessage): Promise<void> {
    try {
      await advance(this.app, message);
    } catch (error) {
      if (!(error instanceof StepObsolete)) this.logFailure(error, message);
    }
  }

  /** Once a minute for each cause, because thousands of messages may fail for the same one. */
  private logFailure(error: unknown, { id, service_id, attempts }: LeasedMessage): void {
    const now = performance.now();
    for (const [cause, at] of this.logged) if (now - at >= logEvery_ms) this.logged.delete(cause);
    const cause = String(error);
    if (this.logged.has(cause)) return;
    this.logged.set(cause, now);
    const fields = { event: 'plan.failed', err: error, message: id, service_id, attempts };
    this.app.log.error(fields, 'A step of a channel plan could not start; others may fail for the same reason');
  }
}

/** Another worker has started the step, it is no longer needed, or the message was cancelled. */
class StepObsolete extends Error {}

interface NextStep {
  message: PlanMessage;
  step: StoredStep;
}

/** Starts the next step. If it cannot be sent, goes on with the one after it. */
async function advance(app: PlanDeps, { id, attempts }: LeasedMessage): Promise<void> {
  for (;;) {
    const progress = await inTransaction(app.db, (tx) => recordProgress(app, tx, id, app.clock.now()));
    if (!progress) return;
    countSteps(app, progress.ended);
    if (!progress.start) return;
    const next = { message: progress.message, step: progress.start };
    const unsent = await start(app, next).catch((error: unknown) => {
      if (!(error instanceof UnreadableContent) || attempts < maxAttemptsToRead) throw error;
      return { state: 'failed', reason: 'unreadable' } as const;
    });
    if (!unsent) return;
    if (unsent.state === 'waiting') return inTransaction(app.db, (tx) => postpone(tx, next, unsent, app.clock.now()));
    await inTransaction(app.db, (tx) => recordUnsent(tx, next, unsent, app.clock.now()));
    countSteps(app, [{ channel: next.step.channel, state: unsent.state }]);
  }
}

/** Locks a message whose step may still start: nobody has started it, and no earlier step was delivered. */
async function lockToStart(tx: Tx, { message, step }: NextStep, now: Date): Promise<PlanMessage> {
  const locked = await lockAndSettle(tx, message.id, now);
  if (locked?.settled.start?.number !== step.number) throw new StepObsolete();
  return locked.message;
}

/**
 * Starts a step: its notification, its place in the queue, its share of the limits and the progress of the message are one
 * transaction. Only a waiting step can start, so none starts twice.
 */
async function start(app: PlanDeps, { message, step }: NextStep): Promise<Unsent | undefined> {
  const service = await app.sending.services.find(message.service_id);
  const content = contentOf(app, message);
  if (!service || !content) return { state: 'skipped', reason: service ? 'erased' : 'not-allowed' };
  const now = app.clock.now();
  const notification_id = jobRowIds(message.id, now)(step.number);
  const context: SendContext = {
    ...{ service, dialect: service.api_dialect, key_type: message.key_type, api_key_id: message.api_key_id },
    ...{ created_by_id: null, now, root: app.config.urls.api, idempotency: undefined },
    step: {
      notification_id,
      record: async (tx) => {
        const before = await lockToStart(tx, { message, step }, now);
        const started = { state: 'sent', reason: null, notification_id, started_at: timestamp(now) } as const;
        if (!(await updateWaitingStep(tx, step, started))) throw new StepObsolete();
        const progress = { status: 'in-progress', completed_at: null } as const;
        await updatePlanMessage(tx, message.id, { ...progress, due_at: null });
        const after = { ...before, ...progress };
        await countOutcome(tx, message, {
          before: { status: before.status, steps: [] },
          after: { status: after.status, steps: [] },
        });
        await createMessageCallback(app, tx, { message: after, step: { ...step, ...started }, now });
      },
    },
  };
  return sendStep(app, context, { ...step, reference: message.reference }, content);
}

async function recordUnsent(tx: Tx, next: NextStep, { state, reason }: Unsent, now: Date): Promise<void> {
  await lockToStart(tx, next, now);
  if (!(await updateWaitingStep(tx, next.step, { state, reason, ended_at: timestamp(now) }))) throw new StepObsolete();
}

async function postpone(tx: Tx, next: NextStep, { reason }: Unsent, now: Date): Promise<void> {
  const { message, step } = next;
  await lockToStart(tx, next, now);
  if (!(await updateWaitingStep(tx, step, { reason }))) throw new StepObsolete();
  await updatePlanMessage(tx, message.id, { due_at: timestamp(later(now, closedRetry_ms)) });
}
