import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type EmbeddedPostgres, findRunningEmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts';

const isRoot = process.getuid?.() === 0;
const messages: string[] = [];
const log = {
  info: (_: object, text: string) => messages.push(text),
  warn: (_: object, text: string) => messages.push(text),
};
/** These tests do not cover power failures, and other tests share the disk. */
const settings = { fsync: 'off', shared_buffers: '16MB' };

let home: string;
const running = new Set<EmbeddedPostgres>();

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'pennypost-embedded-'));
  chmodSync(home, 0o711);
  execFileSync(process.execPath, ['scripts/ready.mjs']);
});

afterEach(async () => {
  for (const server of running) await server.stop();
  running.clear();
  messages.length = 0;
});

afterAll(() => rmSync(home, { recursive: true }));

async function start(dataDir: string, more: Record<string, string> = {}, transport?: 'tcp'): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDir, log, settings: { ...settings, ...more }, transport });
  running.add(server);
  return server;
}

async function query(server: EmbeddedPostgres, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

function pidOf(server: EmbeddedPostgres): number {
  return Number.parseInt(readFileSync(join(server.location, 'data', 'postmaster.pid'), 'utf8'), 10);
}

async function eventually(check: () => Promise<unknown>): Promise<void> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    try {
      await check();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(50);
    }
  }
}

