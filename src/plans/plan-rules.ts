import type { Status } from '../notifications/notification.ts';
import { hour_ms, later, type Timestamp, timestamp } from '../platform/clock.ts';
import type { Channel } from '../protocol/channels.ts';

/** What follows from what is known about a message and the notifications of its steps. Reads no clock and no database. */

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

/** The notification of a step as it is now. */
export interface StepFact {
  status: Status;
  sent_at: Timestamp | null;
  updated_at: Timestamp | null;
}

interface Settled<S extends Step> extends Progress<S> {
  /** The step to start now. */
  start: S | undefined;
  /** When the current step has waited long enough. */
  deadline: Timestamp | null;
  /** Steps that are not needed any more, and may not have been handed over. */
  withdraw: S[];
}

/** Cancelled because another step reached the recipient first. */
const notNeeded = 'not-needed';

/**
 * The first step that is delivered ends a message. One that fails, or is not delivered in time, is followed by the next; one that is
 * delivered after all makes the later ones needless. The same facts always lead to the same result, in whatever order they come.
 */
export function settle<S extends Step>(
  before: Progress<S>,
  facts: ReadonlyMap<number, StepFact>,
  now: Date,
): Settled<S> {
  const at = timestamp(now);
  const steps = before.steps.map((step) => heardOf(step, facts.get(step.number), at));
  const rest = { start: undefined, deadline: null, withdraw: [] };
  if (before.status === 'cancelled') return { ...rest, status: 'cancelled', how: null, steps };
  const reached = steps.find(({ state }) => state === 'delivered');
  if (reached) return { ...rest, ...endedBy(reached, steps, at) };
  return goOn(before.status === 'delivered' ? steps.map(neededAgain) : steps, at);
}

function goOn<S extends Step>(steps: S[], at: Timestamp): Settled<S> {
  const open = { how: null, start: undefined, deadline: null, withdraw: [] };
  const current = steps.findLast(({ state }) => state === 'sent');
  if (current) {
    const deadline = deadlineOf(current);
    if (deadline === null || deadline > at) return { ...open, status: 'in-progress', steps, deadline };
    return goOn(replace(steps, { ...current, state: 'expired', ended_at: at }), at);
  }
  const next = steps.find(({ state }) => state === 'waiting');
  if (!next) {
    const isCancelled = steps.findLast(({ state }) => state !== 'skipped')?.state === 'cancelled';
    return { ...open, status: isCancelled ? 'cancelled' : 'failed', steps };
  }
  const isMissed = steps.every(({ number, state }) => number >= next.number || state === 'skipped');
  if (next.only_if_missing && !isMissed) {
    return goOn(replace(steps, { ...next, state: 'skipped', reason: notNeeded, ended_at: at }), at);
  }
  const hasStarted = steps.some(({ notification_id }) => notification_id !== null);
  return { ...open, status: hasStarted ? 'in-progress' : 'created', steps, start: next };
}

function replace<S extends Step>(steps: S[], changed: S): S[] {
  return steps.map((step) => (step.number === changed.number ? changed : step));
}

/** A step and what has become of its notification. */
function heardOf<S extends Step>(step: S, fact: StepFact | undefined, at: Timestamp): S {
  if (!fact) return step;
  const known = { ...step, handed_over_at: step.handed_over_at ?? fact.sent_at };
  const ended_at = fact.updated_at ?? at;
  switch (outcomeOf(step.channel, fact.status)) {
    case 'delivered':
      return step.state === 'sent' || step.state === 'expired' ? { ...known, state: 'delivered', ended_at } : known;
    case 'failed':
      return step.state === 'sent' || isTakenBack(known, ended_at)
        ? { ...known, state: 'failed', reason: fact.status, ended_at }
        : known;
    case 'cancelled':
      return step.state === 'sent' ? { ...known, state: 'cancelled', reason: 'withdrawn', ended_at } : known;
    case undefined:
      return known;
  }
}

/** An email counts as delivered when nothing was heard of it for a while. It may bounce as long as its step would have waited. */
function isTakenBack(step: Step, bounced_at: Timestamp): boolean {
  if (step.state !== 'delivered') return false;
  const deadline = deadlineOf(step);
  return deadline === null || bounced_at < deadline;
}

function deadlineOf({ handed_over_at, wait_h }: Step): Timestamp | null {
  if (handed_over_at === null || wait_h === null) return null;
  return timestamp(later(new Date(handed_over_at), wait_h * hour_ms));
}

/** A letter that is printed has arrived, as far as anybody will know. */
function outcomeOf(channel: Channel, status: Status): 'delivered' | 'failed' | 'cancelled' | undefined {
  switch (status) {
    case 'delivered':
    case 'returned-letter':
      return 'delivered';
    case 'sending':
      return channel === 'letter' ? 'delivered' : undefined;
    case 'cancelled':
      return 'cancelled';
    case 'created':
    case 'sent':
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

function endedBy<S extends Step>(reached: S, steps: S[], at: Timestamp) {
  return {
    status: 'delivered' as const,
    how: reached.channel,
    steps: steps.map(
      (step): S => (step.state === 'waiting' ? { ...step, state: 'cancelled', reason: notNeeded, ended_at: at } : step),
    ),
    withdraw: steps.filter(({ state, handed_over_at }) => state === 'sent' && handed_over_at === null),
  };
}

/** What was cancelled before it started. */
function neededAgain<S extends Step>(step: S): S {
  if (step.state !== 'cancelled' || step.notification_id !== null) return step;
  return { ...step, state: 'waiting', reason: null, ended_at: null };
}
