import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  accessSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { findFreePort } from '../src/platform/process/free-port.ts';
import { cloneDatabase } from './kit/process/database.ts';

interface Lock {
  packages: Record<
    string,
    { version?: string; optional?: boolean; dev?: boolean; optionalDependencies?: Record<string, string> }
  >;
}

function readLock(path: string): Lock {
  return JSON.parse(readFileSync(path, 'utf8'));
}

describe('package-lock.json', () => {
  it('lists the packages for every platform, without which npm ci fails on all of them', () => {
    const { packages } = readLock('package-lock.json');
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) =>
          packages[`node_modules/${name}`] === undefined && packages[`${path}/node_modules/${name}`] === undefined,
      ),
    );
    expect(missing).toEqual([]);
  });
});

describe('scripts/ready.mjs', () => {
  let clone: string;

  beforeEach(() => {
    clone = mkdtempSync(join(tmpdir(), 'pennypost-clone-'));
    onTestFinished(() => rmSync(clone, { recursive: true }));
    for (const path of ['scripts/ready.mjs', 'scripts/find-npm.mjs', 'tsconfig.json', 'tsconfig.build.json'])
      cpSync(path, join(clone, path));
    const packages = {
      '': {},
      'node_modules/stamp': { version: '2.0.0' },
      'node_modules/for-another-machine': { optional: true },
      'node_modules/linter': { version: '1.0.0', dev: true },
    };
    write('package.json', JSON.stringify({ type: 'module', devDependencies: { linter: '1.0.0' } }));
    write('package-lock.json', JSON.stringify({ packages } satisfies Lock));
    write(
      'node_modules/.package-lock.json',
      JSON.stringify({ packages: { 'node_modules/stamp': { version: '2.0.0' } } }),
    );
    for (const name of ['typescript', '@typescript', '@types']) {
      if (existsSync(join('node_modules', name)))
        symlinkSync(resolve('node_modules', name), join(clone, 'node_modules', name));
    }
    write('src/main.ts', '#!/usr/bin/env node\nexport const postage: string = "second";\n');
    write('src/main.test.ts', 'export const wrong: number = "a test is checked elsewhere";\n');
    write('.npmrc', '');
    // Replaces npm: installs the packages of the lock file and records how it was called.
    const npm = `#!/bin/sh\necho "$@" >> ${clone}/npm-calls\nmkdir -p node_modules\ncp package-lock.json node_modules/.package-lock.json\n`;
    mkdirSync(join(clone, 'bin'));
    writeFileSync(join(clone, 'bin', 'npm'), npm, { mode: 0o755 });
  });

  function write(path: string, text: string): void {
    mkdirSync(join(clone, path, '..'), { recursive: true });
    writeFileSync(join(clone, path), text);
  }

  function read(path: string): string {
    return readFileSync(join(clone, path), 'utf8');
  }

  function makeReady(...options: string[]): Promise<{ status: number | null; output: string; errors: string }> {
    const { npm_execpath: _, ...others } = process.env;
    const env = { ...others, PATH: [join(clone, 'bin'), process.env.PATH].join(delimiter) };
    const child = spawn(process.execPath, [join(clone, 'scripts/ready.mjs'), ...options], { cwd: '/', env });
    let output = '';
    let errors = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (errors += chunk));
    return new Promise((done) => child.once('close', (status) => done({ status, output, errors })));
  }

  const silent = { status: 0, output: '', errors: '' };
  const compiled = { ...silent, errors: 'pennypost: compiling\n' };

  it('compiles once, and again when a source was changed or deleted', async () => {
    expect(await makeReady()).toEqual(compiled);
    expect(read('dist/main.js')).toContain('postage = "second"');
    accessSync(join(clone, 'dist/main.js'), constants.X_OK);
    expect(existsSync(join(clone, 'dist/main.test.js'))).toBe(false);
    expect(JSON.parse(read('dist/build.json'))).toMatchObject({
      git_commit: 'unknown',
      build_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
    expect(await makeReady()).toEqual(silent);

    write('src/rates.ts', 'export const rates = [1];\n');
    expect(await makeReady()).toEqual(compiled);
    rmSync(join(clone, 'src/rates.ts'));
    expect(await makeReady()).toEqual(compiled);
    expect(existsSync(join(clone, 'dist/rates.js'))).toBe(false);
  });

  it('fails with the compiler and keeps the last good build', async () => {
    await makeReady();
    write('src/main.ts', 'export const postage = ;\n');
    const { status, output, errors } = await makeReady();
    expect({ status, output }).toEqual({ status: 1, output: '' });
    expect(errors).toContain('TS1109');
    expect(read('dist/main.js')).toContain('postage = "second"');
  });

  it('installs when a dependency is missing or has another version', async () => {
    await makeReady();
    write(
      'node_modules/.package-lock.json',
      JSON.stringify({ packages: { 'node_modules/stamp': { version: '1.0.0' } } }),
    );
    expect(await makeReady()).toEqual({ ...silent, errors: 'pennypost: installing dependencies\n' });
    rmSync(join(clone, 'node_modules/.package-lock.json'));
    expect(await makeReady()).toEqual({ ...silent, errors: 'pennypost: installing dependencies\n' });
    expect(read('npm-calls')).toMatch(/^(ci --include=dev .*\n){2}$/);
    expect(await makeReady()).toEqual(silent);
  });

  it('installs the tools for tests when they are needed, and leaves what is there', async () => {
    await makeReady();
    rmSync(join(clone, 'node_modules/.package-lock.json'));
    await makeReady();
    const installed = readLock(join(clone, 'node_modules/.package-lock.json')).packages;
    expect(Object.keys(installed)).not.toContain('node_modules/linter');
    expect(await makeReady('--tools')).toEqual({ ...silent, errors: 'pennypost: installing the tools for tests\n' });
    expect(read('npm-calls')).toMatch(/^ci --include=dev .*\ninstall --no-save --include=dev .*\n$/);
  });

  it('does the work once when started twice', async () => {
    const both = await Promise.all([makeReady(), makeReady()]);
    expect(both.map(({ status }) => status)).toEqual([0, 0]);
    expect(both.filter(({ errors }) => errors.includes('compiling'))).toHaveLength(1);
  });

  it('takes over the lock of a dead process', async () => {
    write('.ready-lock/999999999', '');
    expect(await makeReady()).toEqual(compiled);
    expect(existsSync(join(clone, '.ready-lock'))).toBe(false);
  });
});

describe('npm start', () => {
  it('serves until npm is stopped', { timeout: 150_000 }, async () => {
    const database = await cloneDatabase();
    const folder = mkdtempSync(join(tmpdir(), 'pennypost-start-'));
    onTestFinished(async () => {
      npm.kill('SIGKILL');
      await database.drop();
      rmSync(folder, { recursive: true });
    });
    const port = await findFreePort();
    const settings = { PORT: String(port), DATABASE_URL: database.url, DATA_DIR: folder, LOG_LEVEL: 'warn' };
    const npm = spawn('npm', ['start'], {
      env: { PATH: process.env.PATH, HOME: folder, ...settings },
      stdio: 'ignore',
    });
    const isServed = () =>
      fetch(`http://127.0.0.1:${port}/readyz`)
        .then(({ ok }) => ok)
        .catch(() => false);
    await expect.poll(isServed, { timeout: 120_000 }).toBe(true);
    npm.kill('SIGTERM');
    await once(npm, 'exit');
    await expect.poll(isServed, { timeout: 10_000 }).toBe(false);
  });
});
