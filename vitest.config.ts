import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { SlowestFirst } from './test/kit/slowest-first.ts';

/** About what Windows does not have: signals that a process handles, file modes, users by number, scripts for a shell. */
const unixOnly = [
  'test/main.test.ts',
  'src/libraries/embedded-postgres/*.test.ts',
  'test/documents.test.ts',
  'test/journeys/rolling-restart.test.ts',
  'test/journeys/standby.test.ts',
  'test/journeys/tracing.test.ts',
  'test/ready.test.ts',
  'test/sandbox.test.ts',
  'test/upgrade/*.test.ts',
];

export default defineConfig({
  test: {
    include: ['src/**/*.test.{ts,tsx}', 'test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(process.platform === 'win32' ? unixOnly : [])],
    pool: 'forks',
    // As in production: the young generation is collected less often.
    execArgv: ['--max-semi-space-size=64'],
    // One more than cores: a fifth of the time, tests wait for processes, timers and the network.
    maxWorkers: availableParallelism() + 1,
    // Files share their process's modules, which do no work at import time: reading the application takes a second or more.
    isolate: false,
    sequence: { sequencer: SlowestFirst },
    // These only end what hangs: on a busy machine, seconds of work take a minute.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    globalSetup: ['test/kit/global-setup.ts'],
  },
});
