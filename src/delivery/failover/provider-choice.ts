import type { Provider } from '../providers/provider.ts';
import type { ProviderShare } from './provider-details.sql.ts';

/** Weighted by priority; someone who is alone is chosen whatever the weight. */
export function chooseByPriority<T extends { priority: number }>(candidates: T[], random: number): T | undefined {
  const total = candidates.reduce((sum, { priority }) => sum + priority, 0);
  if (total === 0) return candidates[Math.floor(random * candidates.length)];
  let left = random * total;
  for (const candidate of candidates) {
    left -= candidate.priority;
    if (left < 0) return candidate;
  }
  return candidates.at(-1);
}

/** So many per second, evenly; at most a tenth of a second's worth at once, so that a burst does not break the rate. */
export class Pace {
  private readonly perSecond: number;
  private readonly burst: number;
  private tokens: number;
  private filledAt: number;

  constructor(perSecond: number, now = performance.now()) {
    this.perSecond = perSecond;
    this.burst = Math.max(1, perSecond / 10);
    this.tokens = this.burst;
    this.filledAt = now;
  }

  available(now = performance.now()): number {
    this.tokens = Math.min(this.burst, this.tokens + ((now - this.filledAt) / 1_000) * this.perSecond);
    this.filledAt = now;
    return Math.floor(this.tokens);
  }

  take(): void {
    this.tokens -= 1;
  }
}

interface Wanted {
  international: boolean;
  /** It may have the message already, so it is asked again whatever its share. */
  again?: string | null;
  /** It just failed: anybody else first. */
  notAgain?: string | null;
}

/** One channel’s providers that are in use, with their shares as last read. */
export class ProviderChoice<Message> {
  private readonly inUse: Map<string, Provider<Message>>;
  private readonly paces = new Map<string, Pace>();
  private readonly random: () => number;
  private places: ProviderShare[] = [];

  constructor(providers: Provider<Message>[], rates: Record<string, number>, random: () => number = Math.random) {
    this.inUse = new Map(providers.map((provider) => [provider.name, provider]));
    this.random = random;
    for (const { name } of providers) {
      const rate = rates[name];
      if (rate !== undefined) this.paces.set(name, new Pace(rate));
    }
  }

  /** Rows of the provider table, read every few seconds. */
  update(places: ProviderShare[]): void {
    this.places = places.filter(({ identifier, active }) => active && this.inUse.has(identifier));
  }

  /** How many messages may be handed over now. With nobody in use there is no limit: each message finds that out itself. */
  capacity(): number {
    if (this.places.length === 0) return Number.POSITIVE_INFINITY;
    return this.places.reduce((sum, { identifier }) => sum + this.availableAt(identifier), 0);
  }

  /**
   * Who gets the next messages, at home and abroad, as far as each one’s pace reaches. Nothing is taken from it yet: it
   * depends on the messages which of the choices count.
   */
  draw(count: number): { home: (string | null)[]; abroad: (string | null)[] } {
    const drawFrom = (places: ProviderShare[]) => {
      const left = new Map(places.map(({ identifier }) => [identifier, this.availableAt(identifier)]));
      let able = places;
      return Array.from({ length: count }, () => {
        able = able.filter(({ identifier }) => (left.get(identifier) ?? 0) >= 1);
        const chosen = able.length === 1 ? able[0] : chooseByPriority(able, this.random());
        if (!chosen) return null;
        left.set(chosen.identifier, (left.get(chosen.identifier) ?? 0) - 1);
        return chosen.identifier;
      });
    };
    return {
      home: drawFrom(this.places),
      abroad: drawFrom(this.places.filter(({ supports_international }) => supports_international)),
    };
  }

  /** A place in the pace of a provider that was drawn. */
  take(name: string): void {
    this.paces.get(name)?.take();
  }

  /** Takes a place in the chosen provider’s pace. */
  choose(wanted: Wanted): string | undefined {
    const able = this.places.filter(
      ({ identifier, supports_international }) =>
        (!wanted.international || supports_international) && this.availableAt(identifier) >= 1,
    );
    const again = this.places.find(({ identifier }) => identifier === wanted.again);
    // Through anybody else it would be a second message: it waits for room where it may be already.
    if (again && !able.includes(again)) return undefined;
    const others = able.filter(({ identifier }) => identifier !== wanted.notAgain);
    const chosen = again ?? chooseByPriority(others.length > 0 ? others : able, this.random());
    if (!chosen) return undefined;
    this.paces.get(chosen.identifier)?.take();
    return chosen.identifier;
  }

  /** The one with the largest share, to be named for a message that does not leave. */
  standIn({ international }: Pick<Wanted, 'international'>): string | undefined {
    const able = this.places.filter(({ supports_international }) => !international || supports_international);
    return able.reduce<ProviderShare | undefined>(
      (largest, place) => (largest && largest.priority >= place.priority ? largest : place),
      undefined,
    )?.identifier;
  }

  /** True when nobody in use could ever take it, as opposed to nobody having room just now. */
  noProviderSupports({ international }: Pick<Wanted, 'international'>): boolean {
    return !this.places.some(({ supports_international }) => !international || supports_international);
  }

  find(name: string): Provider<Message> | undefined {
    return this.inUse.get(name);
  }

  async close(): Promise<void> {
    await Promise.all([...this.inUse.values()].map((provider) => provider.close?.()));
  }

  private availableAt(name: string): number {
    return Math.max(0, this.paces.get(name)?.available() ?? Number.POSITIVE_INFINITY);
  }
}
