import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { claimPort } from '../../kit/process/claim-port.ts';

export function isPgBouncerInstalled(): boolean {
  return spawnSync('pgbouncer', ['--version']).status === 0;
}

/** A PgBouncer in transaction mode, with few connections, in front of a PostgreSQL on a unix socket. */
export class PgBouncer {
  /** The URL of the database through it. */
  readonly url: string;
  private readonly folder: string;
  private readonly port: number;
  private readonly user: string | undefined;
  private child: ChildProcess | undefined;

  static async start(databaseUrl: string): Promise<PgBouncer> {
    const bouncer = new PgBouncer(databaseUrl, await claimPort());
    await bouncer.launch();
    return bouncer;
  }

  private constructor(databaseUrl: string, port: number) {
    const { username, pathname, searchParams } = new URL(databaseUrl.replace('@/', '@socket/'));
    const socketFolder = searchParams.get('host') ?? '';
    this.port = port;
    this.url = `postgresql://${username}@127.0.0.1:${port}${pathname}?sslmode=disable`;
    this.folder = mkdtempSync(join(tmpdir(), 'pennypost-pgbouncer-'));
    // PgBouncer refuses to run as root, and the socket is open to its owner only.
    this.user = process.getuid?.() === 0 ? nameOf(statSync(socketFolder).uid) : undefined;
    chmodSync(this.folder, 0o755);
    writeFileSync(join(this.folder, 'users'), `"${username}" ""\n`);
    writeFileSync(
      join(this.folder, 'pgbouncer.ini'),
      `[databases]
* = host=${socketFolder} port=${searchParams.get('port')}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(this.folder, 'users')}
pool_mode = transaction
default_pool_size = 8
max_client_conn = 200
ignore_startup_parameters = options, statement_timeout
`,
    );
  }

  /** Immediately, which breaks every connection through it. */
  async restart(): Promise<void> {
    await this.end();
    await this.launch();
  }

  async stop(): Promise<void> {
    await this.end();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async launch(): Promise<void> {
    const words = ['-q', ...(this.user ? ['-u', this.user] : []), join(this.folder, 'pgbouncer.ini')];
    this.child = spawn('pgbouncer', words, { stdio: 'ignore' });
    while (!(await isOpen(this.port))) {
      if (this.child.exitCode !== null) throw new Error('PgBouncer did not start');
      await sleep(20);
    }
  }

  private async end(): Promise<void> {
    if (this.child?.kill('SIGTERM')) await once(this.child, 'exit');
  }
}

function nameOf(uid: number): string {
  return execFileSync('id', ['-un', String(uid)], { encoding: 'utf8' }).trim();
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
    socket.on('close', () => socket.destroy()).unref();
    socket.once('connect', () => socket.end());
  });
}
