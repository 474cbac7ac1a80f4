interface Ready {
  /** Lower bound of the due times of its messages. */
  since: number;
  /** How many times it was added. */
  news: number;
}

interface Turn extends Ready {
  service_id: string;
}

/** Services of one lane that probably have due messages, in round-robin order. */
export class ReadyServices {
  private readonly services = new Map<string, Ready>();

  add(service_id: string, since: number): void {
    const existing = this.services.get(service_id);
    if (!existing) {
      this.services.set(service_id, { since, news: 1 });
      return;
    }
    existing.since = Math.min(existing.since, since);
    existing.news += 1;
  }

  /** Returns the next services, at most one per slot. Those to skip keep their place. */
  next(slots: number, skip: (service_id: string) => boolean = () => false): Turn[] {
    const turn: Turn[] = [];
    for (const [service_id, { since, news }] of this.services) {
      if (turn.length >= slots) break;
      if (skip(service_id)) continue;
      turn.push({ service_id, since, news });
    }
    return turn;
  }

  /** Drops services that had fewer due messages than `each`, unless new ones were announced. Moves the others to the end. */
  settle(turn: Turn[], each: number, leased: { service_id: string; due_at: string }[]): void {
    const taken = new Map<string, { count: number; last: string }>();
    for (const { service_id, due_at } of leased) {
      const before = taken.get(service_id);
      taken.set(service_id, {
        count: (before?.count ?? 0) + 1,
        last: before && before.last > due_at ? before.last : due_at,
      });
    }
    for (const { service_id, news } of turn) {
      const ready = this.services.get(service_id);
      if (!ready) continue;
      const { count, last } = taken.get(service_id) ?? { count: 0, last: '' };
      this.services.delete(service_id);
      const isDrained = count < each;
      if (isDrained && ready.news === news) continue;
      if (!isDrained && ready.news === news) ready.since = Date.parse(last);
      this.services.set(service_id, ready);
    }
  }
}
