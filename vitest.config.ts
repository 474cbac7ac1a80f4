import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.{ts,tsx}', 'test/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: '100%',
    // Files share their process's modules, which do no work at import time: reading the application takes a second or more.
    isolate: false,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    globalSetup: ['test/kit/global-setup.ts'],
  },
});
