import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import pg from 'pg';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { aPlan, planRecipient } from '../../../test/kit/builders/plans.ts';
import { aNotification, anApiKey, aService, aTemplate, aUser } from '../../../test/kit/builders/rows.ts';
import { aCheckedUpload, smsRows } from '../../../test/kit/builders/uploads.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { cloneDatabase, emptyDatabase } from '../../../test/kit/process/database.ts';
import { databaseNamed } from '../../../test/kit/process/database-url.ts';
import { createCountry } from '../../countries/country.ts';
import { gb } from '../../countries/gb.ts';
import { nl } from '../../countries/nl.ts';
import { hour_ms, later, timestamp } from '../../platform/clock.ts';
import { migrate, migrationFiles } from '../../platform/db/migrate.ts';
import { createLog } from '../../platform/log.ts';
import { seeds } from '../../seeds.ts';
import { prepareDatabase } from '../country/installation.ts';
import { backup } from './backup.ts';
import { restore } from './restore.ts';

const harness = useHarness();
const work = mkdtempSync(join(tmpdir(), 'pennypost-backup-'));
const log = createLog('silent');
const country = createCountry(gb);
const say = () => {};

afterAll(() => rmSync(work, { recursive: true, force: true }));

async function databaseOf(): Promise<string> {
  const { rows } = await harness.app.pool.query('select current_database() as name');
  return databaseNamed(inject('databaseUrl'), rows[0].name);
}

