import config from './vitest.config.ts';

/** `npm run test:stores`: every test with two message stores beside the main database. */
process.env.TEST_STORES = '2';

export default config;
