interface Entry<T> {
  until: number;
  value: Promise<T>;
}

const maxEntries = 500;

/** Caches what many open pages poll for, so that a hundred pages of one service cost as much as one. */
export class ShortLivedCache<T> {
  private readonly entries = new Map<string, Entry<T>>();
  private readonly ttl_ms: number;

  constructor(keptFor_ms: number) {
    this.ttl_ms = keptFor_ms;
  }

  get(key: string, read: () => Promise<T>): Promise<T> {
    const now = performance.now();
    const found = this.entries.get(key);
    if (found && found.until > now) return found.value;
    if (this.entries.size >= maxEntries) this.entries.clear();
    const value = read();
    this.entries.set(key, { until: now + this.ttl_ms, value });
    // Failures are not cached, so the next request tries again.
    value.catch(() => this.entries.delete(key));
    return value;
  }
}
