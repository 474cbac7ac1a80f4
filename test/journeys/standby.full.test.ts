import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../src/commands/read-config.ts';
import { backup } from '../../src/operations/backup/backup.ts';
import { examine } from '../../src/operations/doctor/doctor.ts';
import type { Db } from '../../src/platform/db/database.ts';
import { fromStandby } from '../../src/platform/db/servers/standby.ts';
import { anApiKey, aService, aTemplate } from '../kit/builders/rows.ts';
import { type Harness, useHarness } from '../kit/harness.ts';
import { databaseNamed } from '../kit/process/database-url.ts';
import { ReplicatedDatabase } from '../kit/process/streaming-standby.ts';
import { aPerson, signedIn } from '../kit/world/console-people.ts';
import { metricOf } from '../kit/world/metrics.ts';

let database: ReplicatedDatabase;
/** A process that sends, and knows no standby. */
const harness = useHarness({
  now: new Date().toISOString(),
  sharesDatabase: true,
  async database() {
    database = await ReplicatedDatabase.start();
    return { url: database.url, drop: () => database.stop() };
  },
});
/** Another process, which reads from the standby. */
let reader: Awaited<ReturnType<Harness['anotherProcess']>>;
let service: string;
let key: string;
let template_id: string;

beforeAll(async () => {
  service = await aService(harness);
  key = await anApiKey(harness, service);
  template_id = await aTemplate(harness, service, { content: 'Hello' });
  reader = await harness.anotherProcess({ database: { replicaUrl: database.standbyUrl } });
});

const stateOf = ({ app }: Pick<Harness, 'app'> = reader) => app.standby?.state;
const untilUsed = () => expect.poll(() => stateOf()?.problem, { interval: 50 }).toBe(undefined);

async function count(name: string, label = ''): Promise<number> {
  const text = await metricOf(reader, name);
  return Number(new RegExp(`^${name}(?:{${label}})? (\\S+)`, 'm').exec(text)?.[1] ?? 0);
}

const readsBy = (server: 'standby' | 'primary') => count('db_standby_reads_total', `server="${server}"`);

/** Of those that may use the standby. */
const allReads = async () => (await readsBy('standby')) + (await readsBy('primary'));

async function send(): Promise<string> {
  const message = { phone_number: '07700900123', template_id };
  const { status, body } = await harness.v2('POST', '/v2/notifications/sms', key, message);
  expect(status).toBe(201);
  return body.id;
}

/** The newest message of a list that may be read from the standby. */
async function newest(): Promise<string> {
  return (await reader.v2('GET', '/v2/notifications?template_type=sms', key)).body.notifications[0].id;
}

/** Slow on the standby only; returns which server has answered. */
async function whoAnswers({ db }: { db: Db }): Promise<string> {
  const { rows } = await sql<{ who: string }>`
    select case when pg_is_in_recovery() then 'standby' || pg_sleep(4) else 'primary' end as who
    from (select count(*) from notifications) as counted`.execute(db);
  return rows[0]?.who ?? '';
}

