import { defineConfig } from 'vitest/config';

/** `npm run test:faults`: minutes of killing processes; not a part of `npm test`. */
export default defineConfig({
  test: { include: ['test/faults/**/*.faults.ts'], pool: 'forks', testTimeout: 600_000, hookTimeout: 120_000 },
});
