import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrate } from '../../src/platform/db/migrate.ts';
import { createLog } from '../../src/platform/log.ts';
import { seeds } from '../../src/seeds.ts';
import { platformServiceId } from '../../src/users/platform-user.ts';
import { cloneDatabase } from '../kit/process/database.ts';
import { migrationsAnd } from '../kit/process/migrations-and.ts';
import { isTimeFaked } from '../kit/process/process-environment.ts';
import { readEveryPage } from '../kit/world/every-page.ts';
import { createServiceWithData, type ServiceData } from '../kit/world/service-with-data.ts';
import { expectDeliveredOnce, expectFigures } from './figures.ts';
import { startLoad } from './light-load.ts';
import { doMoreWork } from './more-work.ts';
import { findPrevious, isRecording, record, recorded, recordedBackup } from './releases.ts';
import type { RunningRelease } from './running-release.ts';
import { UpgradedWorld } from './upgraded-world.ts';

/**
 * The previous release and this version on the same database: during the migration, side by side, after a rollback, and a backup of the
 * previous release. Each creates services that write to almost every table and runs every scheduled task.
 */

const log = createLog('silent');
const accountTextQuery = `select id, subject, content from templates where service_id = '${platformServiceId}' order by id`;

/** Applied after all others, so that there is a migration even where this version has no new one. It locks the busiest table. */
const lastMigration = '9999_of_the_test.sql';
const migrations = migrationsAnd(
  lastMigration,
  'alter table notifications add column of_the_test text; create table of_the_test (id uuid primary key);',
);

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
    'password_guesses',
  ],
  ...['single_sign_on_states', 'user_identities', 'days_without_printing', 'requested_messages'],
  ...['keyword_settings', 'essential_templates'],
  // The sandbox has no mailbox providers, bounces no email and has no limited rate.
  ...['domain_mail_changes', 'domain_volumes', 'domain_refusals', 'service_guard', 'provider_slots'],
  // These need a name server.
  ...[
    'sending_domains',
    'sending_domain_keys',
    'sending_domain_records',
    'sending_domain_checks',
    'sending_domain_changes',
  ],
  // Nothing recurs before tomorrow, and no limit of a hundred is nearly reached.
  ...['recurring_runs', 'limit_notices'],
  // Only `pennypost country change` writes this.
  'zone_changes',
  // Only countries that charge texts by rates abroad use these.
  'rates_abroad',
];

// Migrations give way by lock timeouts, and idle backends report statistics by a timer: neither runs under faked time.
describe.skipIf(isTimeFaked)(`an upgrade from ${findPrevious().name}`, { timeout: 300_000 }, () => {
  const services: ServiceData[] = [];
  let begun = 0;
  let servicesInBackup: ServiceData[];
  let world: UpgradedWorld;
  let previous: RunningRelease;
  let present: RunningRelease;
  let pagesBefore: Record<string, number>;

  beforeAll(async () => {
    execFileSync(process.execPath, ['scripts/ready.mjs'], { stdio: 'inherit' });
    world = await UpgradedWorld.open();
    previous = await world.start('previous');
  }, 180_000);

  afterAll(() => world?.close());

  async function work(release: RunningRelease): Promise<ServiceData> {
    begun += 1;
    const serviceData = await createServiceWithData(release, begun, world.sink.url);
    services.push(serviceData);
    await doMoreWork(release, serviceData);
    await world.finishDeliveries(release, serviceData);
    return serviceData;
  }

  it('begins with a database that the previous release has filled', async () => {
    pagesBefore = await readEveryPage(previous, await work(previous));
    await expectFigures(previous, world, services);
    expect(previous.faults).toEqual([]);
    servicesInBackup = structuredClone(services);
    // An idle connection reports its statistics up to a minute late, and on a busy machine appended changes wait to be added up.
    await expect.poll(untouchedTables, { timeout: 130_000 }).toEqual([]);
    world.run('previous', 'backup', join(world.folder, 'backup'));
    if (isRecording) record(servicesInBackup, (folder) => world.run('previous', 'backup', folder));
  });

  it('the previous release keeps working under load during the migration and after it', async () => {
    const load = startLoad(services[0] as ServiceData, [previous]);
    expect(await migrate(world.databaseUrl, log, { seeds, folder: migrations })).toContain(lastMigration);
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

  it('it works beside this version until it is stopped: nothing is lost or done twice', async () => {
    present = await world.start('present');
    const load = startLoad(services[0] as ServiceData, [previous, present]);
    await work(present);
    load.releases = [present];
    expect(await previous.stop()).toBe(0);
    await load.stop();
    expect(Object.keys(load.responses)).toEqual(['201']);
    await world.settle();
    await expectFigures(present, world, services);
    await expectDeliveredOnce(world, services);
    expect([...previous.faults, ...present.faults]).toEqual([]);
  });

  it('it works after a rollback', async () => {
    expect(await present.stop()).toBe(0);
    previous = await world.start('previous');
    expect(await readEveryPage(previous, await work(previous))).toEqual(pagesBefore);
    await expectFigures(previous, world, services);
    await expectDeliveredOnce(world, services);
    expect([...previous.faults, ...present.faults]).toEqual([]);
  });

  it('this version restores its backup and works on it', async () => {
    const [backup, restored] = recorded
      ? [recordedBackup, recorded.services]
      : [join(world.folder, 'backup'), servicesInBackup];
    await world.createDatabase();
    world.run('present', 'restore', backup);
    expect(await migrate(world.databaseUrl, log, { seeds, folder: migrations })).toEqual([lastMigration]);
    present = await world.start('present');
    await expectFigures(present, world, restored);
    await expectFigures(present, world, [...restored, await work(present)]);
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
});
