import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { bodyTimeout, closeUnlessComplete, tooLarge } from './incoming-body.ts';

/** How long a client may continue to send after its response, so that it can reuse the connection. */
const discarded_ms = 10_000;

/** A body that the route reads in chunks. The client sends no faster than it is read (backpressure), and nothing is buffered. */
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
   * Can be read once. Throws if the body is too large, or if the client has kept us waiting for longer than a request may take. Our own
   * processing time does not count.
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

  /** Returns the SHA-256 of the bytes read so far, in base64url. Can be called once. */
  digest(): string {
    return this.hash.digest('base64url');
  }

  /** Called when the response has been sent. A client that is still sending can finish and reuse the connection. */
  release(): void {
    this.isReleased = true;
    this.payload.resume();
    closeUnlessComplete(this.payload, discarded_ms);
  }

  /** Returns whether `read` still enforces its own time limit instead of the server's. */
  timeOut(): boolean {
    return !this.isReleased;
  }

  /** Waits until there is more to read, or the end. If the client disconnects, this is a 400 and not an error of ours. */
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
      const timer = setTimeout(() => settle(bodyTimeout(this.timeout_ms)), Math.max(0, timeout_ms));
      payload.on('readable', arrived).on('end', arrived).on('error', failed).on('close', closed);
      if (payload.destroyed && !payload.readableEnded) closed();
    });
  }
}
