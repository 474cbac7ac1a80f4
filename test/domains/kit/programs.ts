import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isInstalled, programPath } from '../../ha/kit/programs.ts';

/** Packages of Debian are installed for its own Python, which is not always the first in the path. */
export const debianPython = '/usr/bin/python3';

/** What is missing is unpacked here, beside the other dependencies: that needs no privileges, and starts no service. */
const folder = resolve('node_modules/.debian-programs');

/** With which programs find what was unpacked. */
export function programEnvironment(): Record<string, string> {
  const libraries = join(folder, 'usr/lib');
  const found = existsSync(libraries) ? readdirSync(libraries).filter((name) => name.endsWith('-linux-gnu')) : [];
  return {
    PATH: `${join(folder, 'usr/sbin')}:${programPath}`,
    LD_LIBRARY_PATH: found.map((name) => join(libraries, name)).join(':'),
    PYTHONPATH: join(libraries, 'python3/dist-packages'),
  };
}

/** Global set-up: fetches the programs that are missing, or stops the run. */
export default function setup(): void {
  if (missingPackages().length > 0) fetchPackages(missingPackages());
  const missing = missingPackages();
  if (missing.length === 0) return;
  throw new Error(
    'npm run test:domains starts a name server and verifies signatures with dkimpy. These packages are missing, and could ' +
      `not be downloaded: ${missing.join(', ')}.\nOn Debian: apt-get install -y --no-install-recommends nsd python3-dkim`,
  );
}

function missingPackages(): string[] {
  const env = programEnvironment();
  const runs = (program: string, words: string[]) => spawnSync(program, words, { env }).status === 0;
  return [
    ...(isInstalled('nsd') || runs('nsd', ['-v']) ? [] : ['nsd']),
    ...(runs(debianPython, ['-c', 'import dkim, dns.resolver']) ? [] : ['python3-dkim']),
  ];
}

/** With the libraries that they need and this machine lacks. */
function fetchPackages(packages: string[]): void {
  mkdirSync(folder, { recursive: true });
  const run = (program: string, words: string[]) => spawnSync(program, words, { cwd: folder, encoding: 'utf8' });
  const fetch = () => {
    const { stdout } = run('apt-get', ['install', '--simulate', '--no-install-recommends', ...packages]);
    const needed = [...(stdout ?? '').matchAll(/^Inst (\S+)/gm)].map(([, name = '']) => name);
    // As root apt would drop its privileges, and then could not write here.
    return (
      run('apt-get', ['-o', 'APT::Sandbox::User=root', 'download', ...new Set([...packages, ...needed])]).status === 0
    );
  };
  if (!fetch() && run('apt-get', ['update']).status === 0) fetch();
  for (const archive of readdirSync(folder).filter((name) => name.endsWith('.deb'))) {
    run('dpkg-deb', ['--extract', archive, folder]);
  }
}
