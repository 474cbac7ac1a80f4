import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { migrationFiles } from '../../src/platform/db/migrate.ts';
import type { ServiceData } from '../kit/world/service-with-data.ts';

interface RecordedRelease {
  version: string;
  /** SHA-256 by file name. */
  migrations: Record<string, string>;
  /** Those in the database of the backup. */
  services: ServiceData[];
}

const folder = 'test/upgrade/recorded';
const file = join(folder, 'release.json');
export const recordedBackup = join(folder, 'backup');

/** The newest release; undefined until `node scripts/record-release.mjs` has recorded the first one. */
export const recorded: RecordedRelease | undefined = existsSync(file)
  ? JSON.parse(readFileSync(file, 'utf8'))
  : undefined;

/** Set by scripts/record-release.mjs. */
export const isRecording = process.env.RECORD_RELEASE === 'true';

export const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

export function digestOf(migration: string): string {
  return createHash('sha256')
    .update(readFileSync(join('migrations', migration)))
    .digest('hex');
}

/** Replaces the recorded release by this version. */
export function record(services: ServiceData[], backUp: (to: string) => void): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  backUp(recordedBackup);
  const migrations = Object.fromEntries(migrationFiles().map((name) => [name, digestOf(name)]));
  writeFileSync(file, JSON.stringify({ version, migrations, services } satisfies RecordedRelease));
}

interface Previous {
  /** Also says why it is not the newest release. */
  name: string;
  tag: string | undefined;
}

/** The release that this version replaces, or this version itself where that cannot be built. */
export function findPrevious(): Previous {
  const own = (why: string) => ({ name: `this version (${why})`, tag: undefined });
  if (isRecording) return own('which is being recorded');
  if (!recorded) return own('no release is recorded yet');
  const tag = `v${recorded.version}`;
  if (!existsSync('.git')) return own('these files have no history');
  return hasCommit(tag) ? { name: recorded.version, tag } : own(`this clone does not have the tag ${tag}`);
}

function hasCommit(tag: string): boolean {
  try {
    execFileSync('git', ['cat-file', '-e', `${tag}^{commit}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export interface BuiltRelease extends Previous {
  folder: string;
  remove(): void;
}

/** A folder with the release, compiled and ready to start. */
export function build({ name, tag }: Previous): BuiltRelease {
  if (tag === undefined) return { name, tag, folder: resolve('.'), remove: () => {} };
  const unpacked = mkdtempSync(join(tmpdir(), `pennypost-${name}-`));
  const archive = execFileSync('git', ['archive', tag], { maxBuffer: 2 ** 28 });
  execFileSync('tar', ['-x', '-C', unpacked], { input: archive });
  if (isInstalled(unpacked)) {
    symlinkSync(resolve('node_modules'), join(unpacked, 'node_modules'));
  } else {
    const install = ['ci', '--include=dev', '--include=optional', '--loglevel=error', '--prefer-offline'];
    execFileSync('npm', install, { cwd: unpacked, stdio: ['ignore', 'ignore', 'inherit'] });
  }
  // Compiles like scripts/ready.mjs, without type checks: they passed when it was released.
  const compile = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--noCheck'];
  execFileSync(process.execPath, compile, { cwd: unpacked, stdio: ['ignore', 2, 2] });
  return { name, tag, folder: unpacked, remove: () => rmSync(unpacked, { recursive: true, force: true }) };
}

/** Whether its dependencies are installed here in the same versions: then nothing is downloaded. */
function isInstalled(unpacked: string): boolean {
  const here = packagesOf('.');
  return Object.entries(packagesOf(unpacked)).every(
    ([path, { version: wanted, dev }]) => path === '' || dev || here[path]?.version === wanted,
  );
}

function packagesOf(path: string): Record<string, { version?: string; dev?: boolean }> {
  return JSON.parse(readFileSync(join(path, 'package-lock.json'), 'utf8')).packages;
}
