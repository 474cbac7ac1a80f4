import { randomBytes } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  cpSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import { isTrusted, sharedFolders } from './location.ts';
import { executeMode, findForbiddenFolder, isPermitted, readMode, type ServerUser } from './user.ts';

export interface Binaries {
  initdb: string;
  postgres: string;
  pgCtl: string;
  /** The version of the npm package, for example 18.4.0-beta.17. */
  version: string;
}

/** Returns the packaged PostgreSQL, or a copy of it where the server's user can access it. */
export function findBinaries(user: ServerUser | undefined, packaged = findPackage()): Binaries {
  const { version } = JSON.parse(readFileSync(join(packaged, 'package.json'), 'utf8'));
  const folder = isUsable(packaged, user) ? packaged : findOrMakeCopy(packaged, version, user);
  const bin = join(folder, 'native', 'bin');
  const program = (name: string) => join(bin, fileName(name));
  return { initdb: program('initdb'), postgres: program('postgres'), pgCtl: program('pg_ctl'), version };
}

function fileName(program: string): string {
  return process.platform === 'win32' ? `${program}.exe` : program;
}

export function packageFor(platform: string, arch: string): string {
  return `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`;
}

function findPackage(): string {
  const name = packageFor(process.platform, process.arch);
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL for this machine (npm package ${name}) is not installed. ` +
        'Install with optional dependencies, or set DATABASE_URL to use a PostgreSQL of your own.',
    );
  }
}

function isUsable(packaged: string, user: ServerUser | undefined): boolean {
  const native = join(packaged, 'native');
  const programs = ['initdb', 'postgres', 'pg_ctl'].map((name) => join(native, 'bin', fileName(name)));
  try {
    linkLibraries(packaged);
    for (const program of programs) accessSync(program, constants.R_OK | constants.X_OK);
  } catch {
    return false;
  }
  if (user === undefined) return true;
  return (
    ['bin', 'lib', 'share'].every((part) => findForbiddenFolder(user, join(native, part)) === undefined) &&
    programs.every((program) => isPermitted(user, program, readMode | executeMode)) &&
    isPermitted(user, join(native, 'share', 'postgresql', 'postgres.bki'), readMode)
  );
}

/** The package creates these links in an install script, which npm may be configured not to run. */
function linkLibraries(packaged: string): void {
  const list = join(packaged, 'native', 'pg-symlinks.json');
  const links: { source: string; target: string }[] = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : [];
  for (const { source, target } of links) {
    const link = join(packaged, target);
    if (lstatSync(link, { throwIfNoEntry: false }) !== undefined) continue;
    try {
      symlinkSync(relative(dirname(target), source), link);
    } catch (error) {
      // Another process may have created it at the same time.
      if (lstatSync(link, { throwIfNoEntry: false }) === undefined) throw error;
    }
  }
}

function findOrMakeCopy(packaged: string, version: string, user: ServerUser | undefined): string {
  for (const shared of sharedFolders(user)) {
    const copy = join(shared, `postgresql-${version}`);
    if (isTrusted(copy) || makeCopy(packaged, copy)) return copy;
  }
  throw new EmbeddedPostgresError(
    `PostgreSQL's programs in ${packaged} cannot be used by the user they must run as, and there is no folder to copy ` +
      'them to. Install Pennypost where other users may enter, start it as an ordinary user, or set DATABASE_URL.',
  );
}

function makeCopy(packaged: string, copy: string): boolean {
  const draft = `${copy}.${randomBytes(6).toString('hex')}`;
  try {
    cpSync(packaged, draft, { recursive: true, verbatimSymlinks: true });
    linkLibraries(draft);
    settle(draft);
    renameSync(draft, copy);
    return true;
  } catch {
    rmSync(draft, { recursive: true, force: true });
    return isTrusted(copy);
  }
}

/**
 * Makes the copy readable and executable for all users and syncs it to disk, which takes 0.4 s for its thousand files. Otherwise a copy
 * truncated by a power failure would count as complete.
 */
function settle(path: string): void {
  const found = lstatSync(path);
  if (found.isSymbolicLink()) return;
  const isProgram = basename(dirname(path)) === 'bin';
  const opened = openSync(path, constants.O_RDONLY);
  fchmodSync(opened, found.isDirectory() || isProgram ? 0o755 : 0o644);
  fsyncSync(opened);
  closeSync(opened);
  if (found.isDirectory()) for (const name of readdirSync(path)) settle(join(path, name));
}
