// Records this version in test/upgrade/recorded, from which upgrades are tested: digests of its migrations, and a backup of a database
// with rows in almost every table. Part of every release (CONTRIBUTING.md).
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

process.chdir(resolve(import.meta.dirname, '..'));
const env = { ...process.env, RECORD_RELEASE: 'true' };
for (const words of [
  ['vitest/vitest.mjs', 'run', 'test/upgrade/rolling-upgrade', '-t', 'begins with a database'],
  ['@biomejs/biome/bin/biome', 'format', '--write', 'test/upgrade/recorded/release.json'],
]) {
  const [program, ...rest] = words;
  const { status } = spawnSync(process.execPath, [`node_modules/${program}`, ...rest], { env, stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}
