import { minute_ms, timestamp } from '../platform/clock.ts';
import type { Platform } from '../platform/platform.ts';
import { upsertKeyUses } from './key-uses.sql.ts';

const writeEvery_ms = 2_000;
const mostRemembered = 100_000;

type Needs = Pick<Platform, 'db' | 'clock' | 'log'>;

/** When keys were last used, to the minute: noted in memory by each request, written for all keys together now and then. */
export class KeyUses {
  private readonly app: Needs;
  /** When each key was last noted, by the monotonic clock. */
  private readonly noted = new Map<string, number>();
  private waiting = new Map<string, string>();
  private writing: NodeJS.Timeout | undefined;

  constructor(app: Needs) {
    this.app = app;
  }

  note(keyId: string): void {
    const now = performance.now();
    const before = this.noted.get(keyId);
    if (before !== undefined && now - before < minute_ms) return;
    if (this.noted.size >= mostRemembered) this.noted.clear();
    this.noted.set(keyId, now);
    this.waiting.set(keyId, timestamp(this.app.clock.now()));
    this.writing ??= setTimeout(() => void this.write(), writeEvery_ms).unref();
  }

  async write(): Promise<void> {
    clearTimeout(this.writing);
    this.writing = undefined;
    const uses = this.waiting;
    if (uses.size === 0) return;
    this.waiting = new Map();
    try {
      await upsertKeyUses(
        this.app.db,
        Array.from(uses, ([api_key_id, last_used_at]) => ({ api_key_id, last_used_at })),
      );
    } catch (error) {
      // Only the next use is noted again: requests matter more than when the last one was.
      for (const id of uses.keys()) this.noted.delete(id);
      this.app.log.warn({ err: error }, 'the last use of keys could not be recorded');
    }
  }
}
