import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

interface Release {
  version: string;
  commit: string;
  /** The name of its newest migration. */
  last_migration: string;
}

/**
 * `baseline` is the first release with these migrations: there is no upgrade from an earlier one. `releases` has it and every
 * release since, oldest first; each release adds itself (CONTRIBUTING.md).
 */
export const { baseline, releases }: { baseline: string; releases: Release[] } = JSON.parse(
  readFileSync(new URL('releases.json', import.meta.url), 'utf8'),
);

export const previousRelease = releases.at(-1);

/** Why there is no previous release to upgrade from, and how to fix that; undefined when there is one. */
export function whyMissing(): string | undefined {
  if (!previousRelease) return `there is no release yet to upgrade from; the first will be ${baseline}`;
  const { version, commit } = previousRelease;
  try {
    git('cat-file', '-e', `${commit}^{commit}`);
    return undefined;
  } catch {
    return (
      `the source of release ${version} (${commit.slice(0, 7)}) is taken from the history of this repository, which does ` +
      'not reach back to it. Run the tests in a full clone; `git fetch --unshallow` makes one of a shallow clone'
    );
  }
}

export interface UnpackedRelease {
  version: string;
  folder: string;
  remove(): void;
}

/** A folder with the release, compiled and ready to start. */
export function unpackPreviousRelease(): UnpackedRelease {
  if (!previousRelease) throw new Error(whyMissing());
  const { version } = previousRelease;
  const folder = mkdtempSync(join(tmpdir(), `pennypost-${version}-`));
  const archive = git('archive', previousRelease.commit);
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  if (isInstalled(folder)) {
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  } else {
    const install = ['ci', '--include=dev', '--include=optional', '--loglevel=error', '--prefer-offline'];
    execFileSync('npm', install, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  }
  // Compiles like scripts/ready.mjs, without type checks: they passed when it was released.
  const compile = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--noCheck'];
  execFileSync(process.execPath, compile, { cwd: folder, stdio: ['ignore', 2, 2] });
  return { version, folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function git(...words: string[]): Buffer {
  return execFileSync('git', words, { stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 2 ** 28 });
}

/** Whether its dependencies are installed here in the same versions: then nothing is downloaded. */
function isInstalled(folder: string): boolean {
  const here = packagesOf('.');
  return Object.entries(packagesOf(folder)).every(
    ([path, { version, dev }]) => path === '' || dev || here[path]?.version === version,
  );
}

function packagesOf(folder: string): Record<string, { version?: string; dev?: boolean }> {
  return JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')).packages;
}
