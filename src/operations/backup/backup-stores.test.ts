import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aNotification, aService, aTemplate } from '../../../test/kit/builders.ts';
import { emptyDatabase, type TestDatabase } from '../../../test/kit/database.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import type { App } from '../../app.ts';
import { openDatabase } from '../../platform/db/database.ts';
import { createLog } from '../../platform/log.ts';
import { seeds, storeSeeds } from '../../seeds.ts';
import { countUncopied } from '../../stores/copy-lag.ts';
import { backup } from './backup.ts';
import { restore } from './restore.ts';

const harness = useHarness({ stores: 1 });
const work = mkdtempSync(join(tmpdir(), 'pennypost-backup-stores-'));
const folder = join(work, 'backup');
const log = createLog('silent');
const say = () => {};
let targets: [TestDatabase, TestDatabase];
let message: string;

const urlOf = ({ pool }: App) => pool.options.connectionString ?? '';

beforeAll(async () => {
  targets = [await emptyDatabase(), await emptyDatabase()];
  const service_id = await aService(harness, { name: 'At home in store 1' });
  const template = await aTemplate(harness, service_id);
  await harness.app.db.updateTable('service_stores').set({ store: 1 }).where('service_id', '=', service_id).execute();
  await harness.app.configurationCopies.update();
  const store = harness.app.stores.all[1] as App;
  message = await aNotification({ ...harness, app: store }, service_id, template);
  await backup({ ...own(), dataDir: work, folder, say });
});
afterAll(async () => {
  for (const target of targets) await target.drop();
  rmSync(work, { recursive: true, force: true });
});

function own() {
  const [main, store] = harness.app.stores.all as [App, App];
  return { url: urlOf(main), stores: [{ number: 1, url: urlOf(store) }] };
}

function restoreInto(stores: { number: number; url: string }[], options: object = {}) {
  const url = targets[0].url;
  return restore({ url, stores, dataDir: join(work, 'data'), folder, say, log, seeds, storeSeeds, ...options });
}

describe('pennypost backup with message stores', () => {
  it('has a dump of each database, and says at which moment each was taken', () => {
    expect(readdirSync(folder).sort()).toEqual(['database.sql.gz', 'store-1.sql.gz', 'stores.json']);
    const manifest = JSON.parse(readFileSync(join(folder, 'stores.json'), 'utf8'));
    expect(manifest.about).toContain('at its own moment');
    expect(manifest.databases).toEqual([
      { number: 1, file: 'store-1.sql.gz', taken_at: expect.stringMatching(/^\d{4}-.*Z$/) },
      { number: 0, file: 'database.sql.gz', taken_at: expect.stringMatching(/^\d{4}-.*Z$/) },
    ]);
    const dump = gunzipSync(readFileSync(join(folder, 'store-1.sql.gz'))).toString();
    expect(dump).toContain(message);
    expect(dump).not.toContain('COPY services ');
  });

  it('refuses settings that lack a store, name another database or one that is away', async () => {
    const refused = (changes: object) => backup({ ...own(), dataDir: work, folder: join(work, 'no'), say, ...changes });
    await expect(refused({ stores: [] })).rejects.toThrow('The main database has store 1, which MESSAGE_STORES lacks');
    await expect(refused({ stores: [{ number: 1, url: own().url }] })).rejects.toThrow('store 1 is another one');
    const away = [{ number: 1, url: 'postgres://nobody@127.0.0.1:1/none' }];
    await expect(refused({ stores: away })).rejects.toThrow('Store 1 cannot be reached: connect ECONNREFUSED');
    expect(readdirSync(work)).toEqual(['backup']);
  });
});

describe('pennypost restore with message stores', () => {
  it('changes nothing when the setting and the backup have different stores', async () => {
    const [main, store] = targets;
    const one = { number: 1, url: store.url };
    await expect(restoreInto([])).rejects.toThrow('The backup has store 1, which MESSAGE_STORES lacks');
    await expect(restoreInto([one, { number: 2, url: store.url }])).rejects.toThrow('which the backup lacks');
    await expect(restoreInto([{ number: 1, url: main.url }])).rejects.toThrow('store 1 is named twice');
    await expect(restoreInto(own().stores)).rejects.toThrow('The database of store 1 is in use');
    for (const { url } of targets) {
      const { db, close } = openDatabase({ url, poolSize: 1, log });
      const tables = await sql`select from pg_class where relnamespace = 'public'::regnamespace`.execute(db);
      await close();
      expect(tables.rows).toEqual([]);
    }
  });

  it('restores each database, ends unsent messages and copies the configuration', async () => {
    const said: string[] = [];
    const options = { endUnsent: true, say: (line: string) => said.push(line) };
    await restoreInto([{ number: 1, url: targets[1].url }], options);
    expect(said).toContainEqual(expect.stringMatching(/^Store 1 is as it was at 2/));
    const [main, store] = targets.map(({ url }) => openDatabase({ url, poolSize: 1, log }));
    if (!main || !store) throw new Error('No databases');
    const messages = await store.db.selectFrom('notifications').select(['id', 'status']).execute();
    expect(messages).toEqual([{ id: message, status: 'technical-failure' }]);
    expect(await main.db.selectFrom('notifications').select('id').execute()).toEqual([]);
    const names = store.db.selectFrom('services').select('name').where('name', '=', 'At home in store 1');
    expect(await names.execute()).toHaveLength(1);
    expect(await countUncopied(main.db, store.db)).toBe(0);
    await main.db.updateTable('services').set({ name: 'Renamed' }).where('name', '=', 'At home in store 1').execute();
    expect(await main.db.selectFrom('configuration_changes').select('table_name').execute()).toHaveLength(1);
    await expect(store.db.deleteFrom('services').execute()).rejects.toThrow('main database only');
    for (const { close } of [main, store]) await close();
  });
});
