import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { timestamp } from '../platform/clock.ts';
import { Failure, invalid } from '../platform/failure.ts';
import { newId } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import { type DocumentRow, insertDocuments } from './documents.sql.ts';
import type { FileRequest } from './file-requests.ts';
import { extensionOf, type FileType, fileTypeOfContent, fileTypeOfName, supportedExtensions } from './file-types.ts';
import { decodeBase64 } from './letter-rules.ts';
import type { Values } from './send-rules.ts';
import type { Sender, SendingApp } from './sender.ts';
import type { MessageFiles } from './store-and-answer.ts';

const largestBytes = 2 * 1024 * 1024 + 1024;
const longestFilename = 100;

/** Files of one email, ready to be stored: their links stand among the values in place of the uploads. */
export interface PreparedDocuments extends MessageFiles {
  values: Values;
}

/** Each file is encrypted with a key of its own, which only the link holds: without the email nobody can read it. */
export async function prepareDocuments(
  app: SendingApp,
  { service, now }: Sender,
  files: FileRequest[],
  recipient: string,
): Promise<PreparedDocuments> {
  const documents: { row: DocumentRow; name: string; key: Buffer; encrypted: Buffer }[] = [];
  for (const request of files) {
    const content = decodeDocument(request.file);
    await refuseIfInfected(app, content);
    const type = typeOf(request, content);
    const id = newId(now);
    const row: DocumentRow = {
      id,
      service_id: service.id,
      filename: request.filename,
      file_extension: type.extension.slice(1),
      mime_type: type.mime_type,
      size_in_bytes: content.length,
      recipient_digest: request.confirm_email ? digestOfRecipient(app, id, recipient) : null,
      available_until: timestamp(new Date(now.getTime() + request.retention_weeks * 7 * 86_400_000)),
      created_at: timestamp(now),
    };
    const key = randomBytes(32);
    documents.push({ row, name: request.name, key, encrypted: encrypt(key, content) });
  }
  return {
    values: Object.fromEntries(
      documents.map(({ name, row, key }) => [name, documentUrl(app.config.BASE_URL, row, key)]),
    ),
    async put() {
      for (const { row, encrypted } of documents) await app.files.put(documentPath(row), encrypted);
    },
    async remove() {
      for (const { row } of documents) await app.files.remove(documentPath(row));
    },
    record: (tx) =>
      insertDocuments(
        tx,
        documents.map(({ row }) => row),
      ),
  };
}

/** For a simulated recipient nothing is kept, so every link leads to the same example. */
export function exampleDocuments(app: SendingApp, { service }: Sender, files: FileRequest[]): PreparedDocuments {
  const url = `${app.config.BASE_URL}/services/${service.id}/documents/test-document`;
  return {
    values: Object.fromEntries(files.map(({ name }) => [name, url])),
    put: async () => {},
    remove: async () => {},
  };
}

function decodeDocument(file: string): Buffer {
  const content = /^[A-Za-z0-9+/]*={0,2}$/.test(file) ? decodeBase64(file) : undefined;
  if (!content) throw invalid('Document is not base64 encoded');
  if (content.length === 0) throw invalid('Document must not be empty');
  if (content.length > largestBytes) throw invalid('Uploaded file exceeds file size limit');
  return content;
}

async function refuseIfInfected({ virusScanner }: SendingApp, content: Buffer): Promise<void> {
  const verdict = await virusScanner.scan(content).catch((cause: unknown) => {
    throw new Failure('unavailable', 'ServiceUnavailableError', 'The virus scanner cannot be reached', { cause });
  });
  if (verdict === 'infected') throw invalid('File did not pass the virus scan');
}

function typeOf({ filename, is_csv }: FileRequest, content: Buffer): FileType {
  if (filename !== null && filename.length > longestFilename) {
    throw invalid(`\`filename\` cannot be longer than ${longestFilename} characters`);
  }
  if (filename !== null) return fileTypeOfName(filename) ?? unsupported(extensionOf(filename));
  const type = fileTypeOfContent(content);
  if (is_csv && type.mime_type === 'text/plain') return { extension: '.csv', mime_type: 'text/csv' };
  return type.extension === '' ? unsupported(type.mime_type) : type;
}

function unsupported(type: string): never {
  const supported = supportedExtensions.map((extension) => `'${extension}'`).join(', ');
  throw invalid(`Unsupported file type '${type}'. Supported types are: ${supported}`);
}

export function documentPath({ id, service_id }: { id: string; service_id: string }): string {
  return `documents/${service_id}/${id}`;
}

/** Bound to the document, so that equal addresses do not show. */
export function digestOfRecipient(app: Pick<Platform, 'secrets'>, documentId: string, address: string): string {
  return app.secrets.digest('document-recipient', `${documentId} ${address}`);
}

function encrypt(key: Buffer, content: Buffer): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  return Buffer.concat([nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()]);
}

/** Undefined when the key is not the right one. */
export function decrypt(key: Buffer, encrypted: Buffer): Buffer | undefined {
  if (key.length !== 32 || encrypted.length < 28) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, encrypted.subarray(0, 12));
  decipher.setAuthTag(encrypted.subarray(-16));
  try {
    return Buffer.concat([decipher.update(encrypted.subarray(12, -16)), decipher.final()]);
  } catch {
    return undefined;
  }
}

function documentUrl(baseUrl: string, { id, service_id }: DocumentRow, key: Buffer): string {
  return `${baseUrl}/d/${shortId(service_id)}/${shortId(id)}?key=${key.toString('base64url')}`;
}

/** Ids in links are the 16 bytes of the UUID in base64url: 22 characters instead of 36. */
export function shortId(id: string): string {
  return Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url');
}

export function longId(short: string): string | undefined {
  const hex = Buffer.from(short, 'base64url').toString('hex');
  if (hex.length !== 32) return undefined;
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
