import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Failure } from '../../failure.ts';

/** A body that is still arriving cannot be evicted for this long. */
const evictAfter_ms = 2_000;

/** Bodies of this size leave strings that V8 collects late: a few of them would keep hundreds of megabytes. */
const large_bytes = 1024 * 1024;
/** Triggers a collection when large bodies have left this much garbage and the process has this size. */
const garbage = { min_bytes: 16 * 1024 * 1024, process_bytes: 320 * 1024 * 1024 };

/** A body that has not arrived completely. */
export interface ArrivingBody {
  /** The time at which its first bytes arrived, from `performance.now()`. */
  readonly since: number;
  /** Rejects the request and releases its memory. */
  drop(): void;
}

/**
 * Limits the total bytes of request bodies in memory, from their arrival until the response is sent. When it is full,
 * the oldest body that is still arriving is dropped, so that slow clients cannot block the others.
 */
export class BodyMemory {
  private readonly max_bytes: number;
  private readonly whole: BodyMemory | undefined;
  private readonly arriving = new Set<ArrivingBody>();
  private held_bytes = 0;
  /** Garbage of large bodies since the last collection. */
  private garbage_bytes = 0;

  constructor(max_bytes: number, whole?: BodyMemory) {
    this.max_bytes = max_bytes;
    this.whole = whole;
  }

  /** Returns a separately limited part of this memory, so that the rest stays available to others. */
  share(fraction: number): BodyMemory {
    return new BodyMemory(Math.floor(this.max_bytes * fraction), this);
  }

  /** Throws if there is no room. */
  hold(bytes: number): void {
    if (this.held_bytes + bytes > this.max_bytes) this.makeRoom(bytes);
    this.whole?.hold(bytes);
    this.held_bytes += bytes;
  }

  release(bytes: number): void {
    this.held_bytes -= bytes;
    if (this.whole) this.whole.release(bytes);
    else if (bytes >= large_bytes) this.discard(bytes);
  }

  private discard(bytes: number): void {
    this.garbage_bytes += bytes;
    if (this.garbage_bytes < garbage.min_bytes || process.memoryUsage.rss() < garbage.process_bytes) return;
    this.garbage_bytes = 0;
    // Wait for the current callbacks, which may still refer to the body.
    setImmediate(collectGarbage);
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
    const latest = performance.now() - evictAfter_ms;
    // In order of arrival. Dropping a body removes it from the set.
    for (const body of this.arriving) {
      if (body.since > latest) break;
      body.drop();
      if (this.held_bytes + bytes <= this.max_bytes) return;
    }
    throw noRoom();
  }
}

/** The failure of a request whose body is not read to the end. The rest is discarded as it arrives. */
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

/** Collects a file that must be complete. While it arrives, it counts towards the memory of request bodies. */
export async function collectBytes(memory: BodyMemory, bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  let chunks: Uint8Array[] = [];
  let held = 0;
  let dropped = false;
  const release = () => {
    memory.release(held);
    held = 0;
    chunks = [];
  };
  const arriving = {
    since: performance.now(),
    drop: () => {
      dropped = true;
      memory.end(arriving);
      release();
    },
  };
  memory.begin(arriving);
  try {
    for await (const chunk of bytes) {
      if (!dropped) memory.hold(chunk.length);
      if (dropped) throw noRoom();
      held += chunk.length;
      chunks.push(chunk);
    }
    const file = new Uint8Array(held);
    let at = 0;
    for (const chunk of chunks) {
      file.set(chunk, at);
      at += chunk.length;
    }
    return file;
  } finally {
    memory.end(arriving);
    release();
  }
}

/**
 * By default, V8 lets a large heap grow to four times the live size before it collects the old generation; or, if little is allocated, by
 * only a tenth, and then it collects every second. With this flag the heap always grows by half.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString('--heap-growing-percent=50');
}

let collect: (() => void) | undefined;

/** Collects all garbage now, which pauses the process for some tens of milliseconds. */
function collectGarbage(): void {
  // V8 exposes it only with a flag. The flag can be set at any time, but applies only to new contexts.
  if (!collect) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  collect();
}
