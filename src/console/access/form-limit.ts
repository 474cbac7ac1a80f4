import { t } from '../../language/text.ts';
import { minute_ms } from '../../platform/clock.ts';
import { Failure } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';

const window_ms = minute_ms;
/** About 1 MB. Addresses beyond that push out those whose minute began first. */
const maxAddresses = 10_000;

/** Counts the forms of people who are not signed in, by client address and minute, in this process. */
export class FormLimit {
  private readonly clock: Platform['clock'];
  private readonly max: number;
  /** In the order in which their minutes began. */
  private readonly windows = new Map<string, { start_ms: number; count: number }>();

  constructor({ clock }: Pick<Platform, 'clock'>, max: number) {
    this.clock = clock;
    this.max = max;
  }

  /** Throws when the address has sent too many. */
  count(address: string): void {
    const now_ms = this.clock.now().getTime();
    const known = this.windows.get(address);
    const isLive = known !== undefined && known.start_ms > now_ms - window_ms;
    const window = isLive ? known : { start_ms: now_ms, count: 0 };
    if (window.count >= this.max) throw tooMany(Math.ceil((window.start_ms + window_ms - now_ms) / 1_000));
    window.count += 1;
    if (isLive) return;
    this.windows.delete(address);
    this.windows.set(address, window);
    const [oldest] = this.windows.keys();
    if (this.windows.size > maxAddresses && oldest !== undefined) this.windows.delete(oldest);
  }
}

function tooMany(wait_s: number): Failure {
  const headers = { 'retry-after': String(wait_s) };
  return new Failure('too-many', 'RateLimitError', t('Too many forms from this address'), { headers });
}
