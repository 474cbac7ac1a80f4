// The next server of `npm run dev`: loads the packages that every start needs, then waits until it is told to serve what is in dist. Loading
// them takes a third of the time of a start, and no change of the product changes them.
import { fileURLToPath } from 'node:url';

const packages = [
  '@fastify/accepts',
  '@fastify/ajv-compiler',
  '@fastify/cookie',
  '@fastify/fast-json-stringify-compiler',
  '@fastify/swagger',
  'entities',
  'fastify',
  'google-libphonenumber',
  'graphile-worker',
  'kysely',
  'lru-cache',
  'nodemailer',
  'nodemailer/lib/mime-node/index.js',
  'pg',
  'pino',
  'preact-render-to-string',
  'prom-client',
  'typebox',
  'typebox/value',
  'undici',
  'yaml',
];

const serving = new Promise((serve) => process.once('message', serve));
for (const name of packages) await import(name);
await serving;
process.disconnect();
// As if Node had been started with it.
process.argv = [process.execPath, fileURLToPath(new URL('../dist/main.js', import.meta.url)), 'serve'];
await import('../dist/main.js');
