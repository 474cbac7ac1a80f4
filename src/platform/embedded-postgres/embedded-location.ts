import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { OperatorError } from '../operator-error.ts';
import { chooseServerUser, findBarrier, ownUid, type ServerUser } from './embedded-user.ts';

/** Where the server keeps everything it owns, and the user it runs as (undefined: our own). */
interface Location {
  folder: string;
  user: ServerUser | undefined;
}

/** 0711: the server's user may pass through to its own folder, and list or read nothing on the way. */
export function createDataDir(dataDir: string): void {
  const leaf = resolve(dataDir);
  const topmost = mkdirSync(leaf, { recursive: true });
  if (topmost === undefined) return;
  for (let at = leaf; ; at = dirname(at)) {
    chmodSync(at, 0o711);
    if (at === topmost) return;
  }
}

export function findOrCreateLocation(dataDir: string): Location {
  createDataDir(dataDir);
  const home = realpathSync(dataDir);
  const pointer = join(home, 'postgres.location');
  const recorded = existsSync(pointer) ? readFileSync(pointer, 'utf8').trim() : undefined;
  if (recorded !== undefined && !existsSync(recorded)) {
    throw new OperatorError(
      `${pointer} says that the database is kept in ${recorded}, which is not there. ` +
        `Restore that folder, or delete ${pointer} to begin with an empty database.`,
    );
  }
  const folder = recorded ?? join(home, 'postgres');
  return findExisting(folder) ?? createLocation(home, folder, pointer);
}

function findExisting(folder: string): Location | undefined {
  if (!existsSync(folder)) return undefined;
  const { uid, gid } = statSync(folder);
  if (uid === ownUid()) return uid === 0 ? undefined : { folder, user: undefined };
  if (ownUid() !== 0) {
    throw new OperatorError(
      `${folder} belongs to another user (uid ${uid}). Start Pennypost as that user, or as root.`,
    );
  }
  // Whoever made the database owns its files, so the server runs as that user, whichever it is.
  const user = { uid, gid };
  const barrier = findBarrier(user, folder);
  if (barrier === undefined) return { folder, user };
  throw new OperatorError(
    `The database in ${folder} belongs to uid ${uid}, who may not enter ${barrier}. Allow it: chmod o+x ${barrier}`,
  );
}

function createLocation(home: string, folder: string, pointer: string): Location {
  if (ownUid() !== 0) {
    mkdirSync(folder, { mode: 0o700, recursive: true });
    return { folder, user: undefined };
  }
  const user = chooseServerUser();
  if (findBarrier(user, home) === undefined && giveFolder(folder, user)) return { folder, user };

  for (const shared of sharedFolders(user)) {
    const elsewhere = join(shared, randomBytes(6).toString('hex'));
    if (!giveFolder(elsewhere, user)) continue;
    const draft = `${pointer}.${process.pid}`;
    writeFileSync(draft, `${elsewhere}\n`);
    try {
      // A link, unlike a rename, fails when another process was first: both must end in one place.
      linkSync(draft, pointer);
      return { folder: elsewhere, user };
    } catch (error) {
      rmSync(elsewhere, { recursive: true });
      if (!existsSync(pointer)) throw error;
      return findOrCreateLocation(home);
    } finally {
      rmSync(draft);
    }
  }
  throw new OperatorError(
    `PostgreSQL cannot run as root, and the user it runs as (uid ${user.uid}) cannot reach ${home}. ` +
      'Choose a DATA_DIR that other users may enter, start Pennypost as an ordinary user, or set DATABASE_URL.',
  );
}

/** False where ownership cannot be given away, as on some network and desktop container mounts. */
function giveFolder(folder: string, user: ServerUser): boolean {
  try {
    mkdirSync(folder, { mode: 0o700, recursive: true });
    chmodSync(folder, 0o700);
    chownSync(folder, user.uid, user.gid);
    return true;
  } catch {
    return false;
  }
}

/**
 * Folders of ours that the server's user can reach, best first. The first may be somebody's closed DATA_DIR, and the last
 * may be emptied when the machine starts, so there is one between them.
 */
export function* sharedFolders(user: ServerUser | undefined): Generator<string> {
  const temporary = join(tmpdir(), `pennypost-${ownUid() ?? 'shared'}`);
  for (const folder of ['/var/lib/pennypost', '/var/lib/pennypost-shared', temporary]) {
    try {
      if (mkdirSync(folder, { recursive: true }) !== undefined) chmodSync(folder, 0o755);
    } catch {
      continue;
    }
    if (isTrusted(folder) && (user === undefined || findBarrier(user, folder) === undefined)) yield folder;
  }
}

/** Programs are started from there, and a name in /tmp is anybody's: only what root or we have made, and alone can change. */
export function isTrusted(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const found = [lstatSync(folder), statSync(folder)];
  const isOpen = ((found[1]?.mode ?? 0) & 0o022) !== 0;
  return !isOpen && found.every(({ uid }) => uid === 0 || uid === ownUid());
}

/** A socket's whole path must fit into 104 bytes on macOS and 108 on Linux. */
const LONGEST_SOCKET_FOLDER = 100 - '/.s.PGSQL.5432'.length;

/**
 * The folder of the unix socket is the only door to the server, and it opens for the server's user (and root) alone:
 * that is why the door itself asks for no password.
 */
export function createSocketFolder({ folder, user }: Location): string {
  const uid = user?.uid ?? ownUid();
  const inside = join(folder, 'run');
  const short = `pennypost-${createHash('sha256').update(folder).digest('hex').slice(0, 12)}`;
  const candidates = [inside, join(tmpdir(), short), join('/tmp', short)];
  for (const candidate of candidates) {
    if (Buffer.byteLength(candidate) > LONGEST_SOCKET_FOLDER) continue;
    if (user !== undefined && findBarrier(user, dirname(candidate)) !== undefined) continue;
    if (mkdirSync(candidate, { mode: 0o700, recursive: true }) !== undefined && user !== undefined) {
      chownSync(candidate, user.uid, user.gid);
    }
    const found = lstatSync(candidate);
    if (found.uid === uid && found.isDirectory()) {
      chmodSync(candidate, 0o700);
      return candidate;
    }
  }
  throw new OperatorError(`No place for PostgreSQL's socket: tried ${candidates.join(', ')}`);
}
