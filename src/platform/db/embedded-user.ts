import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { OperatorError } from '../operator-error.ts';

/** The account PostgreSQL runs under when Pennypost itself runs as root; PostgreSQL refuses root. */
export interface ServerUser {
  uid: number;
  gid: number;
}

/** Undefined on systems without numeric users. */
export function ownUid(): number | undefined {
  return process.getuid?.();
}

export function chooseServerUser(passwd = readFileSync('/etc/passwd', 'utf8')): ServerUser {
  for (const wanted of ['postgres', 'nobody']) {
    for (const line of passwd.split('\n')) {
      const [name, , uid, gid] = line.split(':');
      // macOS writes nobody as -2; the kernel wants it unsigned.
      if (name === wanted && Number(uid) !== 0) return { uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 };
    }
  }
  throw new OperatorError(
    'PostgreSQL cannot run as root, and there is neither a user "postgres" nor a user "nobody" to run it as. ' +
      'Start Pennypost as an ordinary user, create one of these users, or set DATABASE_URL.',
  );
}

export const READ = 4;
const ENTER = 1;
export const EXECUTE = 1;

export function isPermitted(user: ServerUser, path: string, wanted: number): boolean {
  const { mode, uid, gid } = statSync(path);
  const shift = uid === user.uid ? 6 : gid === user.gid ? 3 : 0;
  return ((mode >> shift) & wanted) === wanted;
}

/** The first folder on the way to `folder` (itself included) that the user cannot enter. */
export function findBarrier(user: ServerUser, folder: string): string | undefined {
  const real = realpathSync(folder);
  const way = [real];
  for (let at = real; at !== dirname(at); at = dirname(at)) way.unshift(dirname(at));
  return way.find((step) => !isPermitted(user, step, ENTER));
}
