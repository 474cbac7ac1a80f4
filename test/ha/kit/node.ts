import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { stringify } from 'yaml';
import { findFreePort } from '../../../src/platform/process/free-port.ts';
import type { ClusterFolder } from './cluster-folder.ts';

/** As docs/operations/failover.md recommends, with shorter times. */
export const times = { ttl: 8, loop_wait: 1, retry_timeout: 3 };

const password = 'of-the-cluster-of-a-test';
const superuser = { username: 'postgres', password };

export interface NodeStatus {
  role: string;
  state: string;
  sync_standby?: boolean;
}

/** A machine of the cluster: Patroni, and the PostgreSQL that it runs. */
export class Node {
  readonly name: string;
  readonly port: number;
  readonly restPort: number;
  private readonly folder: ClusterFolder;
  private readonly data: string;
  private readonly config: string;
  /** Its own way to etcd, so that it alone can be cut off. */
  private readonly linkConfig: string;
  private patroni: ChildProcess | undefined;
  private link: ChildProcess | undefined;

  static async create(name: string, folder: ClusterFolder, etcdPort: number, programs: string): Promise<Node> {
    const [port, restPort, linkPort] = await Promise.all([findFreePort(), findFreePort(), findFreePort()]);
    return new Node({ name, folder, port, restPort, linkPort, etcdPort, programs });
  }

  private constructor(of: {
    name: string;
    folder: ClusterFolder;
    port: number;
    restPort: number;
    linkPort: number;
    etcdPort: number;
    programs: string;
  }) {
    const { name, folder, port, restPort, linkPort, etcdPort, programs } = of;
    this.name = name;
    this.folder = folder;
    this.port = port;
    this.restPort = restPort;
    const home = folder.folder(name);
    this.data = join(home, 'data');
    const hba = ['host all all 127.0.0.1/32 scram-sha-256', 'host replication all 127.0.0.1/32 scram-sha-256'];
    const account = (username: string) => ({ username, password });
    this.linkConfig = folder.file(
      `${name}-link.cfg`,
      `defaults
  mode tcp
  timeout connect 2s
  timeout client 30m
  timeout server 30m
listen etcd
  bind 127.0.0.1:${linkPort}
  server etcd 127.0.0.1:${etcdPort}
`,
    );
    this.config = folder.file(
      `${name}.yml`,
      stringify({
        scope: 'pennypost',
        name,
        restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` },
        etcd3: { hosts: `127.0.0.1:${linkPort}`, use_proxies: true },
        bootstrap: {
          dcs: {
            ...times,
            synchronous_mode: true,
            synchronous_mode_strict: true,
            primary_start_timeout: 0,
            postgresql: {
              use_pg_rewind: true,
              parameters: { max_connections: 300, wal_retrieve_retry_interval: '500ms' },
            },
          },
          initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'data-checksums'],
        },
        postgresql: {
          listen: `127.0.0.1:${port}`,
          connect_address: `127.0.0.1:${port}`,
          data_dir: this.data,
          bin_dir: programs,
          pgpass: join(home, 'pgpass'),
          authentication: { superuser, replication: account('replicator'), rewind: account('rewind') },
          pg_hba: ['local all all trust', ...hba],
          parameters: { unix_socket_directories: home, logging_collector: false },
          remove_data_directory_on_rewind_failure: true,
          remove_data_directory_on_diverged_timelines: true,
        },
      }),
    );
  }

  start(): void {
    if (!this.link) this.mendLink();
    this.patroni = this.folder.run(this.name, 'patroni', [this.config]);
  }

  /** Everything at once, as a loss of power does. */
  async kill(): Promise<void> {
    const { patroni } = this;
    this.signal('SIGKILL');
    if (patroni?.exitCode === null && patroni.signalCode === null) await once(patroni, 'exit');
  }

  /** Connections to etcd break and are refused. */
  cutLink(): void {
    this.link?.kill('SIGKILL');
  }

  mendLink(): void {
    this.link = this.folder.run(`${this.name}-link`, 'haproxy', ['-db', '-f', this.linkConfig]);
  }

  /** To Patroni and every process of PostgreSQL. */
  signal(signal: NodeJS.Signals): void {
    for (const pid of [this.patroni?.pid, ...this.serverPids()]) {
      try {
        if (pid) process.kill(pid, signal);
      } catch {
        // It has ended.
      }
    }
  }

  /** To the process that replays the log of the primary. Patroni undoes pg_wal_replay_pause. */
  signalReplay(signal: NodeJS.Signals): void {
    const isReplaying = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('startup');
    for (const pid of this.serverPids().filter(isReplaying)) process.kill(pid, signal);
  }

  /** What its Patroni says, or undefined if it does not answer. */
  async status(): Promise<NodeStatus | undefined> {
    const signal = AbortSignal.timeout(2_000);
    const response = await fetch(`http://127.0.0.1:${this.restPort}/patroni`, { signal }).catch(() => undefined);
    return response?.json().catch(() => undefined);
  }

  /** As superuser. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads rows without types
  async query(text: string, database = 'pennypost'): Promise<any[]> {
    const client = new pg.Client({
      ...{ host: '127.0.0.1', port: this.port, database, connectionTimeoutMillis: 5_000 },
      ...{ user: superuser.username, password: superuser.password },
    });
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }

  async request(method: string, path: string, body: object): Promise<void> {
    const response = await fetch(`http://127.0.0.1:${this.restPort}${path}`, {
      method,
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  }

  private serverPids(): number[] {
    const file = join(this.data, 'postmaster.pid');
    if (!existsSync(file)) return [];
    const postmaster = Number(readFileSync(file, 'utf8').split('\n')[0]);
    const list = `/proc/${postmaster}/task/${postmaster}/children`;
    const children = existsSync(list) ? readFileSync(list, 'utf8').split(' ').filter(Boolean).map(Number) : [];
    return [postmaster, ...children];
  }
}
