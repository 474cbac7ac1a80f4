import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { day_ms, later, timestamp } from '../platform/clock.ts';
import type { Tx } from '../platform/db/database.ts';
import { invalid } from '../platform/failure.ts';
import { decodeBase64 } from '../platform/http/body/base64.ts';
import { newId } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import type { Urls } from '../platform/settings.ts';
import type { Files } from '../platform/storage/files.ts';
import { refuseIfInfected, type VirusScanner } from '../platform/storage/virus-scan.ts';
import {
  describeUnsupported,
  extensionOf,
  type FileType,
  fileIsTooLarge,
  fileTypeOfContent,
  fileTypeOfName,
  maxFileBytes,
} from '../templates/files/file-types.ts';
import type { EmailFile } from '../templates/template-row.ts';
import { emailFilePath } from '../templates/template-row.ts';
import { digestOfKey, documentPath, documentUrl, encrypt, sealRecipient } from './document-links.ts';
import { type DocumentRow, insertDocuments } from './documents.sql.ts';
import type { FileRequest } from './file-requests.ts';
import { type SentFile, typeOfSentFile } from './sent-files.ts';

const maxFilenameLength = 100;

type Deps = Platform & {
  config: { urls: Urls };
  virusScanner: VirusScanner;
  fileSizes: FileSizes;
};

/** The files of one email, ready to be stored. `values` contains the links for the placeholders. */
interface PreparedDocuments {
  values: Record<string, string>;
  count: number;
  /** Storage paths of the uploads. */
  paths: string[];
  put(): Promise<void>;
  record?(tx: Tx): Promise<void>;
}

/** The email that the files belong to. */
interface Email {
  service_id: string;
  /** The normalised address. */
  recipient: string;
  /** The language of the pages behind the links, if the template has several. */
  language: string | null;
  now: Date;
}

/** Files uploaded with the request, and files of the template. */
interface EmailFiles {
  uploads: (FileRequest | SentFile)[];
  ofTemplate: EmailFile[];
}

interface Prepared {
  /** The placeholder that the link replaces, and the format of the link. */
  name: string;
  link: (url: string) => string;
  row: DocumentRow;
  key: Buffer;
  /** Null when the file is already stored. */
  content: (() => Buffer) | null;
}

export async function prepareDocuments(
  app: Deps,
  email: Email,
  { uploads, ofTemplate }: EmailFiles,
): Promise<PreparedDocuments> {
  const prepared: Prepared[] = [];
  for (const upload of uploads) prepared.push(await prepareUpload(app, email, upload));
  for (const file of ofTemplate) prepared.push(await prepareTemplateFile(app, email, file));
  return {
    values: Object.fromEntries(
      prepared.map(({ name, link, row, key }) => [
        name,
        link(documentUrl(app.config.urls.api, row, key.toString('base64url'))),
      ]),
    ),
    count: prepared.length,
    paths: prepared.flatMap(({ row, content }) => (content ? [documentPath(row)] : [])),
    // One after the other: an email over SMTP has a copy of each file for every recipient.
    async put() {
      for (const { row, key, content } of prepared)
        if (content) await app.files.put(documentPath(row), encrypt(key, content()));
    },
    record: (tx) =>
      insertDocuments(
        tx,
        prepared.map(({ row }) => row),
      ),
  };
}

/** Encrypts an upload with a key that exists only in the link. */
async function prepareUpload(app: Deps, email: Email, request: FileRequest | SentFile): Promise<Prepared> {
  const read = () => ('file' in request ? decodeDocument(request.file) : request.content);
  const content = read();
  await refuseIfInfected(app.virusScanner, content);
  const key = randomBytes(32);
  const type = 'file' in request ? typeOf(request, content) : typeOfSentFile(request);
  const row = newDocument(app, email, {
    filename: request.filename,
    type,
    size_in_bytes: content.length,
    confirm_email: request.confirm_email,
    retention_weeks: request.retention_weeks,
  });
  return { name: request.name, link: (url) => url, row, key, content: read };
}

/** Stores the file once for all recipients; each link has its own key. */
async function prepareTemplateFile(app: Deps, email: Email, file: EmailFile): Promise<Prepared> {
  const { filename, link_text } = file;
  const shared_path = emailFilePath(email.service_id, file.id);
  const key = randomBytes(32);
  const row = newDocument(app, email, {
    filename,
    type: fileTypeOfName(filename) ?? unsupported(extensionOf(filename)),
    size_in_bytes: await app.fileSizes.get(shared_path),
    confirm_email: file.validate_users_email,
    retention_weeks: file.retention_period,
  });
  return {
    name: filename,
    link: (url) => (link_text ? `[${link_text}](${url})` : url),
    row: { ...row, shared_path, key_digest: digestOfKey(key) },
    key,
    content: null,
  };
}

function newDocument(
  app: Deps,
  { service_id, recipient, language, now }: Email,
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
    service_id,
    filename: file.filename,
    file_extension: file.type.extension.slice(1),
    mime_type: file.type.mime_type,
    size_in_bytes: file.size_in_bytes,
    recipient_digest: file.confirm_email ? sealRecipient(app, id, recipient) : null,
    shared_path: null,
    key_digest: null,
    language,
    available_until: timestamp(later(now, file.retention_weeks * 7 * day_ms)),
    created_at: timestamp(now),
  };
}

/** For a simulated recipient: returns example links and stores nothing. */
export function exampleDocuments(
  app: Pick<Deps, 'config'>,
  serviceId: string,
  { uploads, ofTemplate }: EmailFiles,
): PreparedDocuments {
  const url = `${app.config.urls.api}/services/${serviceId}/documents/test-document`;
  const names = [...uploads.map(({ name }) => name), ...ofTemplate.map(({ filename }) => filename)];
  return {
    values: Object.fromEntries(names.map((name) => [name, url])),
    count: names.length,
    paths: [],
    put: async () => {},
  };
}

function decodeDocument(file: string): Buffer {
  const content = decodeBase64(file, 'plain');
  if (!content) throw invalid('Document is not base64 encoded');
  if (content.length === 0) throw invalid('Document must not be empty');
  if (content.length > maxFileBytes) throw invalid(fileIsTooLarge);
  return content;
}

function typeOf({ filename, is_csv }: FileRequest, content: Buffer): FileType {
  if (filename !== null && filename.length > maxFilenameLength) {
    throw invalid(`\`filename\` cannot be longer than ${maxFilenameLength} characters`);
  }
  if (filename !== null) return fileTypeOfName(filename) ?? unsupported(extensionOf(filename));
  const type = fileTypeOfContent(content);
  if (is_csv && type.mime_type === 'text/plain') return { extension: '.csv', mime_type: 'text/csv' };
  return type.extension === '' ? unsupported(type.mime_type) : type;
}

function unsupported(type: string): never {
  throw invalid(describeUnsupported(type));
}

/** Caches the sizes of template files by path. A template file never changes. */
export class FileSizes {
  private readonly sizes = new LRUCache<string, number>({ maxSize: 10_000, sizeCalculation: () => 1 });
  private readonly files: Files;

  constructor({ files }: Platform) {
    this.files = files;
  }

  async get(path: string): Promise<number> {
    const cached = this.sizes.get(path);
    if (cached !== undefined) return cached;
    const content = await this.files.get(path);
    if (!content) throw invalid('A file of the template has not been uploaded');
    this.sizes.set(path, content.length);
    return content.length;
  }
}
