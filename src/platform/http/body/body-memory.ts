import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Failure } from '../../failure.ts';

/** A body that is still arriving cannot be evicted for this long. */
const undisturbed_ms = 2_000;

/** Bodies from this size on leave strings that V8 collects late: a few of them would take hundreds of megabytes. */
const large_bytes = 1024 * 1024;
/** Garbage of large bodies is collected when there is this much of it and the process has grown to this size. */
const garbage = { min_bytes: 16 * 1024 * 1024, process_bytes: 320 * 1024 * 1024 };

/** A body that has not arrived completely. */
export interface ArrivingBody {
  /** When its first bytes arrived, by `performance.now()`. */
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
  /** Of large bodies, since the last collection. */
  private garbage_bytes = 0;

  constructor(max_bytes: number, whole?: BodyMemory) {
    this.max_bytes = max_bytes;
    this.whole = whole;
  }

  /** A separately limited part of this memory, so that the rest stays available to others. */
  share(fraction: number): BodyMemory {
    return new BodyMemory(Math.floor(this.max_bytes * fraction), this);
  }

  /** Throws when there is no room. */
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
    // After the current callbacks, which may still refer to the body.
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
    const latest = performance.now() - undisturbed_ms;
    // In order of arrival. Dropping a body removes it from the set.
    for (const body of this.arriving) {
      if (body.since > latest) break;
      body.drop();
      if (this.held_bytes + bytes <= this.max_bytes) return;
    }
    throw noRoom();
  }
}

/** Failure of a request whose body is not read to its end; the rest is discarded as it arrives. */
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

/** Collects a file that needs to be complete. While it arrives, it is counted in the memory of request bodies. */
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
 * V8 lets a large heap grow to four times what is in use before it collects the old generation, or to a tenth more if little is
 * allocated, and then collects it every second. With this it always grows by half.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString('--heap-growing-percent=50');
}

let collect: (() => void) | undefined;

/** Collects all garbage now, which stops the process for some tens of milliseconds. */
function collectGarbage(): void {
  // V8 offers this only behind a flag, which may be set at any time but takes effect in new contexts.
  if (!collect) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  collect();
}
