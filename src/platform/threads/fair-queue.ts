/** A queue with owners that take turns: an owner with many items delays another by at most one item. */
export class FairQueue<Item> {
  /** In order of turns, next first. */
  private readonly byOwner = new Map<string, Item[]>();
  private count = 0;

  get length(): number {
    return this.count;
  }

  lengthOf(owner: string): number {
    return this.byOwner.get(owner)?.length ?? 0;
  }

  add(owner: string, item: Item): void {
    const items = this.byOwner.get(owner);
    if (items) items.push(item);
    else this.byOwner.set(owner, [item]);
    this.count += 1;
  }

  take(): Item | undefined {
    for (const [owner, items] of this.byOwner) {
      const item = items.shift();
      this.byOwner.delete(owner);
      if (items.length > 0) this.byOwner.set(owner, items);
      this.count -= 1;
      return item;
    }
    return undefined;
  }

  /** Removes and returns all items. */
  clear(): Item[] {
    const all = [...this.byOwner.values()].flat();
    this.byOwner.clear();
    this.count = 0;
    return all;
  }
}
