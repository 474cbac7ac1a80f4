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

/** Undefined until there is a release. */
export const previousRelease = releases.at(-1);

export interface UnpackedRelease {
  version: string;
  folder: string;
  remove(): void;
}

/** A folder with the release, compiled and ready to start. */
export function unpackRelease(release: Release): UnpackedRelease {
  const { version, commit } = release;
  refuseUnlessInHistory(release);
  const folder = mkdtempSync(join(tmpdir(), `pennypost-${version}-`));
  const archive = git('archive', commit);
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

function refuseUnlessInHistory({ version, commit }: Release): void {
  try {
    git('cat-file', '-e', `${commit}^{commit}`);
  } catch (cause) {
    const problem =
      `The tests of the upgrade build release ${version} from commit ${commit.slice(0, 8)}, which this clone does not have. ` +
      'Run `git fetch --unshallow` in a shallow clone; a copy of the files without their history cannot run these tests.';
    throw new Error(problem, { cause });
  }
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
