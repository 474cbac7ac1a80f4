import { type Clock, minute_ms } from '../../platform/clock.ts';
import type { NewNotification } from '../notification.ts';

interface Recent {
  /** Letters accepted of late; those of ten minutes ago count half. */
  count: number;
  at: number;
}

const halfLife_ms = 10 * minute_ms;
const lettersPerStep = 20;
const lastStep = 100;
const rememberedServices = 10_000;

/**
 * In which order accepted letters are drawn and checked: the more letters a service has sent of late, the further back its
 * next one queues. So a service that sends a few does not wait for one that sends thousands. Letters of test keys are
 * counted apart and do not delay the live letters of their service.
 */
export class LetterTurns {
  private readonly clock: Clock;
  private readonly recent = new Map<string, Recent>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Of the job; counts the letter. */
  priorityFor({ service_id, key_type }: Pick<NewNotification, 'service_id' | 'key_type'>): number {
    const key = key_type === 'test' ? `${service_id} test` : service_id;
    const now = this.clock.now().getTime();
    const known = this.recent.get(key);
    const before = known ? known.count * 0.5 ** (Math.max(0, now - known.at) / halfLife_ms) : 0;
    if (!known && this.recent.size >= rememberedServices) this.recent.clear();
    this.recent.set(key, { count: before + 1, at: now });
    return Math.min(lastStep, Math.floor(before / lettersPerStep));
  }
}