describe('pennypost backup and restore', () => {
  it('copies every row and every pending task to an empty database', async () => {
    const service = await aService(harness, { name: 'Bäckup \\ "quoted"\tand tabbed' });
    await anApiKey(harness, service);
    const task = { name: 'a-task-for-later', description: 'For this test', maxAttempts: 3 };
    const options = { runAt: new Date('2099-01-01'), serialQueue: 'one-after-the-other' };
    await harness.app.queue.add(harness.app.db, task, { id: 7 }, options);
    const folder = join(work, 'one');
    await backup({ url: await databaseOf(), dataDir: work, folder, say });

    const target = await cloneDatabase();
    await restore({ url: target.url, dataDir: join(work, 'data'), folder, say, log, country, seeds });
    const client = new pg.Client({ connectionString: target.url });
    await client.connect();
    const kept = await client.query('select name from services where id = $1', [service]);
    expect(kept.rows).toEqual([{ name: 'Bäckup \\ "quoted"\tand tabbed' }]);
    expect((await client.query('select 1 from api_keys where service_id = $1', [service])).rowCount).toBe(1);
    const waiting = await client.query('select task_identifier, queue_name from graphile_worker.jobs');
    expect(waiting.rows).toEqual([{ task_identifier: 'a-task-for-later', queue_name: 'one-after-the-other' }]);
    await client.end();
    await target.drop();
  });

  it('creates a partition for each day with messages and reports what will be sent', async () => {
    const service = await aService(harness);
    const template = await aTemplate(harness, service);
    const days = ['2026-10-20', '2026-10-21', '2026-11-15'];
    for (const day of [...days, ...days]) {
      harness.clock.set(`${day}T12:00:00Z`);
      await aNotification(harness, service, template);
    }
    const folder = join(work, 'partitions');
    await backup({ url: await databaseOf(), dataDir: work, folder, say });
    const target = await emptyDatabase();
    const said: string[] = [];
    await restore({
      url: target.url,
      dataDir: join(work, 'data'),
      folder,
      say: (line) => said.push(line),
      log,
      country,
      seeds,
    });
    expect(said).toContainEqual(expect.stringMatching(/^6 messages and 0 letters are waiting and will be sent/));
    expect(said).toContainEqual(expect.stringContaining('--end-unsent'));
    const client = new pg.Client({ connectionString: target.url });
    await client.connect();
    const { rows } = await client.query(
      'select tableoid::regclass::text as partition, count(*)::int from notifications group by 1 order by 1',
    );
    expect(rows).toEqual(days.map((day) => ({ partition: `notifications_${day.replaceAll('-', '')}`, count: 2 })));
    expect((await client.query('select count(*)::int from delivery_queue')).rows).toEqual([{ count: 6 }]);
    await client.end();
    await target.drop();
  });

  it('ends unsent messages with --end-unsent, so that they are not sent twice', async () => {
    const service = await aService(harness);
    const ids = [
      await aNotification(harness, service, await aTemplate(harness, service)),
      await aNotification(harness, service, await aTemplate(harness, service, { template_type: 'letter' }), {
        notification_type: 'letter',
      }),
    ];
    const job = await aCheckedUpload(harness, service, await aTemplate(harness, service), smsRows(1));
    const created_by = await aUser(harness);
    const scheduled_for = timestamp(later(harness.clock.now(), hour_ms));
    await harness.admin('POST', `/service/${service}/job`, { id: job, created_by, scheduled_for });
    const key = await anApiKey(harness, service);
    const plan_id = await aPlan(harness, service, [{ channel: 'email' }, { channel: 'sms' }]);
    const request = { plan_id, recipient: planRecipient, personalisation: { name: 'Ada' } };
    const planned = (await harness.v2('POST', '/v2/messages', key, request)).body.id;
    const folder = join(work, 'unsent');
    await backup({ url: await databaseOf(), dataDir: work, folder, say });
    const target = await emptyDatabase();
    const said: string[] = [];
    const options = { url: target.url, dataDir: join(work, 'data'), folder, log, country, seeds, endUnsent: true };
    await restore({ ...options, say: (line) => said.push(line) });
    expect(said.filter((line) => line.includes('wait to be sent'))).toEqual([]);
    const client = new pg.Client({ connectionString: target.url });
    await client.connect();
    const { rows } = await client.query('select status from notifications where id = any ($1)', [ids]);
    expect(rows).toEqual([{ status: 'technical-failure' }, { status: 'technical-failure' }]);
    const jobs = await client.query('select status, cancelled_because from jobs where id = $1', [job]);
    expect(jobs.rows).toEqual([{ status: 'cancelled', cancelled_because: 'Restored from a backup' }]);
    const steps = await client.query('select state, reason from plan_steps where message_id = $1', [planned]);
    expect(steps.rows).toEqual(Array(2).fill({ state: 'cancelled', reason: 'stopped' }));
    const counts = await client.query(
      'select status, sum(count)::int as count from status_counts where service_id = $1 group by 1 having sum(count) > 0',
      [service],
    );
    expect(counts.rows).toEqual([{ status: 'technical-failure', count: 2 }]);
    await client.end();
    await target.drop();
  });

  it('refuses a backup of another country, before anything is loaded', async () => {
    const old = await emptyDatabase();
    await prepareDatabase(old.url, log, { profile: gb, seeds });
    const folder = join(work, 'other country');
    await backup({ url: old.url, dataDir: work, folder, say });
    const target = await emptyDatabase();
    const options = { url: target.url, dataDir: join(work, 'data'), folder, say, log, seeds };
    await expect(restore({ ...options, country: createCountry(nl) })).rejects.toThrow(
      'The backup is of the country gb, which counts days in Europe/London and amounts in GBP, and the settings say nl (Europe/Amsterdam, EUR). Restore it with COUNTRY=gb and the settings of its server. Nothing was loaded.',
    );
    const client = new pg.Client({ connectionString: target.url });
    await client.connect();
    expect((await client.query(`select to_regclass('services') as name`)).rows).toEqual([{ name: null }]);
    await restore({ ...options, country });
    expect((await client.query('select country, zone from installation')).rows).toEqual([
      { country: 'gb', zone: 'Europe/London' },
    ]);
    await client.end();
    await old.drop();
    await target.drop();
  });

  it('restores the country of a backup where the settings name none', async () => {
    const old = await emptyDatabase();
    await prepareDatabase(old.url, log, { profile: nl, seeds });
    const folder = join(work, 'dutch');
    await backup({ url: old.url, dataDir: work, folder, say });
    const target = await emptyDatabase();
    await restore({ url: target.url, dataDir: join(work, 'data'), folder, say, log, country, seeds });
    const client = new pg.Client({ connectionString: target.url });
    await client.connect();
    expect((await client.query('select country, zone from installation')).rows).toEqual([
      { country: 'nl', zone: 'Europe/Amsterdam' },
    ]);
    expect((await client.query(`select letter_kind('rest-of-world', 0) as slot`)).rows).toEqual([{ slot: 3 }]);
    await client.end();
    await old.drop();
    await target.drop();
  });

  it('migrates a backup of an older schema, and adds the rows that every database has', async () => {
    const old = await emptyDatabase();
    await migrate(old.url, log, { only: migrationFiles().slice(0, -1), seeds: [] });
    const folder = join(work, 'three');
    await backup({ url: old.url, dataDir: work, folder, say });
    const target = await emptyDatabase();
    await restore({ url: target.url, dataDir: join(work, 'data'), folder, say, log, country, seeds });
    expect(await migrate(target.url, log, { seeds: [] })).toEqual([]);
    const client = new pg.Client({ connectionString: target.url });
    await client.connect();
    expect((await client.query('select 1 from sms_rates')).rowCount).toBeGreaterThan(0);
    await client.end();
    const newer = await cloneDatabase();
    await expect(restore({ url: newer.url, dataDir: work, folder, say, log, country, seeds })).rejects.toThrow(
      /newer schema/,
    );
    for (const database of [old, target, newer]) await database.drop();
  });

  function aDataFolder(): string {
    const dataDir = mkdtempSync(join(work, 'data-'));
    mkdirSync(join(dataDir, 'secrets'), { recursive: true });
    mkdirSync(join(dataDir, 'files/letters'), { recursive: true });
    writeFileSync(join(dataDir, 'secrets/secret-key'), 'the-canary-of-the-secret-key');
    writeFileSync(join(dataDir, 'files/letters/one.pdf'), 'the-canary-of-a-letter');
    return dataDir;
  }

  function contentOf(folder: string): Record<string, string> {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const files = names.filter((name) => statSync(join(folder, name)).isFile());
    return Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name), 'latin1')]));
  }

  async function restoreInto(folder: string, opening: { identityFile?: string; passphraseFile?: string } = {}) {
    const target = await cloneDatabase();
    const dataDir = mkdtempSync(join(work, 'restored-'));
    try {
      const restored = await restore({ url: target.url, dataDir, folder, say, log, country, seeds, ...opening });
      const client = new pg.Client({ connectionString: target.url });
      await client.connect();
      const { rows } = await client.query('select count(*)::int as services from services');
      await client.end();
      return { ...restored, services: rows[0].services, files: contentOf(dataDir) };
    } finally {
      await target.drop();
    }
  }

  it('excludes the secrets by default', async () => {
    await aService(harness);
    const dataDir = aDataFolder();
    const [without, withThem] = [join(work, 'without'), join(work, 'with')];
    await backup({ url: await databaseOf(), dataDir, folder: without, say });
    expect(Object.keys(contentOf(without)).sort()).toEqual(['database.sql.gz', 'files/letters/one.pdf']);
    const restored = await restoreInto(without);
    expect(restored).toMatchObject({ secrets: 0, files: { 'files/letters/one.pdf': 'the-canary-of-a-letter' } });
    expect(restored.services).toBeGreaterThan(1);
    await backup({ url: await databaseOf(), dataDir, folder: withThem, say, withSecrets: true });
    expect((await restoreInto(withThem)).files['secrets/secret-key']).toBe('the-canary-of-the-secret-key');
  });

  it('can be read only with the identity of its recipient', async () => {
    const dataDir = aDataFolder();
    const folder = join(work, 'to-a-recipient');
    const [identity, other] = [await generateIdentity(), await generateIdentity()];
    const file = (text: string) => {
      const path = join(mkdtempSync(join(work, 'key-')), 'identity');
      writeFileSync(path, `# made by a test\n${text}\n`);
      return path;
    };
    const recipients = [await identityToRecipient(identity)];
    await backup({ url: await databaseOf(), dataDir, folder, say, withSecrets: true, recipients });
    const kept = contentOf(folder);
    expect(Object.keys(kept).sort()).toEqual([
      'database.sql.gz.age',
      'files/letters/one.pdf.age',
      'secrets/secret-key.age',
    ]);
    expect(Object.values(kept).join()).not.toContain('canary');
    await expect(restoreInto(folder)).rejects.toThrow(/is encrypted: add --identity/);
    await expect(restoreInto(folder, { identityFile: file(other) })).rejects.toThrow(/cannot be opened/);
    const restored = await restoreInto(folder, { identityFile: file(identity) });
    expect(restored.files).toEqual({
      'files/letters/one.pdf': 'the-canary-of-a-letter',
      'secrets/secret-key': 'the-canary-of-the-secret-key',
    });
    const wrong = { url: await databaseOf(), dataDir, folder: join(work, 'wrong'), say };
    await expect(backup({ ...wrong, recipients: ['a-provider'] })).rejects.toThrow(/is not an age recipient/);
  });

  it('can be read only with its passphrase', { timeout: 120_000 }, async () => {
    const dataDir = aDataFolder();
    const folder = join(work, 'with-a-passphrase');
    const file = (text: string) => {
      const path = join(mkdtempSync(join(work, 'word-')), 'passphrase');
      writeFileSync(path, `${text}\n`);
      return path;
    };
    const passphraseFile = file('correct horse battery staple');
    await backup({ url: await databaseOf(), dataDir, folder, say, passphraseFile });
    await expect(restoreInto(folder)).rejects.toThrow(/is encrypted: add --passphrase-file/);
    await expect(restoreInto(folder, { passphraseFile: file('wrong horse battery') })).rejects.toThrow(
      /is not the one/,
    );
    expect((await restoreInto(folder, { passphraseFile })).files['files/letters/one.pdf']).toBe(
      'the-canary-of-a-letter',
    );
  });

  it('rejects a backup of a version before 1.0.0', async () => {
    const { old, restored } = { old: await cloneDatabase(), restored: await emptyDatabase() };
    const client = new pg.Client({ connectionString: old.url });
    await client.connect();
    await client.query(`update schema_migrations set name = '0006_api_keys.sql' where name = '0006_auth.sql'`);
    await client.end();
    const folder = join(work, 'before-baseline');
    await backup({ url: old.url, dataDir: work, folder, say });
    const options = { url: restored.url, dataDir: join(work, 'data'), folder, say, log, country, seeds };
    await expect(restore(options)).rejects.toThrow(
      /^The backup was made by a version of Pennypost before 1\.0\.0, which cannot be upgraded: restore it with that version/,
    );
    for (const database of [old, restored]) await database.drop();
  });

  it('rejects a folder that is not empty and a database that is in use', async () => {
    const folder = join(work, 'two');
    await backup({ url: await databaseOf(), dataDir: work, folder, say });
    await expect(backup({ url: await databaseOf(), dataDir: work, folder, say })).rejects.toThrow(/not empty/);
    await expect(restore({ url: await databaseOf(), dataDir: work, folder, say, log, country, seeds })).rejects.toThrow(
      /in use/,
    );
    await expect(
      restore({ url: await databaseOf(), dataDir: work, folder: work, say, log, country, seeds }),
    ).rejects.toThrow(/no backup/);
  });
});
