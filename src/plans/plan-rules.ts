import type { Status } from '../notifications/notification.ts';
import { hour_ms, later, type Timestamp, timestamp } from '../platform/clock.ts';
import type { Channel } from '../protocol/channels.ts';

/** The state machine of a message with a channel plan. Reads no clock and no database. */

export const stepStates = ['waiting', 'skipped', 'sent', 'delivered', 'failed', 'expired', 'cancelled'] as const;
export type StepState = (typeof stepStates)[number];

export const messageStatuses = ['created', 'in-progress', 'delivered', 'failed', 'cancelled'] as const;
export type MessageStatus = (typeof messageStatuses)[number];

export interface Step {
  number: number;
  channel: Channel;
  wait_h: number | null;
  only_if_missing: boolean;
  state: StepState;
  reason: string | null;
  notification_id: string | null;
  handed_over_at: Timestamp | null;
  ended_at: Timestamp | null;
}

export interface Progress<S extends Step> {
  status: MessageStatus;
  how: Channel | null;
  steps: readonly S[];
}

/** The current state of a step's notification. */
export interface StepNotification {
  status: Status;
  sent_at: Timestamp | null;
  updated_at: Timestamp | null;
}

export interface Settled<S extends Step> extends Progress<S> {
  /** The step to start now. */
  start: S | undefined;
  /** When the current step expires. */
  deadline: Timestamp | null;
  /** Steps that are no longer needed and may not have been handed over. */
  withdraw: S[];
}

export const isOpen = (status: MessageStatus): boolean => status === 'created' || status === 'in-progress';

/** The reason of a step that was cancelled because another one reached the recipient. */
const notNeeded = 'not-needed';

/**
 * The first delivered step ends a message. The next step follows one that fails or expires; a late delivery cancels the steps after it. The
 * same notifications always lead to the same result, in whatever order their changes are read.
 */
export function settle<S extends Step>(
  before: Progress<S>,
  notifications: ReadonlyMap<number, StepNotification>,
  now: Date,
): Settled<S> {
  const at = timestamp(now);
  const steps = before.steps.map((step) => withNotification(step, notifications.get(step.number), at));
  const rest = { start: undefined, deadline: null, withdraw: [] };
  if (before.status === 'cancelled') return { ...rest, status: 'cancelled', how: null, steps };
  const delivered = deliveredStep(steps);
  if (delivered) return { ...rest, ...endWith(delivered, steps, at) };
  return proceed(before.status === 'delivered' ? steps.map(reopen) : steps, at);
}

/** The step that reached the recipient first. */
export function deliveredStep<S extends Pick<Step, 'state' | 'ended_at'>>(steps: readonly S[]): S | undefined {
  const isBefore = (a: S, b: S) => (a.ended_at ?? '') < (b.ended_at ?? '');
  const delivered = steps.filter(({ state }) => state === 'delivered');
  return delivered.reduce<S | undefined>((first, step) => (!first || isBefore(step, first) ? step : first), undefined);
}

/** The step that callbacks describe: the one that reached the recipient, or the last one that was tried. */
export function decisiveStep<S extends Step>(steps: readonly S[]): S | undefined {
  const isTried = ({ state, notification_id }: S) => notification_id !== null || state === 'failed';
  return deliveredStep(steps) ?? steps.findLast(isTried);
}

