import { defineConfig } from 'vitest/config';

/** `npm run test:s3`: files in a real object store; not a part of `npm test`. */
export default defineConfig({
  test: {
    include: ['test/s3/*.s3.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    globalSetup: ['test/s3/kit/programs.ts'],
  },
});
