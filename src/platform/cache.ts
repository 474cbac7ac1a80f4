import type { ChangeListener } from './db/change-listener.ts';
import { Lru } from './lru.ts';

interface InvalidatedCacheOptions<Value> {
  /** NOTIFY channel whose payload is the key of the changed row. */
  channel: string;
  most: number;
  /** Time to live, for changes that no notification announces. */
  forgetAfter_ms?: number;
  load(key: string): Promise<Value | undefined>;
}

interface Entry<Value> {
  value: Value;
  readAt: number;
}

const missingFor_ms = 5_000;
const maxMissing = 10_000;

/**
 * Rows by id, cached until a notification announces a change. While notifications may be lost, nothing is cached.
 * Missing rows are cached separately and briefly: made-up ids cost one read each and evict nothing.
 */
export class InvalidatedCache<Value> {
  private readonly entries: Lru<Entry<Value>>;
  private readonly missing = new Lru<number>(maxMissing);
  private readonly loading = new Map<string, Promise<Value | undefined>>();
  private readonly changeListener: ChangeListener;
  private readonly options: InvalidatedCacheOptions<Value>;

  constructor(changeListener: ChangeListener, options: InvalidatedCacheOptions<Value>) {
    this.changeListener = changeListener;
    this.options = options;
    this.entries = new Lru(options.most);
    // Creating a row is announced like any other change.
    changeListener.on(options.channel, (key) => {
      for (const kept of [this.entries, this.missing, this.loading]) kept.delete(key);
    });
    changeListener.onReset(() => {
      for (const kept of [this.entries, this.missing, this.loading]) kept.clear();
    });
  }

  /** Returns the cached value without reading the database. */
  peek(key: string): Value | undefined {
    const entry = this.entries.get(key);
    return entry && !this.isOld(entry) ? entry.value : undefined;
  }

  /** Returns a cached value synchronously: a promise per request would be measurable on the hot path. */
  find(key: string): Value | undefined | Promise<Value | undefined> {
    const value = this.peek(key);
    if (value !== undefined || this.isMissing(key)) return value;
    return this.loading.get(key) ?? this.load(key);
  }

  private load(key: string): Promise<Value | undefined> {
    const readAt = performance.now();
    const loading = this.options.load(key);
    if (!this.changeListener.connected) return loading;
    this.loading.set(key, loading);
    // Discards rows that changed while they were read, and failed reads.
    const settle = (keep: () => void) => {
      if (this.loading.get(key) !== loading) return;
      this.loading.delete(key);
      keep();
    };
    loading.then(
      (value) =>
        settle(() => {
          if (value === undefined) this.missing.set(key, readAt, 1);
          else this.entries.set(key, { value, readAt }, 1);
        }),
      () => settle(() => undefined),
    );
    return loading;
  }

  private isOld({ readAt }: Entry<Value>): boolean {
    const { forgetAfter_ms } = this.options;
    return forgetAfter_ms !== undefined && performance.now() - readAt >= forgetAfter_ms;
  }

  private isMissing(key: string): boolean {
    const readAt = this.missing.get(key);
    return readAt !== undefined && performance.now() - readAt < missingFor_ms;
  }
}