describe('a standby that keeps up', () => {
  beforeEach(untilUsed);

  it('is read from, and has what another process has just accepted', async () => {
    for (let round = 0; round < 20; round += 1) {
      const id = await send();
      expect(await newest()).toBe(id);
    }
    // On a busy machine the standby may be late now and then.
    expect(await readsBy('standby')).toBeGreaterThan(10);
    const [{ queries }] = await database.onStandby(
      "select count(*)::int as queries from pg_stat_activity where query ilike '%from notifications%'",
    );
    expect(queries).toBeGreaterThan(0);
    expect(await count('db_standby_used')).toBe(1);
    expect(await count('db_standby_lag_seconds')).toBeLessThan(1);
    expect(await metricOf(reader, 'db_connection_total_connected')).toContain('pool="standby"');
  });

  type Request = [reads: 0 | 1, name: string, ask: () => Promise<{ status: number }>];

  async function expectReads(asked: Request[]): Promise<void> {
    const found: [number, string][] = [];
    const repeated = await count('db_standby_repeated_reads_total');
    for (const [, name, ask] of asked) {
      const before = await allReads();
      const { status } = await ask();
      found.push([(await allReads()) - before, `${name} ${status}`]);
    }
    expect(found).toEqual(asked.map(([reads, name]) => [reads, `${name} 200`]));
    expect(await count('db_standby_repeated_reads_total')).toBe(repeated);
  }

  it('answers exports, searches and reports; nothing that shows what somebody has just done', async () => {
    const ofService = `/service/${service}/notifications`;
    const id = await send();
    const get = (url: string) => () => reader.admin('GET', url);
    const v2 = (url: string) => () => reader.v2('GET', url, key);
    const today = harness.clock.now().toISOString().slice(0, 10);
    await expectReads([
      [0, 'a message', v2(`/v2/notifications/${id}`)],
      [0, 'the newest messages', v2('/v2/notifications')],
      [0, 'messages of a reference', v2('/v2/notifications?reference=x')],
      [1, 'messages of a status', v2('/v2/notifications?status=created')],
      [1, 'older messages', v2(`/v2/notifications?older_than=${id}`)],
      [0, 'a message of the service', get(`${ofService}/${id}`)],
      [0, 'the newest messages of the service', get(ofService)],
      [1, 'messages to a recipient', get(`${ofService}?to=0770`)],
      [1, 'the second page', get(`${ofService}?page=2&page_size=1`)],
      [1, 'a search by recipient', () => reader.admin('POST', ofService, { to: '0770' })],
      [1, 'an export', get(`${ofService}/csv`)],
      [1, 'statistics of the platform', get('/platform-stats')],
      [1, 'volumes', get(`/platform-stats/volumes-by-service?start_date=${today}&end_date=${today}`)],
      [1, 'live services', get('/service/live-services-data')],
      [1, 'the performance dashboard', get('/performance-dashboard')],
      [0, 'the service', get(`/service/${service}`)],
      [0, 'usage of the service', get(`/service/${service}/billing/yearly-usage-summary?year=2026`)],
    ]);
  });

  it('answers the same in the console', { timeout: 60_000 }, async () => {
    const id = await send();
    const person = await aPerson(harness, { platform_admin: true });
    const visitor = await signedIn(harness, person.id, reader);
    const page = (url: string) => () => visitor.get(`/console${url}`);
    await expectReads([
      [0, 'the newest messages', page(`/services/${service}/messages`)],
      [1, 'older messages', page(`/services/${service}/messages?before=${id}`)],
      [1, 'an export', page(`/services/${service}/messages/csv`)],
      [1, 'a report of the operator', page('/operator/reports/daily-volumes')],
      [1, 'the same as CSV', page('/operator/reports/daily-volumes/csv')],
      [1, 'the audit log as CSV', page('/operator/audit/csv')],
      [0, 'the audit log', page('/operator/audit')],
      [0, 'the overview', page('/operator')],
    ]);
    const { text } = await visitor.get('/console/operator/system');
    expect(text).toMatch(/Standby for reads.* s behind the primary: exports/);
  });

  it('is reported by doctor', async () => {
    const replica = async (DATABASE_REPLICA_URL: string) => {
      const DATA_DIR = mkdtempSync(join(tmpdir(), 'pennypost-doctor-'));
      onTestFinished(() => rmSync(DATA_DIR, { recursive: true }));
      const config = readConfig({ DATA_DIR, DATABASE_URL: database.url, DATABASE_REPLICA_URL });
      return (await examine(config, database.url)).find(({ name }) => name === 'replica');
    };
    expect(await replica(database.standbyUrl)).toMatchObject({
      ok: true,
      description: expect.stringMatching(
        /0\.\d s behind the primary: exports, reports, searches and backups read from it$/,
      ),
    });
    expect(await replica(databaseNamed(database.standbyUrl, 'postgres'))).toMatchObject({
      ok: false,
      description: expect.stringContaining('is a standby of another cluster, or another database: '),
    });
    expect(await replica(database.url)).toMatchObject({
      ok: false,
      description: expect.stringContaining('is not a standby: '),
    });
  });

  it('gives a backup, with everything that was accepted before it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pennypost-backup-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const id = await send();
    const said: string[] = [];
    const options = { url: database.url, dataDir: folder, say: (line: string) => said.push(line) };
    await backup({ ...options, folder: join(folder, 'b'), replicaUrl: database.standbyUrl });
    expect(said.filter((line) => line.includes('reading'))).toEqual(['  reading from the standby']);
    expect(gunzipSync(readFileSync(join(folder, 'b', 'database.sql.gz'))).toString()).toContain(id);
  });

  it('cancels a backup in favour of recovery: it begins again on the primary', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pennypost-backup-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const lock = `import pg from 'pg';
      const client = new pg.Client({ connectionString: ${JSON.stringify(database.url)} });
      await client.connect();
      await client.query('begin; lock table notifications in access exclusive mode; commit');
      setTimeout(() => client.end(), 500);`;
    const said: string[] = [];
    // Meanwhile this process stands still, with a snapshot that has read the table.
    const say = (line: string) => {
      said.push(line);
      const isOnStandby = !said.some((one) => one.includes('from the primary'));
      if (line === '  notifications' && isOnStandby) {
        execFileSync(process.execPath, ['--input-type=module', '-e', lock]);
      }
    };
    const { url, standbyUrl: replicaUrl } = database;
    await backup({ url, replicaUrl, dataDir: folder, folder: join(folder, 'b'), say });
    expect(said.find((line) => line.includes('from the primary'))).toContain('the standby failed');
    expect(said.filter((line) => line === '  notifications')).toHaveLength(2);
    const dump = gunzipSync(readFileSync(join(folder, 'b', 'database.sql.gz'))).toString();
    expect(dump.match(/^COPY notifications /gm)).toHaveLength(1);
  });

  it('is found among several hosts', async () => {
    const replicaUrl = database.standbyUrl.replace(/host=([^&]*)/, 'host=$1,$1').replace('port=5433', 'port=5432,5433');
    const other = await harness.anotherProcess({ database: { replicaUrl } });
    await expect.poll(() => stateOf(other)?.problem, { interval: 50 }).toBe(undefined);
    expect(stateOf(other)?.server).toMatch(/:5433$/);
  });

  it('cancels a read in favour of recovery: it is repeated on the primary', async () => {
    const repeated = await count('db_standby_repeated_reads_total');
    const reads = [
      fromStandby(reader.app, 'file', whoAnswers),
      fromStandby(reader.app, 'file', ({ db }) =>
        db
          .transaction()
          .setIsolationLevel('repeatable read')
          .execute((tx) => whoAnswers({ db: tx })),
      ),
    ];
    const isReading = async () =>
      (await database.onStandby("select from pg_stat_activity where state = 'active' and query like '%pg_sleep%'"))
        .length;
    await expect.poll(isReading, { interval: 50 }).toBeGreaterThan(2);
    await database.onPrimary('begin; lock table notifications in access exclusive mode; commit');
    expect(await Promise.all(reads)).toEqual(['primary', 'primary']);
    expect(await count('db_standby_repeated_reads_total')).toBe(repeated + 2);
    expect(harness.logged.join()).toContain('due to conflict with recovery');
  });
});

