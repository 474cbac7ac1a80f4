import { defineConfig } from 'vitest/config';

/** `npm run test:browser`: the console in a real browser, which must be installed; not a part of `npm test`. */
export default defineConfig({
  test: {
    include: ['test/browser/*.browser.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    globalSetup: ['test/browser/kit/find-browser.ts', 'test/kit/global-setup.ts'],
  },
});
