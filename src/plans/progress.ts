import { selectStepNotifications } from '../notifications/plan-steps.shared.sql.ts';
import { timestamp } from '../platform/clock.ts';
import type { Tx } from '../platform/db/database.ts';
import type { Platform } from '../platform/platform.ts';
import type { Channel } from '../protocol/channels.ts';
import { createMessageCallback, type PlanDeps } from './message-callback.ts';
import {
  lockPlanMessage,
  type PlanMessage,
  type StoredStep,
  selectStepsOf,
  updatePlanMessage,
  updateStep,
} from './plan-messages.sql.ts';
import { countOutcome } from './plan-outcomes.sql.ts';
import { decisiveStep, isOpen, type Settled, type StepState, settle } from './plan-rules.ts';
import { withdrawSteps } from './withdraw-steps.ts';

interface LockedMessage {
  message: PlanMessage;
  steps: StoredStep[];
  settled: Settled<StoredStep>;
}

/** Locks a message and settles it. A change of its notifications that is stored later makes it due again once it is unlocked. */
export async function lockAndSettle(tx: Tx, id: string, now: Date): Promise<LockedMessage | undefined> {
  const message = await lockPlanMessage(tx, id);
  if (!message) return undefined;
  const steps = await selectStepsOf(tx, [id]);
  const ids = steps.flatMap(({ notification_id }) => notification_id ?? []);
  const byId = new Map((await selectStepNotifications(tx, ids)).map((notification) => [notification.id, notification]));
  const notifications = new Map(
    steps.flatMap(({ number, notification_id }) => {
      const notification = byId.get(notification_id ?? '');
      return notification ? [[number, notification] as const] : [];
    }),
  );
  return { message, steps, settled: settle({ ...message, steps }, notifications, now) };
}

interface RecordedProgress {
  message: PlanMessage;
  steps: StoredStep[];
  /** The step to start now. */
  start: StoredStep | undefined;
  /** To be counted once the transaction is committed. */
  ended: EndedStep[];
}

/** Locks a message and records what has become of its steps. */
export async function recordProgress(
  app: PlanDeps,
  tx: Tx,
  id: string,
  now: Date,
): Promise<RecordedProgress | undefined> {
  const locked = await lockAndSettle(tx, id, now);
  if (!locked) return undefined;
  const { message: before, steps: stepsBefore, settled } = locked;
  for (const [index, step] of settled.steps.entries()) {
    if (step === stepsBefore[index]) continue;
    const { state, reason, handed_over_at, ended_at } = step;
    await updateStep(tx, step, { state, reason, handed_over_at, ended_at });
  }
  const steps = await withdrawSteps(app, tx, { steps: settled.steps, withdraw: settled.withdraw, now });
  const { status, how } = settled;
  const completed_at = isOpen(status) ? null : (before.completed_at ?? timestamp(now));
  const message = { ...before, status, how, completed_at };
  // Until the step has started, `due_at` says how late it is, and the lease when another worker tries it.
  const due = settled.start ? {} : { due_at: settled.deadline };
  await updatePlanMessage(tx, id, { status, how, completed_at, ...due });
  await countOutcome(tx, message, { before: { status: before.status, steps: stepsBefore }, after: { status, steps } });
  if (status !== before.status) await createMessageCallback(app, tx, { message, step: decisiveStep(steps), now });
  return { message, steps, start: settled.start, ended: endedSteps(stepsBefore, steps) };
}

interface EndedStep {
  channel: Channel;
  state: StepState;
}

export function endedSteps(before: readonly StoredStep[], after: readonly StoredStep[]): EndedStep[] {
  return after.filter(({ state }, index) => state !== 'waiting' && state !== 'sent' && state !== before[index]?.state);
}

export function countSteps({ metrics }: Platform, ended: readonly EndedStep[]): void {
  const counter = metrics.counter('plan_steps_total', 'Steps of channel plans that have ended, by outcome', [
    'channel',
    'outcome',
  ]);
  for (const { channel, state } of ended) counter.inc({ channel, outcome: state });
}
