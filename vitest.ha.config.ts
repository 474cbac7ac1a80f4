import { defineConfig } from 'vitest/config';

/** `npm run test:ha`: failovers of a PostgreSQL cluster under load; not a part of `npm test`. */
export default defineConfig({
  test: {
    include: ['test/ha/*.ha.ts'],
    pool: 'forks',
    fileParallelism: false,
    bail: 0,
    testTimeout: 360_000,
    hookTimeout: 180_000,
    globalSetup: ['test/ha/kit/programs.ts', 'test/kit/global-setup.ts', 'test/faults/kit/report.ts'],
  },
});
