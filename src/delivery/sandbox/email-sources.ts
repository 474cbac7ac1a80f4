import { writeFile } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { firstIdAt, newId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import type { StorageSettings } from '../../platform/settings.ts';
import { parseEmail, type SentEmail } from '../../rendering/email/sent-email.ts';
import type { EmailThreads } from '../../templates/email-threads.ts';
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
export interface SandboxEmail extends SentEmail {
  source: Buffer;
}

/** A longer email is parsed in a thread. */
const maxParsedHere = 100_000;

/** Returns undefined if this machine does not have the email. Each process keeps its own. */
export async function findSentEmail(
  app: Deps & { emailThreads: EmailThreads },
  id: string,
): Promise<SandboxEmail | undefined> {
  const source = await findSource(app, id);
  if (!source) return undefined;
  const isLong = source.length > maxParsedHere;
  const parsed = isLong ? app.emailThreads.forRequest('sandbox').run('parseEmail', source) : parseEmail(source);
  return { source, ...(await parsed) };
}

export async function findSource(app: Deps, id: string): Promise<Buffer | undefined> {
  const location = await selectSource(app.db, id);
  return location && readSource(app, location);
}
