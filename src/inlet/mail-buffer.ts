import type { Readable } from 'node:stream';
import type { BodyMemory } from '../platform/http/body/body-memory.ts';
import type { FairLimiter } from '../platform/threads/limiter.ts';
import { Reply } from './replies.ts';

/** An email up to this size is read at once; a larger one waits for its turn. */
export const smallMail_bytes = 64 * 1024;

/** Reads one email into memory, which counts towards the memory of request bodies. */
export class MailBuffer {
  private readonly memory: BodyMemory;
  private readonly turns: FairLimiter;
  private readonly limits: { max_bytes: number; timeout_ms: number };
  /** Takes no memory where nothing has been written yet. */
  private buffer = Buffer.alloc(0);
  private size_bytes = 0;
  private endTurn: (() => void) | undefined;
  /** Also of what is not kept. */
  received_bytes = 0;

  constructor(memory: BodyMemory, turns: FairLimiter, limits: { max_bytes: number; timeout_ms: number }) {
    this.memory = memory;
    this.turns = turns;
    this.limits = limits;
  }

  /** Returns undefined if the email is too large. It is then read to its end, but not kept. */
  async read(owner: string, stream: Readable): Promise<Buffer | undefined> {
    const { max_bytes } = this.limits;
    let timer = this.startTimer(stream);
    this.growTo(smallMail_bytes);
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        this.received_bytes += chunk.length;
        if (this.received_bytes > max_bytes) this.release();
        else {
          if (this.received_bytes > smallMail_bytes && !this.endTurn) {
            clearTimeout(timer);
            // Nothing is read from the client until then, so it waits.
            this.endTurn = await this.turns.acquire(owner, max_bytes);
            this.growTo(max_bytes);
            timer = this.startTimer(stream);
          }
          this.append(chunk);
        }
      }
    } finally {
      clearTimeout(timer);
    }
    return this.received_bytes > max_bytes ? undefined : this.buffer.subarray(0, this.size_bytes);
  }

  release(): void {
    this.memory.release(this.size_bytes);
    this.size_bytes = 0;
    this.buffer = Buffer.alloc(0);
    this.endTurn?.();
    this.endTurn = undefined;
  }

  private startTimer(stream: Readable): NodeJS.Timeout {
    const timeout = () => stream.destroy(new Reply(421, '4.4.2 The email took too long'));
    return setTimeout(timeout, this.limits.timeout_ms).unref();
  }

  private growTo(bytes: number): void {
    const { buffer } = this;
    this.buffer = Buffer.allocUnsafeSlow(bytes);
    buffer.copy(this.buffer, 0, 0, this.size_bytes);
  }

  private append(chunk: Buffer): void {
    this.memory.hold(chunk.length);
    chunk.copy(this.buffer, this.size_bytes);
    this.size_bytes += chunk.length;
  }
}
