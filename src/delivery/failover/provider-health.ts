import { minute_ms, timestamp } from '../../platform/clock.ts';
import type { Channel } from '../../protocol/channels.ts';
import type { HealthChange } from './provider-health.sql.ts';

/** Same as in provider-health.sql.ts. */
const period_ms = 10_000;
/** A text message without a receipt after this time counts as slow. */
export const inTime_ms = 5 * minute_ms;
const promptly_ms = 10_000;

export function periodStart(moment: Date): Date {
  return new Date(Math.floor(moment.getTime() / period_ms) * period_ms);
}

/**
 * Returns the name under which health is counted. The sandbox has one name for texts and emails, so its emails get another. Same as in
 * provider-health.sql.ts.
 */
export function nameInHealth(channel: Channel, provider: string): string {
  return provider === 'sandbox' && channel === 'email' ? 'sandbox-email' : provider;
}

export interface HandOver {
  /** The name from `nameInHealth`. */
  provider: string;
  /** When the message was accepted, or the time it was scheduled for. */
  due: Date;
  sent: Date;
}

export function isPrompt({ due, sent }: HandOver): boolean {
  return sent.getTime() - due.getTime() <= promptly_ms;
}

/** Counts hand-overs and failed calls, recorded together with the results. */
export function handOverHealth(handOvers: HandOver[], errors: string[], now: Date): HealthChange[] {
  const changes = new Map<string, HealthChange>();
  const changeOf = (provider: string, moment: Date): HealthChange => {
    const period_start = timestamp(periodStart(moment));
    const key = `${period_start} ${provider}`;
    const existing = changes.get(key);
    if (existing) return existing;
    const change = { provider, period_start, handed_over: 0, errors: 0 };
    changes.set(key, change);
    return change;
  };
  for (const { provider, sent } of handOvers) changeOf(provider, sent).handed_over += 1;
  for (const provider of errors) changeOf(provider, now).errors += 1;
  return [...changes.values()];
}
