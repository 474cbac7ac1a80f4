interface Kept<T> {
  until: number;
  value: Promise<T>;
}

const maxKept = 500;

/** Caches what many open pages poll for, so that a hundred pages of one service cost as much as one. */
export class BriefCache<T> {
  private readonly kept = new Map<string, Kept<T>>();
  private readonly keptFor_ms: number;

  constructor(keptFor_ms: number) {
    this.keptFor_ms = keptFor_ms;
  }

  get(key: string, read: () => Promise<T>): Promise<T> {
    const now = performance.now();
    const found = this.kept.get(key);
    if (found && found.until > now) return found.value;
    if (this.kept.size >= maxKept) this.kept.clear();
    const value = read();
    this.kept.set(key, { until: now + this.keptFor_ms, value });
    // Failures are not cached, so the next request tries again.
    value.catch(() => this.kept.delete(key));
    return value;
  }
}
