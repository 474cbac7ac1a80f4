import { type Clock, minute_ms } from '../../platform/clock.ts';
import type { NewNotification } from '../notification.ts';

interface Recent {
  /** Recently accepted letters, with exponential decay: a letter counts half after ten minutes. */
  count: number;
  at: number;
}

const halfLife_ms = 10 * minute_ms;
const lettersPerPriority = 20;
const maxPriority = 100;
const maxServices = 10_000;

/**
 * Fair order of composing and checking letters: the more letters a service has sent recently, the lower the priority of its
 * next one. So a service with a few letters does not wait for one with thousands. Letters of test keys are counted
 * separately and do not delay live letters of the same service.
 */
export class LetterTurns {
  private readonly clock: Clock;
  private readonly recent = new Map<string, Recent>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Returns the priority of its task (0 runs first) and counts the letter. */
  priorityFor({ service_id, key_type }: Pick<NewNotification, 'service_id' | 'key_type'>): number {
    const key = key_type === 'test' ? `${service_id} test` : service_id;
    const now = this.clock.now().getTime();
    const previous = this.recent.get(key);
    const before = previous ? previous.count * 0.5 ** (Math.max(0, now - previous.at) / halfLife_ms) : 0;
    if (!previous && this.recent.size >= maxServices) this.recent.clear();
    this.recent.set(key, { count: before + 1, at: now });
    return Math.min(maxPriority, Math.floor(before / lettersPerPriority));
  }
}
