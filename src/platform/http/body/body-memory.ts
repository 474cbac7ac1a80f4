import { Failure } from '../../failure.ts';

/** A body that is still arriving keeps its place for this long, even when others find none. */
const undisturbed_ms = 2_000;

/** A body of which not everything is here yet. */
export interface ArrivingBody {
  /** When its first bytes came, by `performance.now()`. */
  readonly since: number;
  /** Refuses the request, and releases what it holds. */
  drop(): void;
}

/**
 * How many bytes of request bodies are in memory at once, over all requests in flight: from their arrival until the
 * response has left. When there is no room, the oldest body that is still arriving is dropped, so that slow clients cannot
 * keep the others out.
 */
export class BodyMemory {
  private readonly max_bytes: number;
  private readonly whole: BodyMemory | undefined;
  private readonly arriving = new Set<ArrivingBody>();
  private held_bytes = 0;

  constructor(max_bytes: number, whole?: BodyMemory) {
    this.max_bytes = max_bytes;
    this.whole = whole;
  }

  /** A part of it that is filled by itself: what is outside always has the rest. */
  share(fraction: number): BodyMemory {
    return new BodyMemory(Math.floor(this.max_bytes * fraction), this);
  }

  /** Throws when there is no room now. */
  hold(bytes: number): void {
    if (this.held_bytes + bytes > this.max_bytes) this.makeRoom(bytes);
    this.whole?.hold(bytes);
    this.held_bytes += bytes;
  }

  release(bytes: number): void {
    this.held_bytes -= bytes;
    this.whole?.release(bytes);
  }

  begin(body: ArrivingBody): void {
    this.arriving.add(body);
    this.whole?.begin(body);
  }

  end(body: ArrivingBody): void {
    this.arriving.delete(body);
    this.whole?.end(body);
  }

  private makeRoom(bytes: number): void {
    const latest = performance.now() - undisturbed_ms;
    // In the order in which they began. Dropping one takes it off the list.
    for (const body of this.arriving) {
      if (body.since > latest) break;
      body.drop();
      if (this.held_bytes + bytes <= this.max_bytes) return;
    }
    throw noRoom();
  }
}

/** What is wrong with a body that is not read to its end: the rest is discarded as it arrives. */
export class UnreadBody extends Failure {}

export function noRoom(): UnreadBody {
  return new UnreadBody(
    'unavailable',
    'ServiceUnavailableError',
    'Too many large requests at once, try again shortly',
    {
      headers: { 'retry-after': '1' },
    },
  );
}
