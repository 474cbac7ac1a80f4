import { jobRowIds } from '../jobs/job-row-id.ts';
import type { SendContext } from '../notifications/sending/send-context.ts';
import { hour_ms, later, timestamp } from '../platform/clock.ts';
import { inTransaction, type Tx } from '../platform/db/database.ts';
import { Loop } from '../platform/process/loop.ts';
import { createMessageCallback, type PlanDeps } from './message-callback.ts';
import { contentOf } from './message-content.ts';
import {
  leaseDueMessages,
  makeChangedMessagesDue,
  type PlanMessage,
  type StoredStep,
  updatePlanMessage,
  updateWaitingStep,
} from './plan-messages.sql.ts';
import { countOutcome } from './plan-outcomes.sql.ts';
import { countSteps, lockAndSettle, recordProgress } from './progress.ts';
import { sendStep, type Unsent } from './send-step.ts';

/** Longer than it takes to store a step. Another worker then takes the message over. */
export const lease_ms = 30_000;
const idle_ms = 500;
/** How often a step is tried whose sending times begin later than a notification can wait: they may be changed. */
const closedRetry_ms = hour_ms;
const changesAtOnce = 500;
const messagesAtOnce = 20;

/** Follows the steps of messages with a channel plan, and starts the next ones. */
export class PlanWorker {
  private readonly app: PlanDeps;
  private readonly loop: Loop;

  constructor(app: PlanDeps) {
    this.app = app;
    const step = async () => ((await this.step()) > 0 ? 0 : idle_ms);
    this.loop = new Loop({ name: 'channel plans', step, log: app.log });
  }

  start(): void {
    this.loop.start();
  }

  stop(): Promise<void> {
    return this.loop.stop();
  }

  async runOnce(): Promise<void> {
    while ((await this.step()) > 0);
  }

  /** Returns the number of messages that were due. */
  private async step(): Promise<number> {
    const { db, clock, changeListener } = this.app;
    const now = clock.now();
    await makeChangedMessagesDue(db, timestamp(now), changesAtOnce);
    const lease = { now: timestamp(now), until: timestamp(later(now, lease_ms)), limit: messagesAtOnce };
    const due = await leaseDueMessages(db, lease);
    // The request may have seen a newer template or permission than the caches of this process.
    if (due.length > 0) await changeListener.catchUp();
    await Promise.all(due.map((id) => this.tryToAdvance(id)));
    return due.length;
  }

  /** A message that fails is tried again when its lease ends, and does not delay the others. */
  private async tryToAdvance(id: string): Promise<void> {
    try {
      await advance(this.app, id);
    } catch (error) {
      if (error instanceof StepObsolete) return;
      this.app.log.error({ event: 'plan.failed', err: error, message: id }, 'A step of a channel plan could not start');
    }
  }
}

/** Another worker has started the step, it is no longer needed, or the message was cancelled. */
class StepObsolete extends Error {}

interface NextStep {
  message: PlanMessage;
  step: StoredStep;
}

/** Starts the next step. If it cannot be sent, goes on with the one after it. */
async function advance(app: PlanDeps, id: string): Promise<void> {
  for (;;) {
    const progress = await inTransaction(app.db, (tx) => recordProgress(app, tx, id, app.clock.now()));
    if (!progress) return;
    countSteps(app, progress.ended);
    if (!progress.start) return;
    const next = { message: progress.message, step: progress.start };
    const unsent = await start(app, next);
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
