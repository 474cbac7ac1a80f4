import { defineConfig } from 'vitest/config';

/** `npm run test:domains`: sending domains with a real name server, and another implementation of DKIM; not a part of `npm test`. */
export default defineConfig({
  test: {
    include: ['test/domains/*.domains.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    globalSetup: ['test/kit/global-setup.ts', 'test/domains/kit/programs.ts'],
  },
});
