/** Keeps what was used last, up to a total weight; entries weigh what their maker says (characters, rows, bytes). */
export class Lru<Value> {
  private readonly entries = new Map<string, { value: Value; weight: number }>();
  private readonly maxWeight: number;
  private weight = 0;

  constructor(maxWeight: number) {
    this.maxWeight = maxWeight;
  }

  get(key: string): Value | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    // A Map remembers the order of insertion, so that its first entry is always the one unused for longest.
    this.entries.delete(key);
    this.entries.set(key, entry);
    return entry.value;
  }

  set(key: string, value: Value, weight: number): void {
    this.delete(key);
    this.entries.set(key, { value, weight });
    this.weight += weight;
    for (const oldest of this.entries.keys()) {
      if (this.weight <= this.maxWeight) break;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    this.entries.delete(key);
    this.weight -= entry.weight;
  }

  clear(): void {
    this.entries.clear();
    this.weight = 0;
  }

  get size(): number {
    return this.entries.size;
  }
}
