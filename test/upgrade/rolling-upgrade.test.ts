import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createCountry } from '../../src/countries/country.ts';
import { gb } from '../../src/countries/gb.ts';
import { restore } from '../../src/operations/backup/restore.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { createLog } from '../../src/platform/log.ts';
import { seeds } from '../../src/seeds.ts';
import { platformServiceId } from '../../src/users/platform-user.ts';
import { cloneDatabase } from '../kit/process/database.ts';
import { isLongRun, isTimeFaked } from '../kit/process/process-environment.ts';
import { readEveryPage } from '../kit/world/every-page.ts';
import { createServiceWithData, type ServiceData } from '../kit/world/service-with-data.ts';
import { expectDeliveredOnce, expectFigures } from './figures.ts';
import { workWithFiles } from './file-work.ts';
import { LightLoad } from './light-load.ts';
import { previousRelease, unpackRelease } from './previous-release.ts';
import type { RunningRelease } from './running-release.ts';
import { UpgradedWorld } from './upgraded-world.ts';

/**
 * The previous release and this one on the same database: during the migration, side by
 * side, and after a rollback. Each creates services that write to every table and runs every scheduled task. `npm test` ends
 * when the previous release is stopped; the rollback, and the restored backup of the previous release, are in `npm run test:long`.
 */

const country = createCountry(gb);
const accountTextQuery = `select id, subject, content from templates where service_id = '${platformServiceId}' order by id`;

/** The tables to which the services of this test do not write. */
const unusedTables = [
  // Messages are unfinished only after three days, and the sandbox accepts every message.
  ...['unfinished_messages', 'failed_attempts'],
  // These belong to providers that are not in use, and to tracing.
  ...['report_receivers', 'message_parts', 'received_parts', 'message_traces'],
  // Only people in the console write these.
  ...[
    'sessions',
    'console_marks',
    'template_drafts',
    'template_hidden_hints',
    'webauthn_challenges',
    'single_sign_on_states',
    'user_identities',
    'days_without_printing',
  ],
  // The previous release knows no limits of a year.
  'annual_counts',
  // The previous release sends no attachments.
  'attachments',
  // Only `pennypost country change` writes this.
  'zone_changes',
  // Only countries that charge texts by rates abroad use these.
  'rates_abroad',
];

// Migrations give way by lock timeouts, and idle backends report statistics by a timer: neither runs under faked time.
describe.skipIf(isTimeFaked || !previousRelease)(
  `from ${previousRelease?.version} to this release`,
  { timeout: 300_000 },
  () => {
    const services: ServiceData[] = [];
    let begun = 0;
    let servicesInBackup: ServiceData[];
    let world: UpgradedWorld;
    let previous: RunningRelease;
    let present: RunningRelease;
    let pagesBefore: Record<string, number>;
    const log = createLog('silent');

    beforeAll(async () => {
      execFileSync(process.execPath, ['scripts/ready.mjs'], { stdio: 'inherit' });
      if (!previousRelease) return;
      world = await UpgradedWorld.open(unpackRelease(previousRelease));
      previous = await world.start('previous');
    }, 180_000);

    afterAll(() => world?.close());

    async function work(release: RunningRelease): Promise<ServiceData> {
      begun += 1;
      const serviceData = await createServiceWithData(release, begun, world.sink.url);
      services.push(serviceData);
      await workWithFiles(release, serviceData);
      await world.finishDeliveries(release, serviceData);
      return serviceData;
    }

    /** As the first service. */
    function startLoad(...releases: RunningRelease[]): LightLoad {
      const load = new LightLoad(services[0] as ServiceData, ...releases);
      onTestFinished(() => load.stop());
      return load;
    }

    it('every released migration is unchanged', () => {
      const released = world.migrationsOfPrevious();
      const present = Object.keys(released).map((name) => [name, readFileSync(join('migrations', name), 'utf8')]);
      expect(Object.fromEntries(present)).toEqual(released);
    });

    it('the previous release works on its own schema, and writes to every table', async () => {
      pagesBefore = await readEveryPage(previous, await work(previous));
      await expectFigures(previous, world, services);
      expect(previous.faults).toEqual([]);
      servicesInBackup = structuredClone(services);
      if (isLongRun) world.runPrevious('backup', join(world.folder, 'backup'));
      // An idle connection reports its statistics up to a minute late.
      await expect.poll(untouchedTables, { timeout: 65_000 }).toEqual([]);
    });

    it('keeps working under load during the migration and after it', async () => {
      const load = startLoad(previous);
      await migrate(world.databaseUrl, log, { seeds });
      // Where they differ, `formerly` lacks the text of the previous release: src/users/account-templates.seed.ts.
      expect(await world.query(accountTextQuery)).toEqual(await textsOfNewDatabase());
      const second = await work(previous);
      expect(await readEveryPage(previous, second)).toEqual(pagesBefore);
      await load.stop();
      expect(Object.keys(load.responses)).toEqual(['201']);
      await world.settle();
      await expectFigures(previous, world, services);
      expect(previous.faults).toEqual([]);
    });

    it('works beside this release until it is stopped: nothing is lost or done twice', async () => {
      present = await world.start('present');
      const load = startLoad(previous, present);
      await work(present);
      load.sendOnlyTo(present);
      expect(await previous.stop()).toBe(0);
      await load.stop();
      expect(Object.keys(load.responses)).toEqual(['201']);
      await world.settle();
      await expectFigures(present, world, services);
      await expectDeliveredOnce(world, services);
      expect([...previous.faults, ...present.faults]).toEqual([]);
    });

    it.runIf(isLongRun)('works after a rollback', async () => {
      expect(await present.stop()).toBe(0);
      previous = await world.start('previous');
      expect(await readEveryPage(previous, await work(previous))).toEqual(pagesBefore);
      await expectFigures(previous, world, services);
      await expectDeliveredOnce(world, services);
      expect([...previous.faults, ...present.faults]).toEqual([]);
    });

    it.runIf(isLongRun)('its backup is restored by this release', async () => {
      const url = await world.createDatabase();
      const folder = join(world.folder, 'backup');
      await restore({ url, dataDir: join(world.folder, 'restored'), folder, say: () => {}, log, country, seeds });
      present = await world.start('present');
      await expectFigures(present, world, servicesInBackup);
      expect(present.faults).toEqual([]);
    });

    async function textsOfNewDatabase(): Promise<object[]> {
      const database = await cloneDatabase();
      const client = new pg.Client({ connectionString: database.url });
      await client.connect();
      const { rows } = await client.query(accountTextQuery);
      await client.end();
      await database.drop();
      return rows;
    }

    async function untouchedTables(): Promise<string[]> {
      const rows = await world.query<{ name: string }>(
        `select relname as name from pg_stat_user_tables
       where schemaname = 'public' and n_tup_ins + n_tup_upd = 0 and relname !~ '^notifications' and relname <> all ($1)
       order by 1`,
        [unusedTables],
      );
      return rows.map(({ name }) => name);
    }
  },
);
