import type { ChangeListener } from './db/change-listener.ts';
import { Lru } from './lru.ts';

interface InvalidatedCacheOptions<Value> {
  /** Its payload is the key of what changed. */
  channel: string;
  most: number;
  /** For what no notice tells about. */
  forgetAfter_ms?: number;
  load(key: string): Promise<Value | undefined>;
}

interface Known<Value> {
  value: Value;
  readAt: number;
}

const unknownFor_ms = 5_000;
const mostUnknown = 10_000;

/**
 * Rows by id, kept in memory until a notice says that they changed; while notices may get lost nothing is kept. That there
 * is no such row is kept apart, and shortly: made-up ids cost one read each, and displace nothing.
 */
export class InvalidatedCache<Value> {
  private readonly known: Lru<Known<Value>>;
  private readonly unknown = new Lru<number>(mostUnknown);
  private readonly loading = new Map<string, Promise<Value | undefined>>();
  private readonly changeListener: ChangeListener;
  private readonly options: InvalidatedCacheOptions<Value>;

  constructor(changeListener: ChangeListener, options: InvalidatedCacheOptions<Value>) {
    this.changeListener = changeListener;
    this.options = options;
    this.known = new Lru(options.most);
    // The creation of a row is announced like every change of it.
    changeListener.on(options.channel, (key) => {
      for (const kept of [this.known, this.unknown, this.loading]) kept.delete(key);
    });
    changeListener.onReset(() => {
      for (const kept of [this.known, this.unknown, this.loading]) kept.clear();
    });
  }

  /** What is in memory; reads nothing. */
  peek(key: string): Value | undefined {
    const known = this.known.get(key);
    return known && !this.isOld(known) ? known.value : undefined;
  }

  /** What is in memory comes at once: a promise for every request that needs no waiting would be felt. */
  find(key: string): Value | undefined | Promise<Value | undefined> {
    const value = this.peek(key);
    if (value !== undefined || this.isKnownToBeMissing(key)) return value;
    return this.loading.get(key) ?? this.load(key);
  }

  private load(key: string): Promise<Value | undefined> {
    const readAt = performance.now();
    const loading = this.options.load(key);
    if (!this.changeListener.connected) return loading;
    this.loading.set(key, loading);
    // What changed while it was read is not kept, and neither is a failed read.
    const settle = (keep: () => void) => {
      if (this.loading.get(key) !== loading) return;
      this.loading.delete(key);
      keep();
    };
    loading.then(
      (value) =>
        settle(() => {
          if (value === undefined) this.unknown.set(key, readAt, 1);
          else this.known.set(key, { value, readAt }, 1);
        }),
      () => settle(() => undefined),
    );
    return loading;
  }

  private isOld({ readAt }: Known<Value>): boolean {
    const { forgetAfter_ms } = this.options;
    return forgetAfter_ms !== undefined && performance.now() - readAt >= forgetAfter_ms;
  }

  private isKnownToBeMissing(key: string): boolean {
    const readAt = this.unknown.get(key);
    return readAt !== undefined && performance.now() - readAt < unknownFor_ms;
  }
}
