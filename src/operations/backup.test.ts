import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { aNotification, anApiKey, aService, aTemplate } from '../../test/kit/builders.ts';
import { cloneDatabase, emptyDatabase } from '../../test/kit/database.ts';
import { databaseNamed } from '../../test/kit/database-url.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { migrate, migrationFiles } from '../platform/db/migrate.ts';
import { createLog } from '../platform/log.ts';
import { backup, restore } from './backup.ts';

const harness = useHarness();
const work = mkdtempSync(join(tmpdir(), 'pennypost-backup-'));
const log = createLog('silent');
const say = () => {};

afterAll(() => rmSync(work, { recursive: true, force: true }));

async function databaseOf(): Promise<string> {
  const { rows } = await harness.app.pool.query('select current_database() as name');
  return databaseNamed(inject('databaseUrl'), rows[0].name);
}

describe('pennypost backup and restore', () => {
  it('brings every row and every waiting job to an empty database', async () => {
    const service = await aService(harness, { name: 'Bäckup \\ "quoted"\tand tabbed' });
    await anApiKey(harness, service);
    const options = { run_at: new Date('2099-01-01'), queue_name: 'one-after-the-other' };
    await harness.app.queue.add(harness.app.db, 'a-job-for-later', { id: 7 }, options);
    const folder = join(work, 'one');
    await backup({ url: await databaseOf(), dataDir: work, folder, say });

    const target = await cloneDatabase();
    await restore({ url: target.url, dataDir: join(work, 'data'), folder, say, log });
    const client = new pg.Client({ connectionString: target.url });
    await client.connect();
    const kept = await client.query('select name from services where id = $1', [service]);
    expect(kept.rows).toEqual([{ name: 'Bäckup \\ "quoted"\tand tabbed' }]);
    expect((await client.query('select 1 from api_keys where service_id = $1', [service])).rowCount).toBe(1);
    const jobs = await client.query('select task_identifier, queue_name from graphile_worker.jobs');
    expect(jobs.rows).toEqual([{ task_identifier: 'a-job-for-later', queue_name: 'one-after-the-other' }]);
    await client.end();
    await target.drop();
  });

  it('makes a partition for each day that has messages, and says what will be sent', async () => {
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
    });
    expect(said).toContainEqual(expect.stringMatching(/^6 messages and 0 letters wait to be sent/));
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

  it('ends what was waiting instead of sending it again, if told so', async () => {
    const service = await aService(harness);
    const ids = [
      await aNotification(harness, service, await aTemplate(harness, service)),
      await aNotification(harness, service, await aTemplate(harness, service, { template_type: 'letter' }), {
        notification_type: 'letter',
      }),
    ];
    const folder = join(work, 'unsent');
    await backup({ url: await databaseOf(), dataDir: work, folder, say });
    const target = await emptyDatabase();
    const said: string[] = [];
    const options = { url: target.url, dataDir: join(work, 'data'), folder, log, endUnsent: true };
    await restore({ ...options, say: (line) => said.push(line) });
    expect(said.filter((line) => line.includes('wait to be sent'))).toEqual([]);
    const client = new pg.Client({ connectionString: target.url });
    await client.connect();
    const { rows } = await client.query('select status from notifications where id = any ($1)', [ids]);
    expect(rows).toEqual([{ status: 'technical-failure' }, { status: 'technical-failure' }]);
    const counts = await client.query(
      'select status, sum(count)::int as count from status_counts where service_id = $1 group by 1 having sum(count) > 0',
      [service],
    );
    expect(counts.rows).toEqual([{ status: 'technical-failure', count: 2 }]);
    await client.end();
    await target.drop();
  });

  it('brings what lacks a migration in the middle up to date', async () => {
    const later = '0106_kinds_of_letters.sql';
    const old = await emptyDatabase();
    await migrate(old.url, log, { only: migrationFiles().filter((name) => name !== later) });
    const folder = join(work, 'three');
    await backup({ url: old.url, dataDir: work, folder, say });
    const target = await emptyDatabase();
    await restore({ url: target.url, dataDir: join(work, 'data'), folder, say, log });
    expect(await migrate(target.url, log)).toEqual([]);
    const newer = await cloneDatabase();
    await expect(restore({ url: newer.url, dataDir: work, folder, say, log })).rejects.toThrow(/newer schema/);
    for (const database of [old, target, newer]) await database.drop();
  });

  it('refuses a folder that is not empty, and a database that is in use', async () => {
    const folder = join(work, 'two');
    await backup({ url: await databaseOf(), dataDir: work, folder, say });
    await expect(backup({ url: await databaseOf(), dataDir: work, folder, say })).rejects.toThrow(/not empty/);
    await expect(restore({ url: await databaseOf(), dataDir: work, folder, say, log })).rejects.toThrow(/in use/);
    await expect(restore({ url: await databaseOf(), dataDir: work, folder: work, say, log })).rejects.toThrow(
      /no backup/,
    );
  });
});
