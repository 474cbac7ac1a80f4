import { defineConfig } from 'vitest/config';

/** `npm run test:faults`: minutes of breaking things, one at a time; not a part of `npm test`. */
export default defineConfig({
  test: {
    include: ['test/faults/*.faults.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 120_000,
    globalSetup: ['test/kit/global-setup.ts', 'test/faults/kit/report.ts'],
  },
});
