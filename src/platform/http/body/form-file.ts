import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Failure } from '../../failure.ts';
import { type BodyMemory, UnreadBody } from './body-memory.ts';
import { collectBytes } from './collect-bytes.ts';

/** The file of a form, read while it arrives. It can be read once. */
export class FormFile {
  readonly filename: string;
  private readonly field: string;
  private readonly stream: Readable;
  private readonly max_bytes: number;
  private readonly memory: BodyMemory;
  private readonly hash = createHash('sha256');

  constructor(file: { filename: string; field: string; stream: Readable; max_bytes: number; memory: BodyMemory }) {
    this.filename = file.filename;
    this.field = file.field;
    this.stream = file.stream;
    this.max_bytes = file.max_bytes;
    this.memory = file.memory;
  }

  /** Throws beyond the limit, which is that of the form unless another is given. */
  async *read(max_bytes = this.max_bytes): AsyncGenerator<Buffer> {
    let length = 0;
    for await (const chunk of completely(this.stream)) {
      length += chunk.length;
      if (length > max_bytes) throw new FileTooLarge(this.field, max_bytes);
      this.hash.update(chunk);
      yield chunk;
    }
  }

  /** The whole file, for what cannot be read piece by piece. */
  bytes(): Promise<Uint8Array> {
    return collectBytes(this.memory, this.read());
  }

  /** SHA-256 of what was read, in base64url. Can be called once. */
  digest(): string {
    return this.hash.digest('base64url');
  }
}

async function* completely(stream: Readable): AsyncGenerator<Buffer> {
  try {
    yield* stream as AsyncIterable<Buffer>;
  } catch (error) {
    throw unreadableForm(error);
  }
}

class FileTooLarge extends UnreadBody {
  constructor(field: string, max_bytes: number) {
    super('too-large', 'BadRequestError', { [field]: [`The file must not be larger than ${sizeOf(max_bytes)}.`] });
  }
}

function sizeOf(bytes: number): string {
  const mebibyte = 1024 * 1024;
  return bytes < mebibyte ? `${Math.floor(bytes / 1024)} kB` : `${Math.floor(bytes / mebibyte)} MB`;
}

/** Forms end with a boundary: one that does not was cut off, or is none. */
export function unreadableForm(cause: unknown): Failure {
  return new Failure('invalid', 'BadRequestError', 'The form did not arrive completely. Send it again.', { cause });
}
