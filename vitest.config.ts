import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { isLongRun } from './test/kit/process/process-environment.ts';
import { RunReport } from './test/kit/run-report.ts';
import { SlowestFirst } from './test/kit/slowest-first.ts';

/** About what Windows does not have: signals that a process handles, file modes, users by number, scripts for a shell. */
const unixOnly = [
  'test/main.full.test.ts',
  'src/libraries/embedded-postgres/*.test.ts',
  'test/documents.full.test.ts',
  'test/journeys/rolling-restart.full.test.ts',
  'test/journeys/standby.full.test.ts',
  'test/journeys/tracing.full.test.ts',
  'test/ready.full.test.ts',
  'test/sandbox.full.test.ts',
  'test/upgrade/*.full.test.ts',
];

const everyTest = ['src/**/*.test.{ts,tsx}', 'test/**/*.test.ts'];
const slower = ['{src,test}/**/*.full.test.{ts,tsx}'];

/** The tests of which `npm test` and `npm run test:full` run a part, and `npm run test:long` everything. */
function partialFiles(): string[] {
  return ['src', 'test']
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)))
    .filter((path) => /\.test\.tsx?$/.test(path))
    .filter((path) => /\b(isLongRun|someOf)\b/.test(readFileSync(path, 'utf8')));
}

/** Tests that share one database server and the modules of their process. */
function tier(name: string, files: { include: string[]; exclude?: string[] }): TestProjectInlineConfiguration {
  return {
    test: {
      name,
      include: files.include,
      exclude: [...(files.exclude ?? []), ...(process.platform === 'win32' ? unixOnly : [])],
      // As in production: the young generation is collected less often.
      execArgv: ['--max-semi-space-size=64'],
      // One more than cores: a fifth of the time, tests wait for processes, timers and the network.
      maxWorkers: availableParallelism() + 1,
      // Files share their process's modules, which do no work at import time: reading the application takes a second or more.
      isolate: false,
      // These only end what hangs: on a busy machine, seconds of work take a minute.
      testTimeout: isLongRun ? 600_000 : 60_000,
      hookTimeout: 120_000,
      expect: { poll: { timeout: 20_000 } },
      globalSetup: ['test/kit/global-setup.ts'],
    },
  };
}

/** Tests that need programs which a fresh machine does not have, or the machine to themselves. */
function suite(
  name: string,
  settings: { testTimeout: number; hookTimeout: number; globalSetup: string[]; fileParallelism?: boolean },
): TestProjectInlineConfiguration {
  return { test: { name, include: [`test/${name}/*.${name}.ts`], fileParallelism: false, ...settings } };
}

/** One project for each test command: see CONTRIBUTING.md. */
export default defineConfig({
  test: {
    reporters: ['default', new RunReport()],
    sequence: { sequencer: SlowestFirst },
    pool: 'forks',
    projects: isLongRun
      ? [tier('long', { include: partialFiles() })]
      : [
          tier('quick', { include: everyTest, exclude: slower }),
          tier('full', { include: slower }),
          suite('browser', {
            testTimeout: 60_000,
            hookTimeout: 120_000,
            globalSetup: ['test/browser/kit/find-browser.ts', 'test/kit/global-setup.ts'],
          }),
          suite('clients', {
            testTimeout: 120_000,
            hookTimeout: 300_000,
            fileParallelism: true,
            globalSetup: ['test/kit/global-setup.ts'],
          }),
          suite('domains', {
            testTimeout: 60_000,
            hookTimeout: 120_000,
            globalSetup: ['test/kit/global-setup.ts', 'test/domains/kit/programs.ts'],
          }),
          suite('faults', {
            testTimeout: 300_000,
            hookTimeout: 120_000,
            globalSetup: ['test/kit/global-setup.ts', 'test/faults/kit/report.ts'],
          }),
          suite('ha', {
            testTimeout: 360_000,
            hookTimeout: 180_000,
            globalSetup: ['test/ha/kit/programs.ts', 'test/kit/global-setup.ts', 'test/faults/kit/report.ts'],
          }),
          suite('s3', { testTimeout: 60_000, hookTimeout: 120_000, globalSetup: ['test/s3/kit/programs.ts'] }),
        ],
  },
});
