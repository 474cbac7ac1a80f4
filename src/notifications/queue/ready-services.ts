interface Ready {
  /** Nothing of it that is due lies before this moment. */
  since: number;
  /** How often it was added. */
  news: number;
}

interface Turn extends Ready {
  service_id: string;
}

/** The services of one lane that are believed to have something due, in the order of their turns. */
export class ReadyServices {
  private readonly services = new Map<string, Ready>();

  add(service_id: string, since: number): void {
    const known = this.services.get(service_id);
    if (!known) {
      this.services.set(service_id, { since, news: 1 });
      return;
    }
    known.since = Math.min(known.since, since);
    known.news += 1;
  }

  /** Whose turn it is, as many as there are places at most. */
  next(places: number): Turn[] {
    const turn: Turn[] = [];
    for (const [service_id, { since, news }] of this.services) {
      if (turn.length >= places) break;
      turn.push({ service_id, since, news });
    }
    return turn;
  }

  /** Who had less than it might have taken has no more, unless it got more meanwhile. The others go to the end of the line. */
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
