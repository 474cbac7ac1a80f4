import type { IncomingMessage } from 'node:http';
import { type ArrivingBody, type BodyMemory, noRoom, UnreadBody } from './body-memory.ts';

type Done = (error: Error | null, body?: Buffer) => void;

const nothing = Buffer.alloc(0);
/** How long a client that was too slow may take to read its response. */
const readResponse_ms = 2_000;

/** The body of one request, limited by its route and by the memory for all bodies. */
export class IncomingBody implements ArrivingBody {
  since = 0;
  private readonly memory: BodyMemory;
  private readonly limit: number;
  /** The content length; undefined without that header. */
  private readonly announced: number | undefined;
  private readonly done: Done;
  private bytes: Buffer = nothing;
  private length = 0;
  private held = 0;
  private isFinished = false;

  constructor(payload: IncomingMessage, limits: { memory: BodyMemory; limit: number }, done: Done) {
    this.memory = limits.memory;
    this.limit = limits.limit;
    this.done = done;
    const announced = payload.headers['content-length'];
    this.announced = announced === undefined ? undefined : Number(announced);
    // The listeners stay: after a rejection they discard the rest of the body.
    payload.on('data', (chunk: Buffer) => this.take(chunk));
    payload.on('end', () => this.finish());
    payload.on('error', (error: Error) => this.fail(Object.assign(error, { statusCode: 400 })));
    if ((this.announced ?? 0) > this.limit) this.fail(tooLarge());
  }

  /** Must be called when the response is sent or the client is gone. */
  release(): void {
    this.stop();
    this.memory.release(this.held);
    this.held = 0;
    this.bytes = nothing;
  }

  drop(): void {
    this.fail(noRoom());
  }

  /** Responds that the body arrives too slowly. Returns false if the body is complete. */
  timeOut(payload: IncomingMessage, timeout_ms: number): boolean {
    if (this.isFinished) return false;
    this.fail(bodyTimeout(timeout_ms));
    closeUnlessComplete(payload, readResponse_ms);
    return true;
  }

  private take(chunk: Buffer): void {
    if (this.isFinished) return;
    const end = this.length + chunk.length;
    try {
      if (end > this.limit) throw tooLarge();
      if (this.length === 0) this.keepFirst(chunk);
      else this.append(chunk, end);
    } catch (error) {
      this.fail(error as Error);
    }
  }

  /** Avoids a copy, because most bodies consist of one chunk. */
  private keepFirst(chunk: Buffer): void {
    this.hold(chunk.length);
    this.bytes = chunk;
    this.length = chunk.length;
    if (chunk.length === this.announced) return;
    this.since = performance.now();
    this.memory.begin(this);
  }

  /** Appends to one buffer that doubles in size. Stored separately, chunks of one byte would take a hundred times their size. */
  private append(chunk: Buffer, end: number): void {
    if (end > this.bytes.length) {
      const size = Math.max(end, Math.min(this.announced ?? this.limit, end * 2));
      this.hold(size - this.bytes.length);
      const larger = Buffer.allocUnsafe(size);
      this.bytes.copy(larger, 0, 0, this.length);
      this.bytes = larger;
    }
    chunk.copy(this.bytes, this.length);
    this.length = end;
  }

  private hold(bytes: number): void {
    this.memory.hold(bytes);
    this.held += bytes;
  }

  private finish(): void {
    if (this.isFinished) return;
    this.stop();
    const { bytes, length } = this;
    this.bytes = nothing;
    this.done(null, length === bytes.length ? bytes : bytes.subarray(0, length));
  }

  private fail(error: Error): void {
    if (this.isFinished) return;
    this.release();
    this.done(error);
  }

  private stop(): void {
    if (!this.isFinished && this.since > 0) this.memory.end(this);
    this.isFinished = true;
  }
}

export function tooLarge(): UnreadBody {
  return new UnreadBody('too-large', 'BadRequestError', 'Request body is too large');
}

export function bodyTimeout(timeout_ms: number): UnreadBody {
  const seconds = Math.round(timeout_ms / 1_000);
  return new UnreadBody('timeout', 'RequestTimeoutError', `The request did not arrive within ${seconds} seconds`);
}

/** Closing the connection at once would reset it, and a client that is still sending would not see its response. */
export function closeUnlessComplete(payload: IncomingMessage, after_ms: number): void {
  if (payload.complete || payload.readableEnded) return;
  const timer = setTimeout(() => payload.destroy(), after_ms).unref();
  payload.once('end', () => clearTimeout(timer));
}
