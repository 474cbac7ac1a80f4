import { defineConfig } from 'vitest/config';

/** `npm run test:clients`: the official clients and programs that send mail, which need their languages and registries; not a part of `npm test`. */
export default defineConfig({
  test: {
    include: ['test/clients/*.clients.ts'],
    pool: 'forks',
    testTimeout: 120_000,
    hookTimeout: 300_000,
    globalSetup: ['test/kit/global-setup.ts'],
  },
});
