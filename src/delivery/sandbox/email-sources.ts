import { writeFile } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import PostalMime, { decodeWords, type Email } from 'postal-mime';
import { firstIdAt, newId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import type { StorageSettings } from '../../platform/settings.ts';
import { decodeEntities } from '../../rendering/escape.ts';
import { type SourceLocation, selectSource } from './sandbox.sql.ts';

interface OfFolder {
  config: { storage: StorageSettings };
}

function folderOf({ config }: OfFolder): string {
  return join(config.storage.dataDir, 'outbox');
}

function pathOf(app: OfFolder, source_file: string): string {
  return join(folderOf(app), `${source_file}.emails`);
}

/** Takes half the CPU time of `fs.promises.writeFile`, which opens a file handle. */
const createFile = promisify(writeFile);

/** Writes the emails to one new file. Returns their locations, in the same order. */
export async function writeSources(app: OfFolder, sources: Buffer[], now: Date): Promise<SourceLocation[]> {
  const source_file = newId(now);
  let end = 0;
  const locations = sources.map(({ length }) => {
    const source_start = end;
    end += length;
    return { source_file, source_start, source_length: length };
  });
  await mkdir(folderOf(app), { recursive: true, mode: 0o700 });
  await createFile(pathOf(app, source_file), Buffer.concat(sources, end), { mode: 0o600 });
  return locations;
}

/** Returns undefined if this machine does not have the file. Each process writes its own. */
function readSource(app: OfFolder, location: SourceLocation): Promise<Buffer | undefined> {
  const { source_start, source_length } = location;
  return inFile(app, location, 'r', async (file) => {
    const { buffer } = await file.read(Buffer.alloc(source_length), 0, source_length, source_start);
    return buffer;
  });
}

/** Overwrites the email with zeros, if this machine has the file. */
export async function eraseSource(app: OfFolder, location: SourceLocation): Promise<void> {
  const { source_start, source_length } = location;
  await inFile(app, location, 'r+', (file) => file.write(Buffer.alloc(source_length), 0, source_length, source_start));
}

/** Returns undefined if this machine does not have the file. Each process writes its own. */
async function inFile<T>(
  app: OfFolder,
  { source_file }: SourceLocation,
  flags: 'r' | 'r+',
  work: (file: FileHandle) => Promise<T>,
): Promise<T | undefined> {
  let file: FileHandle;
  try {
    file = await open(pathOf(app, source_file), flags);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return await work(file);
  } finally {
    await file.close();
  }
}

/** For emails stored by release 0.3 or earlier, which have a file each. */
export function deleteOldFile(app: OfFolder, reference: string): Promise<void> {
  return rm(join(folderOf(app), `${reference}.eml`), { force: true });
}

/** The file name contains its creation time. */
export async function deleteSourcesBefore(app: OfFolder, cutoff: Date): Promise<void> {
  const folder = folderOf(app);
  const firstKept = firstIdAt(cutoff);
  for (const name of await readdir(folder).catch(() => [])) {
    // The print folder is in the same folder.
    const [, id] = /^([0-9a-f-]{36})\.(?:emails|eml)$/.exec(name) ?? [];
    if (id !== undefined && id < firstKept) await rm(join(folder, name), { force: true });
  }
}

type Deps = Platform & { config: { storage: StorageSettings } };

/** An email as the sandbox received it. */
export interface SentEmail {
  source: Buffer;
  html: string;
  text: string;
  /** In their original order, decoded. */
  headers: { name: string; value: string }[];
  from: string;
  reply_to: string;
  /** The distinct URLs in its links. */
  links: string[];
  /** The URL for one-click unsubscribing by mail clients (RFC 8058). */
  unsubscribe_url: string | undefined;
  attachments: { filename: string; mime_type: string; size_in_bytes: number }[];
}

/** Returns undefined if this machine does not have the email. Each process keeps its own. */
export async function findSentEmail(app: Deps, id: string): Promise<SentEmail | undefined> {
  const source = await findSource(app, id);
  return source && parseEmail(source);
}

export async function findSource(app: Deps, id: string): Promise<Buffer | undefined> {
  const location = await selectSource(app.db, id);
  return location && readSource(app, location);
}

async function parseEmail(source: Buffer): Promise<SentEmail> {
  const email = await PostalMime.parse(source);
  const header = (name: string) => email.headers.find(({ key }) => key === name)?.value ?? '';
  const html = email.html ?? '';
  return {
    source,
    html,
    text: email.text ?? '',
    headers: email.headers.map(({ originalKey, value }) => ({ name: originalKey, value: decodeWords(value) })),
    from: mailbox(email.from),
    reply_to: (email.replyTo ?? []).map(mailbox).join(', '),
    links: linksOf(html),
    unsubscribe_url: /<([^>]*)>/.exec(header('list-unsubscribe'))?.[1],
    attachments: email.attachments.map(({ filename, mimeType, content }) => ({
      filename: filename ?? '',
      mime_type: mimeType,
      size_in_bytes: Buffer.from(content as ArrayBuffer).length,
    })),
  };
}

function mailbox(address: Email['from']): string {
  if (!address) return '';
  return address.name ? `${address.name} <${address.address ?? ''}>` : (address.address ?? '');
}

function linksOf(html: string): string[] {
  const found = [...html.matchAll(/<a\s[^>]*?href\s*=\s*(?:"([^"]*)"|'([^']*)')/gi)];
  return [...new Set(found.map(([, double, single]) => decodeEntities(double ?? single ?? '').trim()))];
}
