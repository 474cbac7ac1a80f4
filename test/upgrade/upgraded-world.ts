import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { letterReference } from '../../src/letters/print/print-provider.ts';
import { tasks } from '../../src/tasks.ts';
import { searchPath } from '../kit/fakes/test-clock.ts';
import { emptyDatabase, type TestDatabase } from '../kit/process/database.ts';
import { type CallbackSink, startCallbackSink } from '../kit/vendors/stub-gateways.ts';
import type { ServiceData } from '../kit/world/service-with-data.ts';
import { type BuiltRelease, build, findPrevious, isRecording } from './releases.ts';
import { environmentIn, RunningRelease } from './running-release.ts';

/** A Monday evening, after the print cut-off. What was recorded is an hour older than what restores it. */
const beginning = Date.parse(isRecording ? '2024-11-11T17:45:00Z' : '2024-11-11T18:45:00Z');

type Which = 'previous' | 'present';

/** A database, a data folder and a clock that both releases share, and a receiver of callbacks. */
export class UpgradedWorld {
  readonly folder = mkdtempSync(join(tmpdir(), 'pennypost-upgrade-'));
  readonly sink: CallbackSink;
  private readonly previous: BuiltRelease;
  private readonly running: RunningRelease[] = [];
  private readonly databases: (TestDatabase & { client: pg.Client; dataDir: string })[] = [];
  private readonly clockOffset_ms = beginning - Date.now();
  private readonly clockFile = join(this.folder, 'clock');

  static async open(): Promise<UpgradedWorld> {
    const world = new UpgradedWorld(build(findPrevious()), await startCallbackSink());
    await world.createDatabase();
    return world;
  }

  private constructor(previous: BuiltRelease, sink: CallbackSink) {
    this.previous = previous;
    this.sink = sink;
    writeFileSync(this.clockFile, String(this.clockOffset_ms));
  }

  /** A new, empty database and data folder, used by every process started from now on. */
  async createDatabase(): Promise<void> {
    const database = await emptyDatabase();
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    // Leases begin and end by the clock of the database: it must agree with that of the processes.
    await client.query(`
      create schema test_clock;
      create function test_clock.now() returns timestamptz stable language sql as
        'select pg_catalog.now() + ${this.clockOffset_ms} * interval ''1 ms''';
      alter database ${client.database} set search_path = ${searchPath};
      set search_path = ${searchPath}`);
    this.databases.unshift({ ...database, client, dataDir: mkdtempSync(join(this.folder, 'data-')) });
  }

  get databaseUrl(): string {
    return this.databases[0]?.url ?? '';
  }

  private get surroundings() {
    const { databaseUrl, clockOffset_ms, clockFile } = this;
    return { databaseUrl, dataDir: this.databases[0]?.dataDir ?? '', clockOffset_ms, clockFile };
  }

  private folderOf(which: Which): string {
    return which === 'previous' ? this.previous.folder : resolve('.');
  }

  async start(which: Which): Promise<RunningRelease> {
    const release = await RunningRelease.start(which, this.folderOf(which), this.surroundings);
    this.running.push(release);
    return release;
  }

  run(which: Which, ...words: string[]): void {
    execFileSync(process.execPath, [join(this.folderOf(which), 'dist/main.js'), ...words], {
      env: environmentIn(this.surroundings),
      stdio: ['ignore', 'ignore', 2],
    });
  }

  async query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    const [database] = this.databases;
    return database ? (await database.client.query<Row>(text, values)).rows : [];
  }

  /** Every message becomes final, the letters are printed, every scheduled task runs, one letter is returned. */
  async finishDeliveries(release: RunningRelease, serviceData: ServiceData): Promise<void> {
    await this.settle(serviceData.ids.service_id);
    // The clock is after the cut-off, so that there is a print run; the letters are from before it.
    await this.query(`update notifications set created_at = created_at - interval '2 hours'
      where notification_type = 'letter' and status = 'created'`);
    for (const task of await this.scheduledTasks()) await this.query('select graphile_worker.add_job($1)', [task]);
    await this.settle(serviceData.ids.service_id);
    const references = [letterReference(serviceData.ids.letter_id ?? '')];
    await release.admin('POST', '/letters/returned', { references });
    await this.settle(serviceData.ids.service_id);
  }

  /** The tasks that both releases have: either may run them. */
  private async scheduledTasks(): Promise<string[]> {
    const previous = await import(pathToFileURL(join(this.folderOf('previous'), 'dist/tasks.js')).href);
    const known = new Set(tasks.filter(({ schedule }) => schedule).map(({ name }) => name));
    return previous.tasks.map(({ name }: { name: string }) => name).filter((name: string) => known.has(name));
  }

  /** Waits for the messages and callbacks of one service, or of all, and for every task. */
  async settle(serviceId?: string): Promise<void> {
    for (const deadline = Date.now() + 30_000; ; await sleep(50)) {
      const open = await this.query(
        `select 'message ' || id as what from notifications
         where status in ('created', 'sending') and notification_type <> 'letter' and service_id = coalesce($1, service_id)
         union all
         select 'callback ' || id from service_callbacks
         where status = 'waiting' and service_id = coalesce($1, service_id)
         union all
         select 'task ' || task_identifier from graphile_worker.jobs where run_at <= now()`,
        [serviceId],
      );
      if (open.length === 0) return;
      if (Date.now() > deadline) throw new Error(`Still not done: ${JSON.stringify(open)}`);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.running.map((release) => release.stop()));
    await this.sink.close();
    for (const { client, drop } of this.databases) {
      await client.end();
      await drop();
    }
    rmSync(this.folder, { recursive: true, force: true });
    this.previous.remove();
  }
}
