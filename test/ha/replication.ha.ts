import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConfig } from '../../src/commands/read-config.ts';
import { examine } from '../../src/operations/doctor/doctor.ts';
import { DatabaseClient } from '../../src/platform/db/database-client.ts';
import { isDatabaseUnavailable } from '../../src/platform/db/errors.ts';
import { Cluster } from './kit/cluster.ts';

let cluster: Cluster;
const folder = mkdtempSync(join(tmpdir(), 'pennypost-ha-doctor-'));

beforeAll(async () => {
  cluster = await Cluster.start();
});

afterAll(async () => {
  await cluster?.close();
  rmSync(folder, { recursive: true });
});

async function connect(): Promise<DatabaseClient> {
  const client = new DatabaseClient({ connectionString: cluster.url });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

it('a commit that was cancelled while it waited for the standby is not taken for stored', async () => {
  const [writer, other] = [await connect(), await connect()];
  await writer.query('create table waits (n int)');
  const { rows } = await writer.query('select pg_backend_pid() as pid');
  const primary = await cluster.primary();
  const standbys = cluster.nodes.filter((node) => node !== primary);
  for (const standby of standbys) standby.signal('SIGSTOP');
  try {
    const written = writer.query('insert into waits values (1)').catch((error: unknown) => error);
    const isWaiting = async () =>
      (await other.query('select wait_event from pg_stat_activity where pid = $1', [rows[0].pid])).rows[0].wait_event;
    await expect.poll(isWaiting).toBe('SyncRep');
    await other.query('select pg_cancel_backend($1)', [rows[0].pid]);
    expect(isDatabaseUnavailable(await written)).toBe(true);
  } finally {
    for (const standby of standbys) standby.signal('SIGCONT');
    await other.end();
  }
});

it('doctor says whether a standby is synchronous, and otherwise what a failover would lose', async () => {
  await cluster.untilWhole();
  const config = readConfig({ DATA_DIR: folder, DATABASE_URL: cluster.url });
  const standbys = async () => (await examine(config, cluster.url)).find(({ name }) => name === 'standbys');
  expect(await standbys()).toEqual({
    name: 'standbys',
    ok: true,
    description: '2 standbys, 1 synchronous: a failover loses no accepted message',
  });
  const primary = await cluster.primary();
  await primary.request('PATCH', '/config', { synchronous_mode: false, synchronous_mode_strict: false });
  await expect
    .poll(standbys, { timeout: 30_000, interval: 500 })
    .toMatchObject({ ok: false, description: expect.stringMatching(/^2 standbys, none synchronous: .* up to \d+ kB/) });
});
