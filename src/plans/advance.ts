import { jobRowIds } from '../jobs/job-row-id.ts';
import { selectStepNotifications } from '../notifications/plan-steps.shared.sql.ts';
import type { SendContext } from '../notifications/sending/send-context.ts';
import { hour_ms, later, timestamp } from '../platform/clock.ts';
import { inTransaction, type Tx } from '../platform/db/database.ts';
import type { Platform } from '../platform/platform.ts';
import { Loop } from '../platform/process/loop.ts';
import type { Channel } from '../protocol/channels.ts';
import { announceMessage, type PlanDeps, tellingStep } from './announce-message.ts';
import { contentOf } from './message-content.ts';
import {
  leaseDueMessages,
  lockPlanMessage,
  type PlanMessage,
  type StoredStep,
  selectStepsOf,
  updatePlanMessage,
  updateStep,
  updateWaitingStep,
  wakeChangedMessages,
} from './plan-messages.sql.ts';
import { countOutcome } from './plan-outcomes.sql.ts';
import { type StepState, settle } from './plan-rules.ts';
import { sendStep, type Unsent } from './send-step.ts';
import { withdrawSteps } from './withdraw-steps.ts';

/** Longer than a step takes to be stored. A worker that takes over a message finds out what was done. */
const lease_ms = 30_000;
const idle_ms = 500;
/** While the sending times of a step are closed for longer than a notification can wait: they may change meanwhile. */
const closed_ms = hour_ms;
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
    const { db, clock } = this.app;
    const now = clock.now();
    await wakeChangedMessages(db, timestamp(now), changesAtOnce);
    const lease = { now: timestamp(now), until: timestamp(later(now, lease_ms)), limit: messagesAtOnce };
    const due = await leaseDueMessages(db, lease);
    await Promise.all(due.map((id) => this.tryToAdvance(id)));
    return due.length;
  }

  /** One that cannot be advanced now is tried again when its lease ends, and keeps no other waiting. */
  private async tryToAdvance(id: string): Promise<void> {
    try {
      await advance(this.app, id);
    } catch (error) {
      if (error instanceof StepTaken) return;
      this.app.log.error({ event: 'plan.failed', err: error, message: id }, 'A step of a channel plan could not start');
    }
  }
}

/** Another worker has started the step, it is not needed any more, or the message was cancelled meanwhile. */
class StepTaken extends Error {}

interface NextStep {
  message: PlanMessage;
  step: StoredStep;
}

async function advance(app: PlanDeps, id: string): Promise<void> {
  for (;;) {
    const next = await inTransaction(app.db, (tx) => follow(app, tx, id));
    if (!next) return;
    const unsent = await start(app, next);
    if (!unsent) return;
    if (unsent.state === 'waiting') return inTransaction(app.db, (tx) => postpone(tx, next, unsent, app.clock.now()));
    await inTransaction(app.db, (tx) => passOver(tx, next, unsent, app.clock.now()));
    countStep(app, next.step.channel, unsent.state);
  }
}

interface Heard {
  message: PlanMessage;
  steps: StoredStep[];
  settled: ReturnType<typeof settle<StoredStep>>;
}

/** Locks a message, and reads what has become of its steps: what is recorded of them later wakes it once it is unlocked. */
async function lockAndHear(tx: Tx, id: string, now: Date): Promise<Heard | undefined> {
  const message = await lockPlanMessage(tx, id);
  if (!message) return undefined;
  const steps = await selectStepsOf(tx, [id]);
  const ids = steps.flatMap(({ notification_id }) => notification_id ?? []);
  const byId = new Map((await selectStepNotifications(tx, ids)).map((fact) => [fact.id, fact]));
  const facts = new Map(
    steps.flatMap(({ number, notification_id }) => {
      const fact = byId.get(notification_id ?? '');
      return fact ? [[number, fact] as const] : [];
    }),
  );
  return { message, steps, settled: settle({ ...message, steps }, facts, now) };
}

/** Locks a message whose step may still start: nobody has started it, and no earlier one was delivered meanwhile. */
async function lockToStart(tx: Tx, { message, step }: NextStep, now: Date): Promise<PlanMessage> {
  const heard = await lockAndHear(tx, message.id, now);
  if (heard?.settled.start?.number !== step.number) throw new StepTaken();
  return heard.message;
}

/** Records what has become of the steps, and returns the one to start. */
async function follow(app: PlanDeps, tx: Tx, id: string): Promise<NextStep | undefined> {
  const now = app.clock.now();
  const heard = await lockAndHear(tx, id, now);
  if (!heard) return undefined;
  const { message, steps, settled } = heard;
  for (const [index, step] of settled.steps.entries()) {
    const before = steps[index];
    if (step === before) continue;
    if (step.state !== before?.state && step.state !== 'waiting') countStep(app, step.channel, step.state);
    const { state, reason, handed_over_at, ended_at } = step;
    await updateStep(tx, step, { state, reason, handed_over_at, ended_at });
  }
  await withdrawSteps(app, tx, settled.withdraw, now);
  const isOpen = settled.status === 'created' || settled.status === 'in-progress';
  const change = {
    ...{ status: settled.status, how: settled.how },
    completed_at: isOpen ? null : (message.completed_at ?? timestamp(now)),
  };
  // Until a step has started, the lease says when another worker tries it.
  await updatePlanMessage(tx, id, { ...change, ...(settled.start ? {} : { due_at: settled.deadline }) });
  if (change.status !== message.status) {
    const after = { status: change.status, steps: settled.steps };
    await countOutcome(tx, message, { before: { status: message.status, steps }, after });
    await announceMessage(app, tx, { message: { ...message, ...change }, step: tellingStep(settled.steps), now });
  }
  return settled.start && { message, step: settled.start };
}

/**
 * Starts a step: its notification, its place in the queue, its share of the limits and the progress of the message are one
 * transaction. Nobody starts it twice, because only a step that waits can start.
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
        const { status } = await lockToStart(tx, { message, step }, now);
        const started = { state: 'sent', reason: null, notification_id, started_at: timestamp(now) } as const;
        if (!(await updateWaitingStep(tx, step, started))) throw new StepTaken();
        const progress = { status: 'in-progress', completed_at: null } as const;
        await updatePlanMessage(tx, message.id, { ...progress, due_at: null });
        const [before, after] = [
          { status, steps: [] },
          { status: progress.status, steps: [] },
        ];
        await countOutcome(tx, message, { before, after });
        await announceMessage(app, tx, { message: { ...message, ...progress }, step: { ...step, ...started }, now });
      },
    },
  };
  return sendStep(app, context, { ...step, reference: message.reference }, content);
}

async function passOver(tx: Tx, next: NextStep, { state, reason }: Unsent, now: Date): Promise<void> {
  const { step } = next;
  await lockToStart(tx, next, now);
  if (!(await updateWaitingStep(tx, step, { state, reason, ended_at: timestamp(now) }))) throw new StepTaken();
}

async function postpone(tx: Tx, next: NextStep, { reason }: Unsent, now: Date): Promise<void> {
  const { message, step } = next;
  await lockToStart(tx, next, now);
  if (!(await updateWaitingStep(tx, step, { reason }))) throw new StepTaken();
  await updatePlanMessage(tx, message.id, { due_at: timestamp(later(now, closed_ms)) });
}

function countStep({ metrics }: Platform, channel: Channel, outcome: StepState): void {
  metrics
    .counter('plan_steps_total', 'Steps of channel plans that ended, by how', ['channel', 'outcome'])
    .inc({ channel, outcome });
}
