import { minute_ms, type Timestamp, timestamp } from '../platform/clock.ts';
import type { Platform } from '../platform/platform.ts';
import { upsertKeyUses } from './api-keys.sql.ts';
import { neverRecorded, type ServiceKey } from './service-keys.ts';

const writeEvery_ms = 2_000;

type UsedKey = Pick<ServiceKey, 'id' | 'recorded_at'>;

/** Records when keys were last used, to the minute: in memory on each request, then in batches to the database. */
export class KeyUses {
  private readonly app: Platform;
  /** Keyed by id, because reading a key again creates a new object. */
  private waiting = new Map<string, { key: UsedKey; last_used_at: Timestamp }>();
  private writing: NodeJS.Timeout | undefined;

  constructor(app: Platform) {
    this.app = app;
  }

  record(key: UsedKey): void {
    const now = performance.now();
    if (now - key.recorded_at < minute_ms) return;
    key.recorded_at = now;
    this.waiting.set(key.id, { key, last_used_at: timestamp(this.app.clock.now()) });
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
        Array.from(uses, ([api_key_id, { last_used_at }]) => ({ api_key_id, last_used_at })),
      );
    } catch (error) {
      // Drop this batch; the next use of each key is recorded again. Requests matter more than exact last-use times.
      for (const { key } of uses.values()) key.recorded_at = neverRecorded;
      this.app.log.warn({ event: 'key_uses.unrecorded', err: error }, 'The last use of API keys was not recorded');
    }
  }
}
