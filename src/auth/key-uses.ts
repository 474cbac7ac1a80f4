import { minute_ms, timestamp } from '../platform/clock.ts';
import type { Platform } from '../platform/platform.ts';
import { upsertKeyUses } from './key-uses.sql.ts';

const writeEvery_ms = 2_000;
const maxNotedKeys = 100_000;

type Deps = Pick<Platform, 'db' | 'clock' | 'log'>;

/** Records when keys were last used, to the minute: in memory on each request, then in batches to the database. */
export class KeyUses {
  private readonly app: Deps;
  /** When each key was last recorded in memory, on the monotonic clock. */
  private readonly noted = new Map<string, number>();
  private waiting = new Map<string, string>();
  private writing: NodeJS.Timeout | undefined;

  constructor(app: Deps) {
    this.app = app;
  }

  note(keyId: string): void {
    const now = performance.now();
    const before = this.noted.get(keyId);
    if (before !== undefined && now - before < minute_ms) return;
    if (this.noted.size >= maxNotedKeys) this.noted.clear();
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
      // Drop this batch; the next use of each key is recorded again. Requests matter more than exact last-use times.
      for (const id of uses.keys()) this.noted.delete(id);
      this.app.log.warn({ event: 'key_uses.unrecorded', err: error }, 'The last use of API keys was not recorded');
    }
  }
}
