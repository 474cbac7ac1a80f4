import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { cloneDatabase, cloneStore, type TestDatabase } from '../../test/kit/database.ts';
import { runCommand } from '../../test/kit/run-command.ts';
import { nilId } from '../platform/id.ts';

const service = '01a1e5a8-193b-74cc-8c70-9f39b8158900';

const folder = mkdtempSync(join(tmpdir(), 'pennypost-stores-'));
let databases: [main: TestDatabase, store: TestDatabase, other: TestDatabase];

beforeAll(async () => {
  databases = [await cloneDatabase(), await cloneStore(), await cloneDatabase()];
});
afterAll(async () => {
  for (const database of databases) await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

function run(...args: string[]) {
  return runWith({}, 'stores', ...args);
}

function runWith(stores: Record<number, string>, ...args: string[]) {
  const [main, store, other] = databases;
  const urls = { 1: store.url, 2: other.url, 3: store.url, ...stores };
  vi.stubEnv('BASE_URL', undefined);
  vi.stubEnv('DATA_DIR', folder);
  vi.stubEnv('DATABASE_URL', main.url);
  vi.stubEnv(
    'MESSAGE_STORES',
    Object.entries(urls)
      .flatMap((each) => each.join('='))
      .join(' '),
  );
  return runCommand(args);
}

it('pennypost stores lists, adds, closes and opens stores', async () => {
  expect((await run('list')).out).toBe('There is only the main database.\n');
  expect((await run('add', '1')).out).toContain('Store 1 is ready.');
  expect((await run('add', '1')).out).toContain('Store 1 is ready.');
  expect((await run('close', '0')).out).toContain('New services do not get store 0');
  const { out } = await run('list');
  expect(out.split('\n').map((line) => line.trim().split(/ {2,}/))).toMatchObject([
    ['store', 'new services', 'services'],
    ['0', 'no', '1'],
    ['1', 'yes', '0'],
    [''],
  ]);
  expect((await run('close', '1')).err).toContain('Store 1 is the only one that is open');
  expect((await run('open', '0')).out).toContain('New services may get store 0.');
});

it('pennypost stores moves a service, and drains a store', async () => {
  const client = new pg.Client({ connectionString: databases[0].url });
  await client.connect();
  await client.query(
    `insert into services select (jsonb_populate_record(s, jsonb_build_object('id', $1::text, 'name', 'Moved', 'normalised_name', 'moved',
      'email_sender_local_part', 'moved'))).* from services s limit 1`,
    [service],
  );
  await client.end();
  const moved = await run('move', service, '1', '--settle', '0');
  expect(moved).toMatchObject({
    code: 0,
    out: expect.stringMatching(/at home in store 1\. Nothing was accepted for \d+ ms\./),
  });
  expect((await run('list')).out).toMatch(/^ +1 +yes +1$/m);
  const drained = await run('drain', '1', '--settle', '0');
  expect(drained).toMatchObject({ code: 0, out: expect.stringContaining('Store 1 has no services any more.') });
  expect((await run('list')).out).toMatch(/^ +1 +no +0$/m);
}, 60_000);

it.each([
  [['add', '2'], 'This database has services of its own'],
  [['add', '3'], 'This database is store 1 of this installation'],
  [['add', '4'], 'MESSAGE_STORES names no store 4'],
  [['add', '256'], '"256" is no store'],
  [['open', '9'], 'There is no store 9'],
  [['empty', '1'], 'Unknown action "empty"'],
  [['move', 'nothing', '1'], '"nothing" is no service: give its id.'],
  [['move', service, '2'], 'There is no store 2'],
  [['move', nilId, '1'], `There is no service ${nilId}.`],
  [['drain', '1', '--settle', 'long'], '"long" is no number of seconds.'],
])('pennypost stores %j explains what is wrong', async (args, message) => {
  const { code, err } = await run(...args);
  expect([code, err]).toEqual([1, expect.stringContaining(message)]);
});

it('pennypost migrate migrates each store, and reports one that is away', async () => {
  const { code, out } = await runWith({}, 'migrate');
  expect([code, out]).toEqual([0, expect.stringContaining('Store 1: The database is up to date.\nStore 2: not added')]);
  const away = await runWith({ 1: 'postgres://nobody@127.0.0.1:1/none' }, 'migrate');
  expect([away.code, away.out]).toEqual([1, expect.stringMatching(/Store 1 was not migrated: connect ECONNREFUSED/)]);
});