/** Expires and skips steps until one of them is waited for or is to start. */
function proceed<S extends Step>(steps: S[], at: Timestamp): Settled<S> {
  const open = { how: null, start: undefined, deadline: null, withdraw: [] };
  const current = steps.findLast(({ state }) => state === 'sent');
  if (current) {
    const deadline = deadlineOf(current);
    if (deadline === null || deadline > at) return { ...open, status: 'in-progress', steps, deadline };
    return proceed(replace(steps, { ...current, state: 'expired', ended_at: at }), at);
  }
  const next = steps.find(({ state }) => state === 'waiting');
  if (!next) {
    const isCancelled = steps.findLast(({ state }) => state !== 'skipped')?.state === 'cancelled';
    return { ...open, status: isCancelled ? 'cancelled' : 'failed', steps };
  }
  const allSkipped = steps.every(({ number, state }) => number >= next.number || state === 'skipped');
  if (next.only_if_missing && !allSkipped) {
    return proceed(replace(steps, { ...next, state: 'skipped', reason: notNeeded, ended_at: at }), at);
  }
  const hasStarted = steps.some(({ notification_id }) => notification_id !== null);
  return { ...open, status: hasStarted ? 'in-progress' : 'created', steps, start: next };
}

function replace<S extends Step>(steps: S[], changed: S): S[] {
  return steps.map((step) => (step.number === changed.number ? changed : step));
}

/** Applies the state of its notification to a step. */
function withNotification<S extends Step>(step: S, notification: StepNotification | undefined, at: Timestamp): S {
  if (!notification) return step;
  const { status, sent_at, updated_at } = notification;
  const known = { ...step, handed_over_at: step.handed_over_at ?? sent_at };
  const ended_at = updated_at ?? at;
  switch (outcomeOf(step, status)) {
    case 'delivered':
      return step.state === 'sent' || step.state === 'expired' ? { ...known, state: 'delivered', ended_at } : known;
    case 'failed':
      return step.state === 'sent' || isRevoked(known, ended_at)
        ? { ...known, state: 'failed', reason: status, ended_at }
        : known;
    case 'cancelled':
      return step.state === 'sent' ? { ...known, state: 'cancelled', reason: 'withdrawn', ended_at } : known;
    case undefined:
      return known;
  }
}

/** An email without news counts as delivered after a while. A bounce revokes that until the step would have expired. */
function isRevoked(step: Step, bounced_at: Timestamp): boolean {
  if (step.state !== 'delivered') return false;
  const deadline = deadlineOf(step);
  return deadline === null || bounced_at < deadline;
}

/** When a step expires. Null if it was not handed over yet, or is the last one. */
export function deadlineOf({ handed_over_at, wait_h }: Pick<Step, 'handed_over_at' | 'wait_h'>): Timestamp | null {
  if (handed_over_at === null || wait_h === null) return null;
  return timestamp(later(new Date(handed_over_at), wait_h * hour_ms));
}

function outcomeOf({ channel, wait_h }: Step, status: Status): 'delivered' | 'failed' | 'cancelled' | undefined {
  switch (status) {
    case 'delivered':
    case 'returned-letter':
      return 'delivered';
    case 'sending':
      // Nothing more is known of a letter than that it was printed.
      return channel === 'letter' ? 'delivered' : undefined;
    case 'sent':
      // The receipt of a text abroad may never come. The last step waits for nothing, so it would never end.
      return wait_h === null ? 'delivered' : undefined;
    case 'cancelled':
      return 'cancelled';
    case 'created':
    case 'pending':
    case 'pending-virus-check':
      return undefined;
    case 'failed':
    case 'technical-failure':
    case 'temporary-failure':
    case 'permanent-failure':
    case 'validation-failed':
    case 'virus-scan-failed':
      return 'failed';
  }
}

function endWith<S extends Step>(delivered: S, steps: S[], at: Timestamp) {
  return {
    status: 'delivered' as const,
    how: delivered.channel,
    steps: steps.map(
      (step): S => (step.state === 'waiting' ? { ...step, state: 'cancelled', reason: notNeeded, ended_at: at } : step),
    ),
    withdraw: steps.filter(({ state, handed_over_at }) => state === 'sent' && handed_over_at === null),
  };
}

/** Makes a step wait again that a delivery had made unnecessary before it started. */
function reopen<S extends Step>(step: S): S {
  if (step.state !== 'cancelled' || step.reason !== notNeeded) return step;
  return { ...step, state: 'waiting', reason: null, ended_at: null };
}
