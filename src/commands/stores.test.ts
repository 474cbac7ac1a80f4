import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { cloneDatabase, cloneStore, type TestDatabase } from '../../test/kit/database.ts';
import { runCommand } from '../../test/kit/run-command.ts';

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

it.each([
  [['add', '2'], 'This database has services of its own'],
  [['add', '3'], 'This database is store 1 of this installation'],
  [['add', '4'], 'MESSAGE_STORES names no store 4'],
  [['add', '256'], '"256" is no store'],
  [['open', '9'], 'There is no store 9'],
  [['move', '1'], 'Unknown action "move"'],
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
