import { day_ms, earlier, hour_ms } from '../../platform/clock.ts';
import type { GuardSettings } from '../settings.ts';

export const guardStates = ['ok', 'warned', 'paused'] as const;
export type GuardState = (typeof guardStates)[number];
export const guardReasons = ['bounces', 'bounces-small', 'complaints'] as const;
export type GuardReason = (typeof guardReasons)[number];

interface Rules extends Omit<GuardSettings, 'mode'> {
  /** Otherwise the service only gets warnings. */
  mayPause: boolean;
}

/** Outcomes of the emails that were handed over in an hour. */
export interface HourOfEmails {
  hour: Date;
  sent: number;
  hard_bounces: number;
  complaints: number;
}

interface Known {
  state: GuardState;
  because: GuardReason | null;
  last_warning_at: Date | null;
  lifted_at: Date | null;
}

export interface Evaluation {
  state: GuardState;
  because: GuardReason | null;
  rates: GuardRates;
  /** The message to send to the team. */
  notice: 'warning' | 'paused' | null;
}

/** Bounces of the last 24 hours and complaints of the last 7 days. */
export interface GuardRates {
  bounces: Share;
  complaints: Share;
}

interface Share {
  part: number;
  of: number;
}

const bounceWindow_ms = day_ms;
export const complaintWindow_ms = 7 * day_ms;
const warnEvery_ms = day_ms;
/** Fewer complaints may come from one person, or be mistakes. */
const minComplaints = 3;
/** For services with too few emails to pause, but enough to see that a list is bad. */
const few = { minSent: 100, bounceWarn: 0.2 };

/** Evaluates a service by its emails. The rules are in order: the first that matches decides. */
export function evaluate(known: Known, hours: readonly HourOfEmails[], rules: Rules, now: Date): Evaluation {
  const rates = ratesOf(hours, known.lifted_at, now);
  const { state, because } = stateOf(known, rates, rules);
  return { state, because, rates, notice: noticeOf(known, state, now) };
}

function stateOf(
  known: Known,
  { bounces, complaints }: GuardRates,
  { minSent, mayPause, ...shares }: Rules,
): Pick<Evaluation, 'state' | 'because'> {
  const worst = mayPause ? 'paused' : 'warned';
  if (known.state === 'paused' && mayPause) return { state: 'paused', because: known.because };
  const hasEnough = bounces.of >= minSent;
  const hasComplaints = complaints.of >= minSent && complaints.part >= minComplaints;
  if (hasEnough && reaches(bounces, shares.bouncePause)) return { state: worst, because: 'bounces' };
  if (hasComplaints && reaches(complaints, shares.complaintPause)) return { state: worst, because: 'complaints' };
  if (hasEnough && reaches(bounces, shares.bounceWarn)) return { state: 'warned', because: 'bounces' };
  if (hasComplaints && reaches(complaints, shares.complaintWarn)) return { state: 'warned', because: 'complaints' };
  if (!hasEnough && bounces.of >= few.minSent && reaches(bounces, few.bounceWarn)) {
    return { state: 'warned', because: 'bounces-small' };
  }
  return { state: 'ok', because: null };
}

function noticeOf(known: Known, state: GuardState, now: Date): Evaluation['notice'] {
  if (state === 'paused') return known.state === 'paused' ? null : 'paused';
  const isDue = known.last_warning_at === null || known.last_warning_at <= earlier(now, warnEvery_ms);
  return state === 'warned' && isDue ? 'warning' : null;
}

/** A window includes the whole hour in which it begins. After a lift, only hours that begin later count, and the rest of its own as an hour that begins at the lift. */
export function ratesOf(hours: readonly HourOfEmails[], lifted_at: Date | null, now: Date): GuardRates {
  const since = (window_ms: number) => firstHour(now, window_ms, lifted_at);
  return {
    bounces: shareOf(hours, since(bounceWindow_ms), 'hard_bounces'),
    complaints: shareOf(hours, since(complaintWindow_ms), 'complaints'),
  };
}

function firstHour(now: Date, window_ms: number, lifted_at: Date | null): Date {
  const begin = Math.floor(earlier(now, window_ms).getTime() / hour_ms) * hour_ms;
  return new Date(Math.max(begin, lifted_at?.getTime() ?? begin));
}

function shareOf(hours: readonly HourOfEmails[], since: Date, what: 'hard_bounces' | 'complaints'): Share {
  const counted = hours.filter(({ hour }) => hour >= since);
  const sum = (column: 'sent' | typeof what) => counted.reduce((total, row) => total + row[column], 0);
  return { part: sum(what), of: sum('sent') };
}

/** Thresholds have at most this many decimals, so they are compared as integers: 0.1 * 3 would not be 0.3. */
const millionths = 1_000_000;

function reaches({ part, of }: Share, threshold: number): boolean {
  return part * millionths >= Math.round(threshold * millionths) * of;
}

/** Returns an exactly rounded percentage with this number of decimals. */
export function percentOf({ part, of }: Share, decimals: number): string {
  const unit = 10 ** decimals;
  const rounded = of === 0 ? 0 : Math.floor((2 * part * 100 * unit + of) / (2 * of));
  return `${Math.floor(rounded / unit)}.${String(rounded % unit).padStart(decimals, '0')}`;
}
