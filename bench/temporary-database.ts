import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../src/libraries/embedded-postgres/embedded-postgres.ts';
import { createLog } from '../src/platform/log.ts';
import { adminSecret } from './sender.ts';

/** A PostgreSQL in a temporary folder, or in one that is kept, with the settings of a product that uses it. */
export async function temporaryDatabase(kept?: string) {
  const dataDir = kept ?? mkdtempSync(join(tmpdir(), 'pennypost-bench-'));
  const server = await startEmbeddedPostgres({ dataDir, log: createLog('silent') });
  return {
    server,
    environment: {
      DATABASE_URL: server.url,
      DATA_DIR: dataDir,
      SECRET_KEY: 'secret-key-of-the-benchmark-which-is-long-enough',
      ADMIN_CLIENT_SECRETS: adminSecret,
      DEMO: 'false',
    },
    async remove() {
      await server.stop();
      rmSync(server.location, { recursive: true, force: true });
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** The process id of the server. */
export function postmasterOf({ location }: EmbeddedPostgres): number {
  return Number(readFileSync(join(location, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);
}