describe('a standby that cannot be used', () => {
  it('of another database, or a primary, is never read from', async () => {
    const urls = [databaseNamed(database.standbyUrl, 'postgres'), database.url];
    const others = await Promise.all(urls.map((replicaUrl) => harness.anotherProcess({ database: { replicaUrl } })));
    const problems = () => others.map((other) => stateOf(other)?.problem);
    await expect.poll(problems).toEqual(['is a standby of another cluster, or another database', 'is not a standby']);
    for (const other of others) {
      expect((await other.v2('GET', '/v2/notifications?template_type=sms', key)).status).toBe(200);
      expect(await metricOf(other, 'db_standby_reads_total')).toContain('server="primary"} 1');
    }
  });

  it('is late: the primary answers after a second, and then at once', async () => {
    await untilUsed();
    const before = await readsBy('primary');
    await database.onStandby('select pg_wal_replay_pause()');
    const id = await send();
    expect(await newest()).toBe(id);
    await expect.poll(() => stateOf()?.behind_ms, { interval: 50 }).toBeGreaterThan(1_000);
    const began = performance.now();
    for (let round = 0; round < 5; round += 1) expect(await newest()).toBe(id);
    expect(performance.now() - began).toBeLessThan(4_000);
    expect((await readsBy('primary')) - before).toBe(6);
    // A file may wait for longer.
    const file = fromStandby(reader.app, 'file', async ({ db }) => sql`select 1`.execute(db));
    await database.onStandby('select pg_wal_replay_resume()');
    await file;
    expect((await readsBy('primary')) - before).toBe(6);
    await expect.poll(() => stateOf()?.behind_ms, { interval: 50 }).toBeLessThan(1_000);
  });

  it('hangs: what it was asked is answered by the primary within seconds', async () => {
    await untilUsed();
    const began = performance.now();
    const read = fromStandby(reader.app, 'file', whoAnswers);
    await new Promise((resolve) => setTimeout(resolve, 300));
    database.signalStandby('SIGSTOP');
    expect(await read).toBe('primary');
    expect(performance.now() - began).toBeLessThan(8_000);
    expect(stateOf()?.problem).toMatch(/^cannot be queried/);
    database.signalStandby('SIGCONT');
    await untilUsed();
  });

  it('dies in the middle of a download: the primary goes on, and so do reads until it is back', async () => {
    const id = await send();
    const parts = await fromStandby(reader.app, 'file', async ({ db }) => {
      async function* lines() {
        for (let line = 0; line < 3; line += 1) {
          const { rows } = await sql<{ standby: boolean }>`select pg_is_in_recovery() as standby`.execute(db);
          yield rows[0]?.standby;
        }
      }
      return lines();
    });
    expect((await parts.next()).value).toBe(true);
    database.signalStandby('SIGKILL');
    expect([(await parts.next()).value, (await parts.next()).value]).toEqual([false, false]);
    expect(await newest()).toBe(id);
    await expect.poll(() => stateOf()?.problem, { interval: 50 }).toMatch(/^cannot be queried/);
    await database.startStandby();
    await untilUsed();
  });

  it('is promoted: it is not read from any more', async () => {
    await untilUsed();
    const read = await reader.app.standby?.openRead('file');
    await database.onStandby('select pg_promote()');
    const id = await send();
    expect(await newest()).toBe(id);
    const { rows } = await sql<{
      servers: number;
    }>`select pg_is_in_recovery() as standby, id from notifications where id = ${id}`.execute(read?.db as Db);
    expect(rows).toEqual([{ standby: false, id }]);
    await expect.poll(() => stateOf()?.problem, { interval: 50 }).toBe('is not a standby');
    expect(await newest()).toBe(id);
  });
});