/** Another Pennypost in a separate process that can be killed. It runs the compiled files. */
async function startInOwnProcess(dataDir: string, transport?: 'tcp'): Promise<ChildProcess> {
  const program = `
    import { startEmbeddedPostgres } from './dist/libraries/embedded-postgres/embedded-postgres.js';
    const log = { info() {}, warn() {} };
    await startEmbeddedPostgres({ ...${JSON.stringify({ dataDir, settings, transport })}, log });
    process.stdout.write('started');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await new Promise((resolve, reject) => {
    child.stdout?.once('data', resolve);
    child.once('exit', () => reject(new Error('The other Pennypost ended')));
  });
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}

describe('startEmbeddedPostgres', () => {
  it('keeps data across restarts', async () => {
    const dataDir = join(home, 'kept');
    const first = await start(dataDir);
    expect(first.location).toBe(join(dataDir, 'postgres'));
    await query(first, 'create table letters as select 7 as n');
    await first.stop();
    expect(existsSync(join(first.location, 'data', 'postmaster.pid'))).toBe(false);

    const second = await start(dataDir);
    expect(await query(second, 'select n from letters')).toEqual([{ n: 7 }]);
  });

  it('creates a durable UTF-8 database that does not listen on the network', async () => {
    const server = await start(join(home, 'kept'), { work_mem: '5MB' });
    const rows = await query(
      server,
      `select current_setting('data_checksums') as checksums, current_setting('server_encoding') as encoding,
              current_setting('listen_addresses') as addresses, current_setting('max_connections') as connections,
              current_setting('work_mem') as work_mem, lower('ÉŴ') as lower,
              current_setting('wal_segment_size') as wal_segment`,
    );
    const expected = {
      checksums: 'on',
      encoding: 'UTF8',
      addresses: '',
      connections: '200',
      work_mem: '5MB',
      lower: 'éŵ',
      wal_segment: '2MB',
    };
    expect(rows).toEqual([expected]);
    expect(statSync(server.connection.host).mode & 0o777).toBe(0o700);
    const client = new pg.Client(server.connection);
    await client.connect();
    await client.end();
  });

  it('ignores PG variables', async () => {
    const strange = {
      PGPORT: '1',
      PGSSLMODE: 'require',
      PGHOST: '192.0.2.1',
      PGUSER: 'stranger',
      PGDATABASE: 'strange',
    };
    Object.assign(process.env, strange);
    onTestFinished(() => {
      for (const name of Object.keys(strange)) delete process.env[name];
    });
    const server = await start(join(home, 'kept'));
    expect(await query(server, 'select current_user as name')).toEqual([{ name: 'pennypost' }]);
    const client = new pg.Client(server.connection);
    await client.connect();
    await client.end();
  });

  it('rejects a second Pennypost on the same folder without affecting the first', async () => {
    const dataDir = join(home, 'kept');
    const first = await start(dataDir);
    await expect(start(dataDir)).rejects.toThrow(`Another Pennypost already runs on ${dataDir}`);
    expect(await query(first, 'select 1 as n')).toEqual([{ n: 1 }]);
  });

  it('lets one of two concurrent starts in a new folder win', async () => {
    const dataDir = join(home, 'contested');
    const [first, second] = await Promise.allSettled([start(dataDir), startInOwnProcess(dataDir)]);
    expect([first.status, second.status].sort()).toEqual(['fulfilled', 'rejected']);
    if (second.status === 'fulfilled') {
      await kill(second.value);
      await start(dataDir);
    }
  });

  it('takes over the server of a killed process', async () => {
    const dataDir = join(home, 'orphaned');
    const other = await startInOwnProcess(dataDir);
    await expect(start(dataDir)).rejects.toThrow(`process ${other.pid}`);
    const orphan = readFileSync(join(dataDir, 'postgres', 'data', 'postmaster.pid'), 'utf8').split('\n')[0];
    await kill(other);

    const server = await start(dataDir);
    expect(pidOf(server)).toBe(Number(orphan));
    await server.stop();
    expect(existsSync(join(server.location, 'data', 'postmaster.pid'))).toBe(false);
  });

  it('restarts a server with different settings', async () => {
    const dataDir = join(home, 'orphaned');
    await kill(await startInOwnProcess(dataDir));
    const server = await start(dataDir, { work_mem: '6MB' });
    expect(await query(server, `select current_setting('work_mem') as value`)).toEqual([{ value: '6MB' }]);
  });

  it('starts despite a stale pid file', async () => {
    const dataDir = join(home, 'orphaned');
    const other = await startInOwnProcess(dataDir);
    const file = join(dataDir, 'postgres', 'data', 'postmaster.pid');
    process.kill(Number.parseInt(readFileSync(file, 'utf8'), 10), 'SIGKILL');
    await kill(other);
    expect(existsSync(file)).toBe(true);
    await (await start(dataDir)).stop();

    // The id now belongs to another process, here our own.
    writeFileSync(file, `${process.pid}\n${dataDir}\n1\n5432\n\n\n\nready\n`);
    expect(await query(await start(dataDir), 'select 1 as n')).toEqual([{ n: 1 }]);
  });

  it('rejects a folder whose server runs in another container', async () => {
    const dataDir = join(home, 'kept');
    const first = await start(dataDir);
    const file = join(first.location, 'data', 'postmaster.pid');
    const truth = readFileSync(file, 'utf8');
    writeFileSync(file, truth.replace(/^\d+/, '999999999'));
    await expect(start(dataDir)).rejects.toThrow('perhaps in another container');
    writeFileSync(file, truth);
  });

  it('restarts the server when it dies', async () => {
    const server = await start(join(home, 'kept'));
    const pid = pidOf(server);
    process.kill(pid, 'SIGKILL');
    await eventually(async () => expect(await query(server, 'select 1 as n')).toEqual([{ n: 1 }]));
    expect(pidOf(server)).not.toBe(pid);
    await eventually(async () => expect(messages).toContain('The embedded PostgreSQL is back'));
    await expect(start(join(home, 'kept'))).rejects.toThrow('Another Pennypost');
  });

  it('recovers from an interrupted initdb', async () => {
    const dataDir = join(home, 'cut short, "100%" ü');
    const first = await start(dataDir);
    await first.stop();
    rmSync(join(first.location, 'data'), { recursive: true });
    const remains = join(first.location, `data.new-${process.pid}`);
    mkdirSync(remains);
    writeFileSync(join(remains, 'PG_VERSION'), '18\n');
    const server = await start(dataDir);
    expect(await query(server, 'select 1 as n')).toEqual([{ n: 1 }]);
    expect(existsSync(remains)).toBe(false);
  });

  it('reports the error of PostgreSQL when it does not start', async () => {
    await expect(start(join(home, 'kept'), { work_mem: 'plenty' })).rejects.toThrow('work_mem');
  });

  it('moves the socket if its path would be too long', async () => {
    const server = await start(join(home, 'd'.repeat(100)));
    expect(server.connection.host.startsWith(server.location)).toBe(false);
    expect(statSync(server.connection.host).mode & 0o777).toBe(0o700);
    expect(await query(server, 'select 1 as n')).toEqual([{ n: 1 }]);
    rmSync(server.connection.host, { recursive: true });
  });

  it('stores the database elsewhere if the server user cannot access the data folder', async () => {
    const closed = join(home, 'closed');
    mkdirSync(closed, { mode: 0o700 });
    const dataDir = join(closed, 'data');
    const server = await start(dataDir);
    if (isRoot) {
      onTestFinished(() => rmSync(server.location, { recursive: true }));
      expect(server.location).toMatch(/^\/var\/lib\/pennypost\/[0-9a-f]{12}$/);
      expect(readFileSync(join(dataDir, 'postgres.location'), 'utf8')).toBe(`${server.location}\n`);
    } else {
      expect(server.location).toBe(join(dataDir, 'postgres'));
    }
    await query(server, 'create table letters as select 7 as n');
    await server.stop();
    expect(await query(await start(dataDir), 'select n from letters')).toEqual([{ n: 7 }]);
  });
});

/** As on Windows, where Node has no unix sockets and there are no signals. */
describe('startEmbeddedPostgres on a port', () => {
  it('needs its password, keeps data across restarts and new settings, and comes back', {
    timeout: 60_000,
  }, async () => {
    const dataDir = join(home, 'port');
    const first = await start(dataDir, {}, 'tcp');
    await query(first, 'create table letters as select 7 as n');
    const { password, ...open } = first.connection;
    expect(open.host).toBe('127.0.0.1');
    expect(statSync(join(first.location, 'password')).mode & 0o777).toBe(0o600);
    for (const wrong of ['', 'guessed']) {
      const client = new pg.Client({ ...open, password: wrong });
      await expect(client.connect(), wrong).rejects.toThrow(/password/);
    }
    expect(findRunningEmbeddedPostgres(dataDir)).toBe(first.url);
    await expect(start(dataDir, {}, 'tcp')).rejects.toThrow('Another Pennypost already runs');

    process.kill(pidOf(first), 'SIGKILL');
    await eventually(async () => expect(await query(first, 'select n from letters')).toEqual([{ n: 7 }]));
    await first.stop();
    expect(existsSync(join(first.location, 'data', 'postmaster.pid'))).toBe(false);

    const second = await start(dataDir, { work_mem: '9MB' }, 'tcp');
    expect(second.connection.password).toBe(password);
    expect(await query(second, 'select n, current_setting($$work_mem$$) as mem from letters')).toEqual([
      { n: 7, mem: '9MB' },
    ]);
  });

  it('takes over a server whose process was killed, and restarts it only for other settings', async () => {
    const dataDir = join(home, 'orphan-on-a-port');
    const other = await startInOwnProcess(dataDir, 'tcp');
    await kill(other);
    const orphan = findRunningEmbeddedPostgres(dataDir);
    const taken = await start(dataDir, {}, 'tcp');
    expect(taken.url).toBe(orphan);
    await taken.stop();
    expect(findRunningEmbeddedPostgres(dataDir)).toBeUndefined();
    expect(messages.join()).not.toContain('different settings');
  });
});
