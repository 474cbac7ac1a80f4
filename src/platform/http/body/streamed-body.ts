import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { arrivedTooSlowly, closeUnlessComplete, tooLarge } from './incoming-body.ts';

/** How long a client that has its response may go on sending, to use its connection again. */
const discarded_ms = 10_000;

/** A body that its route reads piece by piece: the client sends no faster than it is read, and nothing is kept. */
export class StreamedBody {
  private readonly payload: IncomingMessage;
  private readonly timeout_ms: number;
  private readonly hash = createHash('sha256');
  private isReleased = false;

  constructor(payload: IncomingMessage, timeout_ms: number) {
    this.payload = payload;
    this.timeout_ms = timeout_ms;
  }

  /**
   * Can be read once. Throws beyond the limit, and when the client has kept us waiting for longer than a request may take. The
   * time that we need for what has arrived does not count.
   */
  async *read(max_bytes: number): AsyncGenerator<Buffer> {
    if (Number(this.payload.headers['content-length'] ?? 0) > max_bytes) throw tooLarge();
    let length = 0;
    for (let left_ms = this.timeout_ms; ; ) {
      const chunk: Buffer | null = this.payload.read();
      if (chunk) {
        length += chunk.length;
        if (length > max_bytes) throw tooLarge();
        this.hash.update(chunk);
        yield chunk;
      } else if (this.payload.readableEnded) return;
      else {
        const began = performance.now();
        await this.next(left_ms);
        left_ms -= performance.now() - began;
      }
    }
  }

  /** SHA-256 of what was read, in base64url. Can be called once. */
  digest(): string {
    return this.hash.digest('base64url');
  }

  /** Called when the response was sent: a client that is still sending can finish, and use its connection again. */
  release(): void {
    this.isReleased = true;
    this.payload.resume();
    closeUnlessComplete(this.payload, discarded_ms);
  }

  /** Whether the time limit of the server does not apply, because `read` has its own. */
  timeOut(): boolean {
    return !this.isReleased;
  }

  /** Until there is more to read, or the end. A client that stops before the end is no failure of ours. */
  private next(timeout_ms: number): Promise<void> {
    const { payload } = this;
    return new Promise((resolve, reject) => {
      const settle = (error?: Error) => {
        clearTimeout(timer);
        payload.off('readable', arrived).off('end', arrived).off('error', failed).off('close', closed);
        if (error) reject(error);
        else resolve();
      };
      const arrived = () => settle();
      const failed = (error: Error) => settle(Object.assign(error, { statusCode: 400 }));
      const closed = () => failed(new Error('The client closed the connection'));
      const timer = setTimeout(() => settle(arrivedTooSlowly(this.timeout_ms)), Math.max(0, timeout_ms));
      payload.on('readable', arrived).on('end', arrived).on('error', failed).on('close', closed);
      if (payload.destroyed && !payload.readableEnded) closed();
    });
  }
}
