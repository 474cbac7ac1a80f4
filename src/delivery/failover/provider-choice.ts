import type { Provider } from '../providers/provider.ts';
import type { ProviderShare } from './provider-details.sql.ts';
import type { ProviderRateLimiter } from './provider-rate-limiter.ts';

/** Chooses randomly, weighted by priority. If all priorities are 0, all candidates are equally likely. */
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

interface Requirements {
  international: boolean;
  /** This provider may already have the message, so it is used again whatever its share. */
  required?: string | null;
  /** This provider just failed, so another one is preferred. */
  avoid?: string | null;
}

/** Enough for the few messages of most leases. With hundreds, drawing and sending that many names would take longer than leasing. */
const drawsWithoutLimit = 20;
/** The multiples of the golden ratio, modulo 1, are evenly spread however many there are. */
const goldenRatio = 0.618_033_988_749_895;

/** The active providers of one channel, with their shares as last read. */
export class ProviderChoice<Message> {
  private readonly inUse: Map<string, Provider<Message>>;
  private readonly rateLimiters: ReadonlyMap<string, ProviderRateLimiter>;
  private readonly random: () => number;
  private shares: ProviderShare[] = [];

  /** `rateLimiters` contains the providers that have a rate limit. */
  constructor(
    providers: Provider<Message>[],
    rateLimiters: ReadonlyMap<string, ProviderRateLimiter>,
    random: () => number = Math.random,
  ) {
    this.inUse = new Map(providers.map((provider) => [provider.name, provider]));
    this.rateLimiters = rateLimiters;
    this.random = random;
  }

  /** Takes the rows of the provider table. Called every few seconds. */
  update(shares: ProviderShare[]): void {
    this.shares = shares.filter(({ identifier, active }) => active && this.inUse.has(identifier));
  }

  /** Returns how many messages can be handed over now. Without an active provider there is no limit: each message fails on its own. */
  capacity(): number {
    if (this.shares.length === 0) return Number.POSITIVE_INFINITY;
    return this.shares.reduce((sum, { identifier }) => sum + this.availableAt(identifier), 0);
  }

  /**
   * Draws providers for the next messages, domestic and international, within the rate limits. If there are more messages than draws, the
   * list repeats. The first draw is random and the others follow evenly, so that a few messages already match the shares. Takes no
   * capacity, because the messages determine which draws are used.
   */
  draw(count: number): { home: (string | null)[]; abroad: (string | null)[] } {
    const drawFrom = (shares: ProviderShare[]) => {
      const left = new Map(shares.map(({ identifier }) => [identifier, this.availableAt(identifier)]));
      const isLimited = shares.some(({ identifier }) => this.rateLimiters.has(identifier));
      const length = isLimited ? count : Math.min(count, shares.length > 1 ? drawsWithoutLimit : 1);
      const start = this.random();
      let able = shares;
      return Array.from({ length }, (_, index) => {
        able = able.filter(({ identifier }) => (left.get(identifier) ?? 0) >= 1);
        const chosen = able.length === 1 ? able[0] : chooseByPriority(able, (start + index * goldenRatio) % 1);
        if (!chosen) return null;
        left.set(chosen.identifier, (left.get(chosen.identifier) ?? 0) - 1);
        return chosen.identifier;
      });
    };
    return {
      home: drawFrom(this.shares),
      abroad: drawFrom(this.shares.filter(({ supports_international }) => supports_international)),
    };
  }

  /** Takes capacity of a drawn provider. The message then waits for its slot, or releases the capacity. */
  take(name: string): void {
    this.rateLimiters.get(name)?.take();
  }

  release(name: string): void {
    this.rateLimiters.get(name)?.release();
  }

  /** Resolves when a message may be sent within the rate of the provider. */
  async waitForSlot(name: string, lane: number): Promise<void> {
    await this.rateLimiters.get(name)?.waitForSlot(lane);
  }

  /** Chooses a provider and takes some of its capacity. */
  choose(requirements: Requirements): string | undefined {
    const able = this.shares.filter(
      ({ identifier, supports_international }) =>
        (!requirements.international || supports_international) && this.availableAt(identifier) >= 1,
    );
    const required = this.shares.find(({ identifier }) => identifier === requirements.required);
    // Another provider would send a second message: wait for the one that may already have it.
    if (required && !able.includes(required)) return undefined;
    const others = able.filter(({ identifier }) => identifier !== requirements.avoid);
    const chosen = required ?? chooseByPriority(others.length > 0 ? others : able, this.random());
    if (!chosen) return undefined;
    this.rateLimiters.get(chosen.identifier)?.take();
    return chosen.identifier;
  }

  /** Returns the provider with the largest share, to record for a message that is not sent. */
  simulatedProvider({ international }: Pick<Requirements, 'international'>): string | undefined {
    const able = this.shares.filter(({ supports_international }) => !international || supports_international);
    return able.reduce<ProviderShare | undefined>(
      (largest, share) => (largest && largest.priority >= share.priority ? largest : share),
      undefined,
    )?.identifier;
  }

  /** True if no active provider supports the message, as opposed to all being at their rate limit. */
  noProviderSupports({ international }: Pick<Requirements, 'international'>): boolean {
    return !this.shares.some(({ supports_international }) => !international || supports_international);
  }

  find(name: string): Provider<Message> | undefined {
    return this.inUse.get(name);
  }

  async close(): Promise<void> {
    await Promise.all([...this.inUse.values()].map((provider) => provider.close?.()));
  }

  private availableAt(name: string): number {
    return this.rateLimiters.get(name)?.available() ?? Number.POSITIVE_INFINITY;
  }
}
