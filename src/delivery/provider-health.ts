import type { ChangedNotification } from '../notifications/status.ts';
import { minute_ms, timestamp } from '../platform/clock.ts';
import type { Tx } from '../platform/db/database.ts';
import { addHealth, type HealthChange } from './provider-health.sql.ts';

const period_ms = 10_000;
/** A text message that takes longer is slow. */
export const inTime_ms = 5 * minute_ms;
const promptly_ms = 10_000;

export function periodStart(moment: Date): Date {
  return new Date(Math.floor(moment.getTime() / period_ms) * period_ms);
}

class HealthChanges {
  private readonly changes = new Map<string, HealthChange>();

  add(provider: string, moment: Date, figure: 'handed_over' | 'errors' | 'delivered_in_time' | 'failed'): void {
    const period_start = timestamp(periodStart(moment));
    const key = `${period_start} ${provider}`;
    const change = this.changes.get(key) ?? {
      provider,
      period_start,
      handed_over: 0,
      errors: 0,
      delivered_in_time: 0,
      failed: 0,
    };
    change[figure] += 1;
    this.changes.set(key, change);
  }

  async write(tx: Tx): Promise<void> {
    if (this.changes.size > 0) await addHealth(tx, [...this.changes.values()]);
  }
}

export interface HandOver {
  provider: string;
  /** When it should have gone: when it was accepted, or the time it was scheduled for. */
  due: Date;
  sent: Date;
}

/** Counts hand-overs and failed calls, in the transaction that records them. */
export async function recordHandOverHealth(tx: Tx, handOvers: HandOver[], errors: string[], now: Date): Promise<void> {
  const health = new HealthChanges();
  for (const { provider, sent } of handOvers) health.add(provider, sent, 'handed_over');
  for (const provider of errors) health.add(provider, now, 'errors');
  await health.write(tx);
}

export function isPrompt({ due, sent }: HandOver): boolean {
  return sent.getTime() - due.getTime() <= promptly_ms;
}

/** Counts, for the period in which it was handed over, how a message ended. */
export async function recordReceiptHealth(tx: Tx, changed: ChangedNotification[], now: Date): Promise<void> {
  const health = new HealthChanges();
  for (const { key_type, provider, sent_at, status } of changed) {
    if (provider === null || sent_at === null || key_type === 'test') continue;
    const sent = new Date(sent_at);
    if (status === 'delivered' && now.getTime() - sent.getTime() < inTime_ms)
      health.add(provider, sent, 'delivered_in_time');
    else if (status.endsWith('-failure')) health.add(provider, sent, 'failed');
  }
  await health.write(tx);
}
