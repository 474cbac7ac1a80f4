import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../../src/libraries/embedded-postgres/embedded-postgres.ts';
import { migrate } from '../../../src/platform/db/migrate.ts';
import { createLog } from '../../../src/platform/log.ts';
import { seeds } from '../../../src/seeds.ts';
import { generatedFiles, statementsFolder } from './generated-files.ts';

/** Writes every generated file into the current folder. Runs as `npm run generate`. */
const log = createLog('silent');
const dataDir = mkdtempSync(join(tmpdir(), 'pennypost-generate-'));
const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
const server = await startEmbeddedPostgres({ dataDir, log, settings });
try {
  await migrate(server.url, log, { seeds });
  const files = await generatedFiles(server.url);
  mkdirSync(statementsFolder, { recursive: true });
  for (const name of readdirSync(statementsFolder)) {
    if (!(`${statementsFolder}/${name}` in files)) rmSync(join(statementsFolder, name));
  }
  for (const [path, text] of Object.entries(files)) {
    // A file that stays the same keeps its time, and what was compiled from it stays valid.
    if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text);
  }
} finally {
  await server.stop();
  rmSync(server.location, { recursive: true, force: true });
  rmSync(dataDir, { recursive: true, force: true });
}
