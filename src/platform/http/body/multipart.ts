import { createHash } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { Failure } from '../../failure.ts';
import { maxBodyBytes, tooManyValues } from './body-limits.ts';
import { type BodyMemory, collectBytes, UnreadBody } from './body-memory.ts';
import { tooLarge } from './incoming-body.ts';
import type { StreamedBody } from './streamed-body.ts';

interface FileRule {
  /** The name of the file field. Files in other fields are discarded. */
  field: string;
  max_bytes: number;
  memory: BodyMemory;
  maxFields: number;
}

export interface MultipartForm {
  /** Fields that arrived before the file. An HTML form must have its file last. */
  fields: [name: string, value: string][];
  /** Undefined if no file was chosen. */
  file: FormFile | undefined;
  /** Must be called when the file is no longer needed; discards the rest of the body. */
  stop(): void;
}

/** Reads `multipart/form-data` up to the file, which then arrives no faster than it is read. */
export function readMultipart(body: StreamedBody, contentType: string, rule: FileRule): Promise<MultipartForm> {
  return new Promise((resolve, reject) => {
    const fields: MultipartForm['fields'] = [];
    let file: Readable | undefined;
    let onStop = () => {};
    const stopped = new Promise<'stopped'>((done) => {
      onStop = () => done('stopped');
    });
    const fail = (error: Error) => {
      onStop();
      file?.destroy(error);
      reject(error);
    };

    const parser = openParser(contentType, rule.maxFields, fail);
    if (!parser) return fail(unreadableForm(undefined));
    let length = 0;
    parser.on('field', (name, value, _nameTruncated, isTruncated) => {
      length += name.length + value.length;
      if (isTruncated || length > maxBodyBytes) fail(tooLarge());
      else fields.push([name, value]);
    });
    parser.on('file', (name, stream, filename) => {
      // A file input without a file is sent with an empty name.
      if (name !== rule.field || !filename || file) return void stream.resume();
      file = stream;
      // Without a listener, an error before the file is read would end the process.
      stream.on('error', () => {});
      resolve({ fields: [...fields], file: new FormFile({ filename, stream, ...rule }), stop: onStop });
    });
    parser.on('finish', () => resolve({ fields, file: undefined, stop: onStop }));

    pump(body, parser, stopped).catch(fail);
  });
}

function openParser(contentType: string, maxFields: number, fail: (error: Error) => void) {
  try {
    const limits = { fields: maxFields, parts: maxFields + 10, fieldSize: maxBodyBytes, headerSize: 16 * 1024 };
    const parser = new Busboy({ headers: { 'content-type': contentType }, limits });
    parser.on('error', (error) => fail(unreadableForm(error)));
    for (const limit of ['fieldsLimit', 'partsLimit'] as const) parser.on(limit, () => fail(tooManyValues()));
    return parser;
  } catch {
    // It only throws for a content type without a boundary.
    return undefined;
  }
}

async function pump(body: StreamedBody, parser: Writable, stopped: Promise<'stopped'>): Promise<void> {
  try {
    for await (const chunk of body.read(Number.POSITIVE_INFINITY)) {
      const written = new Promise<void>((done) => parser.write(chunk, () => done()));
      if ((await Promise.race([written, stopped])) === 'stopped') return;
    }
    parser.end();
  } finally {
    body.release();
  }
}

/** The file of a form, read while it arrives. It can be read only once. */
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

  /** Throws if the file is larger than `max_bytes`. */
  async *read(max_bytes = this.max_bytes): AsyncGenerator<Buffer> {
    let length = 0;
    for await (const chunk of completely(this.stream)) {
      length += chunk.length;
      if (length > max_bytes) throw new FileTooLarge(this.field, max_bytes);
      this.hash.update(chunk);
      yield chunk;
    }
  }

  /** Reads the whole file, for content that cannot be streamed. */
  bytes(): Promise<Uint8Array> {
    return collectBytes(this.memory, this.read());
  }

  /** Returns the SHA-256 of the bytes read so far, in base64url. Can be called once. */
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

/** A form ends with a boundary; one that does not was cut off, or is not a form. */
function unreadableForm(cause: unknown): Failure {
  return new Failure('invalid', 'BadRequestError', 'The form did not arrive completely. Send it again.', { cause });
}
