import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { tooLarge } from './incoming-body.ts';

/** A body that its route reads piece by piece: the client sends no faster than it is read, and nothing is kept. */
export class StreamedBody {
  private readonly payload: IncomingMessage;
  private readonly hash = createHash('sha256');

  constructor(payload: IncomingMessage) {
    this.payload = payload;
  }

  /** Can be read once. Throws beyond the limit. */
  async *read(max_bytes: number): AsyncGenerator<Buffer> {
    if (Number(this.payload.headers['content-length'] ?? 0) > max_bytes) throw tooLarge();
    // To destroy the request would close the connection before the client has its response.
    const chunks = this.payload.iterator({ destroyOnReturn: false });
    let length = 0;
    for await (const chunk of clientErrors(chunks)) {
      length += chunk.length;
      if (length > max_bytes) throw tooLarge();
      this.hash.update(chunk);
      yield chunk;
    }
  }

  /** SHA-256 of what was read, in base64url. Can be called once. */
  digest(): string {
    return this.hash.digest('base64url');
  }

  /** Called when the response was sent: a client that is still sending can finish, and use its connection again. */
  release(): void {
    this.payload.resume();
  }
}

/** A client that stops before the end is no failure of ours. */
async function* clientErrors(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* chunks;
  } catch (error) {
    throw Object.assign(error as Error, { statusCode: 400 });
  }
}
