import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, mergeConfig } from 'vitest/config';
import usual from './vitest.config.ts';

/** Those of which `npm test` runs a part. */
const files = ['src', 'test']
  .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)))
  .filter((path) => /\.test\.tsx?$/.test(path))
  .filter((path) => /\b(isLongRun|someOf)\b/.test(readFileSync(path, 'utf8')));

/** `npm run test:long`: every case, and many random ones; not a part of `npm test`. */
export default mergeConfig(
  { ...usual, test: { ...usual.test, include: [] } },
  defineConfig({ test: { include: files, env: { LONG_TESTS: 'true' }, testTimeout: 600_000 } }),
);
