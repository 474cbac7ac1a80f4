import type { Readable, Writable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { maxBodyBytes, tooManyValues } from './body-limits.ts';
import type { BodyMemory } from './body-memory.ts';
import { FormFile, unreadableForm } from './form-file.ts';
import { tooLarge } from './incoming-body.ts';
import type { StreamedBody } from './streamed-body.ts';

interface FileRule {
  /** The name of its field. Files of other names are discarded. */
  field: string;
  max_bytes: number;
  memory: BodyMemory;
  maxFields: number;
}

export interface MultipartForm {
  /** Those that arrived before the file: an HTML form has its file last. */
  fields: [name: string, value: string][];
  /** Undefined when none was chosen. */
  file: FormFile | undefined;
  /** Must be called when the file is not needed any more: what still arrives is discarded. */
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
    // Its only reason: a content type without a boundary.
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
