import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { toUrl } from '../../../src/libraries/embedded-postgres/address.ts';
import { findBinaries } from '../../../src/libraries/embedded-postgres/binaries.ts';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../src/libraries/embedded-postgres/embedded-postgres.ts';
import { chooseServerUser } from '../../../src/libraries/embedded-postgres/user.ts';
import { migrate } from '../../../src/platform/db/migrate.ts';
import { createLog } from '../../../src/platform/log.ts';
import { seeds } from '../../../src/seeds.ts';

const log = createLog('silent');
const port = 5433;

/** A PostgreSQL with the schema of the product, and a standby that streams from it. */
export class ReplicatedDatabase {
  private readonly dataDir: string;
  private readonly primary: EmbeddedPostgres;
  private readonly user = process.getuid?.() === 0 ? chooseServerUser() : undefined;

  static async start(): Promise<ReplicatedDatabase> {
    const dataDir = mkdtempSync(join(tmpdir(), 'pennypost-replicated-'));
    const settings = { fsync: 'off', wal_log_hints: 'off', shared_buffers: '32MB' };
    const primary = await startEmbeddedPostgres({ dataDir, log, settings });
    const database = new ReplicatedDatabase(dataDir, primary);
    await migrate(primary.url, log, { seeds });
    await database.copyPrimary();
    await database.startStandby();
    return database;
  }

  private constructor(dataDir: string, primary: EmbeddedPostgres) {
    this.dataDir = dataDir;
    this.primary = primary;
  }

  get url(): string {
    return this.primary.url;
  }

  get standbyUrl(): string {
    const { host, user, database } = this.primary.connection;
    return toUrl({ host, port, password: undefined }, user, database);
  }

  onPrimary(text: string) {
    return query(this.url, text);
  }

  onStandby(text: string) {
    return query(this.standbyUrl, text);
  }

  /** Sends the signal to every process of the standby. */
  signalStandby(signal: NodeJS.Signals): void {
    const pid = Number(readFileSync(join(this.data, 'postmaster.pid'), 'utf8').split('\n')[0]);
    for (const each of [pid, ...childrenOf(pid)]) process.kill(each, signal);
  }

  async startStandby(): Promise<void> {
    const { postgres } = findBinaries(this.user);
    const { host } = this.primary.connection;
    const settings = {
      port,
      listen_addresses: '',
      unix_socket_directories: host,
      primary_conninfo: `host=${host} port=5432 user=${this.primary.connection.user}`,
      wal_receiver_status_interval: 1,
      wal_retrieve_retry_interval: '100ms',
      max_standby_streaming_delay: '100ms',
      max_connections: 200,
      shared_buffers: '32MB',
      fsync: 'off',
      log_min_messages: 'log',
    };
    const words = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    spawn(postgres, ['-D', this.data, ...words], {
      cwd: this.primary.location,
      env: { LC_ALL: 'C', TZ: 'UTC' },
      stdio: 'ignore',
      detached: true,
      ...(this.user && { uid: this.user.uid, gid: this.user.gid }),
    }).unref();
    while ((await this.onStandby('select 1').catch(() => [])).length === 0) await sleep(50);
  }

  async stop(): Promise<void> {
    try {
      this.signalStandby('SIGKILL');
    } catch {
      // It has ended.
    }
    await this.primary.stop();
    rmSync(this.primary.location, { recursive: true, force: true });
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  private get data(): string {
    return join(this.primary.location, 'standby');
  }

  /** Replaces pg_basebackup, which is not among the embedded programs. */
  private async copyPrimary(): Promise<void> {
    const client = new pg.Client({ connectionString: this.url });
    await client.connect();
    await client.query("select pg_backup_start('standby', true)");
    execFileSync('cp', ['-a', join(this.primary.location, 'data'), this.data]);
    const { rows } = await client.query('select labelfile from pg_backup_stop(false)');
    await client.end();
    rmSync(join(this.data, 'postmaster.pid'));
    for (const name of readdirSync(join(this.data, 'pg_wal'))) {
      if (/^[0-9A-F]{24}$/.test(name)) rmSync(join(this.data, 'pg_wal', name));
    }
    writeFileSync(join(this.data, 'backup_label'), rows[0].labelfile, { mode: 0o644 });
    writeFileSync(join(this.data, 'standby.signal'), '');
    const { user } = this;
    if (user) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, this.data]);
  }
}

function childrenOf(pid: number): number[] {
  const list = `/proc/${pid}/task/${pid}/children`;
  const text = existsSync(list)
    ? readFileSync(list, 'utf8')
    : execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' });
  return text.split(/\s+/).filter(Boolean).map(Number);
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads rows without types
async function query(connectionString: string, text: string): Promise<any[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
