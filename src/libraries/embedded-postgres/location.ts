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
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import { chooseServerUser, findForbiddenFolder, ownUid, type ServerUser } from './user.ts';

/** The folder of the server's files, and the user it runs as (undefined: the current user). */
export interface Location {
  folder: string;
  user: ServerUser | undefined;
}

/** 0711 lets the server's user traverse to its own folder, but not list or read anything above it. */
export function createDataDir(dataDir: string): void {
  const leaf = resolve(dataDir);
  const topmost = mkdirSync(leaf, { recursive: true });
  if (topmost === undefined) return;
  for (let at = leaf; ; at = dirname(at)) {
    chmodSync(at, 0o711);
    if (at === topmost) return;
  }
}

/** Returns the folder of the server's files, if it is not in the data folder. */
export function findRecordedLocation(dataDir: string): string | undefined {
  const pointer = pointerIn(dataDir);
  return existsSync(pointer) ? readFileSync(pointer, 'utf8').trim() : undefined;
}

function pointerIn(dataDir: string): string {
  return join(dataDir, 'postgres.location');
}

export function findOrCreateLocation(dataDir: string): Location {
  createDataDir(dataDir);
  const home = realpathSync(dataDir);
  const pointer = pointerIn(home);
  const recorded = findRecordedLocation(home);
  if (recorded !== undefined && !existsSync(recorded)) {
    throw new EmbeddedPostgresError(
      `${pointer} points to the database folder ${recorded}, which does not exist. ` +
        `Restore that folder, or delete ${pointer} to begin with an empty database.`,
    );
  }
  const folder = recorded ?? join(home, 'postgres');
  return findExisting(folder) ?? createLocation(home, folder, pointer);
}

function findExisting(folder: string): Location | undefined {
  if (!existsSync(folder)) return undefined;
  const { uid, gid } = statSync(folder);
  // Windows has no numeric users, and its folders inherit permissions.
  if (ownUid() === undefined) return { folder, user: undefined };
  if (uid === ownUid()) return uid === 0 ? undefined : { folder, user: undefined };
  if (ownUid() !== 0) {
    throw new EmbeddedPostgresError(
      `${folder} belongs to another user (uid ${uid}). Start Pennypost as that user, or as root.`,
    );
  }
  // The owner of the files runs the server, whoever that is.
  const user = { uid, gid };
  const barrier = findForbiddenFolder(user, folder);
  if (barrier === undefined) return { folder, user };
  throw new EmbeddedPostgresError(
    `The database in ${folder} belongs to uid ${uid}, who may not enter ${barrier}. Allow it: chmod o+x ${barrier}`,
  );
}

function createLocation(home: string, folder: string, pointer: string): Location {
  if (ownUid() !== 0) {
    mkdirSync(folder, { mode: 0o700, recursive: true });
    return { folder, user: undefined };
  }
  const user = chooseServerUser();
  if (findForbiddenFolder(user, home) === undefined && createFolderFor(folder, user)) return { folder, user };

  for (const shared of sharedFolders(user)) {
    const elsewhere = join(shared, randomBytes(6).toString('hex'));
    if (!createFolderFor(elsewhere, user)) continue;
    const draft = `${pointer}.${process.pid}`;
    writeFileSync(draft, `${elsewhere}\n`);
    try {
      // Unlike a rename, a link fails if another process was first: both must use the same location.
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
  throw new EmbeddedPostgresError(
    `PostgreSQL cannot run as root, and the user it runs as (uid ${user.uid}) cannot reach ${home}. ` +
      'Choose a DATA_DIR that other users may enter, start Pennypost as an ordinary user, or set DATABASE_URL.',
  );
}

/** Returns false where chown fails, as on some network and desktop container mounts. */
function createFolderFor(folder: string, user: ServerUser): boolean {
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
 * Yields our folders that the server's user can access, best first. The first may be an inaccessible DATA_DIR and the last may be cleared
 * at boot, so there is one in between.
 */
export function* sharedFolders(user: ServerUser | undefined): Generator<string> {
  const temporary = join(tmpdir(), `pennypost-${ownUid() ?? 'shared'}`);
  for (const folder of ['/var/lib/pennypost', '/var/lib/pennypost-shared', temporary]) {
    try {
      if (mkdirSync(folder, { recursive: true }) !== undefined) chmodSync(folder, 0o755);
    } catch {
      continue;
    }
    if (isTrusted(folder) && (user === undefined || findForbiddenFolder(user, folder) === undefined)) yield folder;
  }
}

/**
 * Trusts only folders that root or we own and that only the owner can write: programs are run from there, and anyone can create a name in
 * /tmp.
 */
export function isTrusted(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const found = [lstatSync(folder), statSync(folder)];
  const isOpen = ((found[1]?.mode ?? 0) & 0o022) !== 0;
  return !isOpen && found.every(({ uid }) => uid === 0 || uid === ownUid());
}

/** The full path of a socket is limited to 104 bytes on macOS and 108 on Linux. */
const maxSocketFolder_bytes = 100 - '/.s.PGSQL.5432'.length;

/** The unix socket is the only way to connect, and only the server's user (and root) can access its folder. So no password is needed. */
export function createSocketFolder({ folder, user }: Location): string {
  const uid = user?.uid ?? ownUid();
  const inside = join(folder, 'run');
  const short = `pennypost-${createHash('sha256').update(folder).digest('hex').slice(0, 12)}`;
  const candidates = [inside, join(tmpdir(), short), join('/tmp', short)];
  for (const candidate of candidates) {
    if (Buffer.byteLength(candidate) > maxSocketFolder_bytes) continue;
    if (user !== undefined && findForbiddenFolder(user, dirname(candidate)) !== undefined) continue;
    if (mkdirSync(candidate, { mode: 0o700, recursive: true }) !== undefined && user !== undefined) {
      chownSync(candidate, user.uid, user.gid);
    }
    const found = lstatSync(candidate);
    if (found.uid === uid && found.isDirectory()) {
      chmodSync(candidate, 0o700);
      return candidate;
    }
  }
  throw new EmbeddedPostgresError(`No usable folder for PostgreSQL's socket: tried ${candidates.join(', ')}`);
}
