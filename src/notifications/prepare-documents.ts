import { randomBytes } from 'node:crypto';
import { digestOfKey, digestOfRecipient, documentPath, documentUrl, encrypt } from '../documents/document-links.ts';
import { type DocumentRow, recordDocuments } from '../documents/documents.ts';
import {
  extensionOf,
  type FileType,
  fileTypeOfContent,
  fileTypeOfName,
  supportedExtensions,
} from '../documents/file-types.ts';
import { timestamp } from '../platform/clock.ts';
import { invalid } from '../platform/failure.ts';
import { newId } from '../platform/id.ts';
import { refuseIfInfected } from '../platform/virus-scan.ts';
import { emailFilePath } from '../templates/template-email-files.ts';
import type { EmailFile } from '../templates/template-row.ts';
import type { FileRequest } from './file-requests.ts';
import { decodeBase64 } from './letter-rules.ts';
import type { Values } from './send-rules.ts';
import type { Sender, SendingApp } from './sender.ts';
import type { MessageFiles } from './store-and-answer.ts';

const largestBytes = 2 * 1024 * 1024 + 1024;
const longestFilename = 100;
const rememberedSizes = 10_000;

/** Files of one email, ready to be stored: their links stand among the values in place of the uploads. */
interface PreparedDocuments extends MessageFiles {
  values: Values;
}

/** A file of the email: uploaded with the request, or belonging to the template. */
interface EmailFiles {
  uploads: FileRequest[];
  ofTemplate: EmailFile[];
}

interface Prepared {
  /** The placeholder that becomes the link, and how the link is written. */
  name: string;
  link: (url: string) => string;
  row: DocumentRow;
  key: Buffer;
  /** Nothing to store when the file is there already. */
  encrypted: Buffer | null;
}

export async function prepareDocuments(
  app: SendingApp,
  sender: Sender,
  { uploads, ofTemplate }: EmailFiles,
  recipient: string,
): Promise<PreparedDocuments> {
  const prepared: Prepared[] = [];
  for (const upload of uploads) prepared.push(await prepareUpload(app, sender, upload, recipient));
  for (const file of ofTemplate) prepared.push(await prepareTemplateFile(app, sender, file, recipient));
  return {
    values: Object.fromEntries(
      prepared.map(({ name, link, row, key }) => [
        name,
        link(documentUrl(app.config.BASE_URL, row, key.toString('base64url'))),
      ]),
    ),
    async put() {
      for (const { row, encrypted } of prepared) if (encrypted) await app.files.put(documentPath(row), encrypted);
    },
    async remove() {
      for (const { row, encrypted } of prepared) if (encrypted) await app.files.remove(documentPath(row));
    },
    record: (tx) =>
      recordDocuments(
        tx,
        prepared.map(({ row }) => row),
      ),
  };
}

/** Encrypted with a key of its own, which only the link holds: without the email nobody can read it. */
async function prepareUpload(
  app: SendingApp,
  sender: Sender,
  request: FileRequest,
  recipient: string,
): Promise<Prepared> {
  const content = decodeDocument(request.file);
  await refuseIfInfected(app.virusScanner, content);
  const key = randomBytes(32);
  const type = typeOf(request, content);
  const row = newDocument(app, sender, recipient, {
    filename: request.filename,
    type,
    size_in_bytes: content.length,
    confirm_email: request.confirm_email,
    retention_weeks: request.retention_weeks,
  });
  return { name: request.name, link: (url) => url, row, key, encrypted: encrypt(key, content) };
}

/** Kept once for all recipients; the link is as secret as that of an upload. */
async function prepareTemplateFile(
  app: SendingApp,
  sender: Sender,
  file: EmailFile,
  recipient: string,
): Promise<Prepared> {
  const { filename, link_text } = file;
  const shared_path = emailFilePath(sender.service.id, file.id);
  const key = randomBytes(32);
  const row = newDocument(app, sender, recipient, {
    filename,
    type: fileTypeOfName(filename) ?? unsupported(extensionOf(filename)),
    size_in_bytes: await sizeOfFile(app, shared_path),
    confirm_email: file.validate_users_email,
    retention_weeks: file.retention_period,
  });
  return {
    name: filename,
    link: (url) => (link_text ? `[${link_text}](${url})` : url),
    row: { ...row, shared_path, key_digest: digestOfKey(key) },
    key,
    encrypted: null,
  };
}

function newDocument(
  app: SendingApp,
  { service, now }: Sender,
  recipient: string,
  file: {
    filename: string | null;
    type: FileType;
    size_in_bytes: number;
    confirm_email: boolean;
    retention_weeks: number;
  },
): DocumentRow {
  const id = newId(now);
  return {
    id,
    service_id: service.id,
    filename: file.filename,
    file_extension: file.type.extension.slice(1),
    mime_type: file.type.mime_type,
    size_in_bytes: file.size_in_bytes,
    recipient_digest: file.confirm_email ? digestOfRecipient(app, id, recipient) : null,
    shared_path: null,
    key_digest: null,
    available_until: timestamp(new Date(now.getTime() + file.retention_weeks * 7 * 86_400_000)),
    created_at: timestamp(now),
  };
}

/** Files of templates never change, so each is measured once. */
async function sizeOfFile(app: SendingApp, path: string): Promise<number> {
  const { fileSizes } = app.sending;
  const known = fileSizes.get(path);
  if (known !== undefined) return known;
  const content = await app.files.get(path);
  if (!content) throw invalid('A file of the template has not been uploaded');
  if (fileSizes.size >= rememberedSizes) fileSizes.clear();
  fileSizes.set(path, content.length);
  return content.length;
}

/** For a simulated recipient nothing is kept, so every link leads to the same example. */
export function exampleDocuments(
  app: SendingApp,
  { service }: Sender,
  { uploads, ofTemplate }: EmailFiles,
): PreparedDocuments {
  const url = `${app.config.BASE_URL}/services/${service.id}/documents/test-document`;
  const names = [...uploads.map(({ name }) => name), ...ofTemplate.map(({ filename }) => filename)];
  return {
    values: Object.fromEntries(names.map((name) => [name, url])),
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
