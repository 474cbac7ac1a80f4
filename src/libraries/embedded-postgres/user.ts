import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';

/** The user that runs PostgreSQL when Pennypost runs as root, because PostgreSQL refuses to run as root. */
export interface ServerUser {
  uid: number;
  gid: number;
}

/** Returns undefined on systems without numeric users. */
export function ownUid(): number | undefined {
  return process.getuid?.();
}

export function chooseServerUser(passwd = readFileSync('/etc/passwd', 'utf8')): ServerUser {
  for (const wanted of ['pennypost', 'postgres', 'nobody']) {
    const user = findUser(wanted, passwd);
    if (user && user.uid !== 0) return user;
  }
  throw new EmbeddedPostgresError(
    'PostgreSQL cannot run as root, and there is no user "pennypost", "postgres" or "nobody" to run it as. ' +
      'Start Pennypost as an ordinary user, create one of these users (useradd --system pennypost), or set DATABASE_URL.',
  );
}

/** Other programs run as `nobody` too, and any of them can read the database. */
export function isNobody({ uid }: ServerUser, passwd = readFileSync('/etc/passwd', 'utf8')): boolean {
  return findUser('nobody', passwd)?.uid === uid;
}

function findUser(wanted: string, passwd: string): ServerUser | undefined {
  for (const line of passwd.split('\n')) {
    const [name, , uid, gid] = line.split(':');
    // macOS lists nobody as -2; the kernel expects an unsigned id.
    if (name === wanted) return { uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 };
  }
  return undefined;
}

export const readMode = 4;
const enterMode = 1;
export const executeMode = 1;

export function isPermitted(user: ServerUser, path: string, wanted: number): boolean {
  const { mode, uid, gid } = statSync(path);
  const shift = uid === user.uid ? 6 : gid === user.gid ? 3 : 0;
  return ((mode >> shift) & wanted) === wanted;
}

/** Returns the first folder on the path to `folder` (inclusive) that the user cannot enter. */
export function findForbiddenFolder(user: ServerUser, folder: string): string | undefined {
  const real = realpathSync(folder);
  const path = [real];
  for (let at = real; at !== dirname(at); at = dirname(at)) path.unshift(dirname(at));
  return path.find((step) => !isPermitted(user, step, enterMode));
}
