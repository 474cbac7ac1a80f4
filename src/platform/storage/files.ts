import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { unavailable } from '../failure.ts';

/** A file store, by paths such as `logos/2026/a.png`. */
export interface Files {
  put(path: string, content: Uint8Array): Promise<void>;
  /** Returns undefined if the file does not exist. */
  get(path: string): Promise<Buffer | undefined>;
  remove(path: string): Promise<void>;
  /** Deletes unfinished files that crashed processes left before that moment. */
  removeUnfinished(before: Date): Promise<void>;
}

/** The disk or a quota is full, or the disk is read-only. */
const noRoom = new Set(['ENOSPC', 'EDQUOT', 'EROFS']);

/** Stores files in a folder. Writes are atomic and durable: written to a temporary file, synced, then renamed. */
export function localFiles(folder: string): Files {
  const unfinished = join(folder, '.unfinished');
  const place = (path: string) => {
    const inside = normalize(path);
    if (inside.startsWith('..') || inside.startsWith('/')) throw new Error('A file path leaves its folder');
    return join(folder, inside);
  };
  return {
    async put(path, content) {
      const target = place(path);
      const aside = join(unfinished, `${randomBytes(12).toString('hex')}.part`);
      try {
        for (const needed of [unfinished, dirname(target)]) await mkdir(needed, { recursive: true, mode: 0o700 });
        await writeWhole(aside, content);
        await rename(aside, target);
      } catch (error) {
        await rm(aside, { force: true }).catch(() => undefined);
        throw noRoom.has(String((error as NodeJS.ErrnoException).code))
          ? unavailable('There is no room for files, try again shortly', error)
          : error;
      }
    },
    async get(path) {
      try {
        return await readFile(place(path));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    remove: (path) => rm(place(path), { force: true }),
    async removeUnfinished(before) {
      for (const name of await readdir(unfinished).catch(emptyIfMissing)) {
        const path = join(unfinished, name);
        const written = await stat(path).catch(emptyIfMissing);
        if ('mtime' in written && written.mtime < before) await rm(path, { force: true });
      }
    },
  };
}

/** The folder may not exist yet, or the file may have been renamed since it was listed. */
function emptyIfMissing(error: NodeJS.ErrnoException): never[] {
  if (error.code !== 'ENOENT') throw error;
  return [];
}

async function writeWhole(path: string, content: Uint8Array): Promise<void> {
  const handle = await open(path, 'w', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
