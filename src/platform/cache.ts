import { LRUCache } from 'lru-cache';
import { minute_ms } from './clock.ts';
import type { ChangeListener } from './db/change-listener.ts';

interface InvalidatedCacheOptions<Value> {
  /** NOTIFY channel whose payload is the key of the changed row. */
  channel: string;
  max_bytes: number;
  /** Approximate memory of a value. */
  bytesOf(value: Value): number;
  load(key: string): Promise<Value | undefined>;
}

/**
 * A fallback only: heartbeats prove every two seconds that notifications arrive, and a connection loses either all or none of them. With a
 * TTL of a minute, thousands of rows that are each used less often would be read again for every use.
 */
const ttl_ms = 10 * minute_ms;
const missingTtl_ms = 5_000;
/** A number of entries. Set through `maxSize`, because lru-cache preallocates `max` entries, which takes 2 ms per cache. */
const maxMissing = 10_000;
const one = () => 1;
/** By default, lru-cache starts a timer every millisecond while in use. */
const ttlResolution_ms = 500;

/**
 * Faster than `get`, which also moves the entry to the end of the LRU list: with many entries, that takes longer than the lookup. The order
 * only matters when the cache is full enough to evict entries soon.
 */
export function cachedIn<Value extends NonNullable<unknown>>(
  cache: LRUCache<string, Value>,
  key: string,
): Value | undefined {
  return cache.calculatedSize > cache.maxSize / 2 ? cache.get(key) : cache.peek(key);
}

/**
 * Caches rows by id until a notification announces a change. While notifications may be lost, it caches nothing. Missing rows are cached
 * separately for a short time: requests with invented ids cost one read each and evict nothing.
 */
export class InvalidatedCache<Value extends NonNullable<unknown>> {
  private readonly entries: LRUCache<string, Value>;
  private readonly missing = new LRUCache<string, true>({
    maxSize: maxMissing,
    sizeCalculation: one,
    ttl: missingTtl_ms,
  });
  private readonly loading = new Map<string, Promise<Value | undefined>>();
  private readonly changeListener: ChangeListener;
  private readonly options: InvalidatedCacheOptions<Value>;

  constructor(changeListener: ChangeListener, options: InvalidatedCacheOptions<Value>) {
    this.changeListener = changeListener;
    this.options = options;
    this.entries = new LRUCache({
      maxSize: options.max_bytes,
      sizeCalculation: options.bytesOf,
      ttl: ttl_ms,
      ttlResolution: ttlResolution_ms,
    });
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
    return cachedIn(this.entries, key);
  }

  /** Returns a cached value synchronously: a promise per request would be measurable on the hot path. */
  find(key: string): Value | undefined | Promise<Value | undefined> {
    const value = this.peek(key);
    if (value !== undefined || this.missing.has(key)) return value;
    return this.loading.get(key) ?? this.load(key);
  }

  private load(key: string): Promise<Value | undefined> {
    const start = performance.now();
    const loading = this.options.load(key);
    if (!this.changeListener.connected) return loading;
    this.loading.set(key, loading);
    // Do not cache rows that changed while they were read, or failed reads.
    const settle = (keep: () => void) => {
      if (this.loading.get(key) !== loading) return;
      this.loading.delete(key);
      keep();
    };
    loading.then(
      (value) =>
        settle(() => {
          if (value === undefined) this.missing.set(key, true, { start });
          else this.entries.set(key, value, { start });
        }),
      () => settle(() => undefined),
    );
    return loading;
  }
}
