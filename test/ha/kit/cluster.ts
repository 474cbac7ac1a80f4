import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../../../src/platform/process/free-port.ts';
import { ClusterFolder } from './cluster-folder.ts';
import { Node, type NodeStatus } from './node.ts';
import { findPostgres } from './programs.ts';

const password = 'of-the-product-in-a-test';

/** Three PostgreSQL nodes under Patroni with synchronous replication, etcd, and HAProxy in front. */
export class Cluster {
  readonly nodes: Node[];
  private readonly folder: ClusterFolder;
  private readonly proxyPort: number;

  static async start(): Promise<Cluster> {
    // When the test run is killed, this process of it would go on.
    process.once('disconnect', () => process.exit(1));
    const folder = new ClusterFolder();
    const [etcdPort, peerPort, proxyPort] = await Promise.all([findFreePort(), findFreePort(), findFreePort()]);
    const [client, peer] = [`http://127.0.0.1:${etcdPort}`, `http://127.0.0.1:${peerPort}`];
    folder.run('etcd', 'etcd', [
      ...['--name', 'etcd', '--data-dir', folder.folder('etcd-data')],
      ...['--listen-client-urls', client, '--advertise-client-urls', client],
      ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster', `etcd=${peer}`],
    ]);
    const programs = findPostgres() ?? '';
    const names = ['one', 'two', 'three'];
    const nodes = await Promise.all(names.map((name) => Node.create(name, folder, etcdPort, programs)));
    const cluster = new Cluster(folder, nodes, proxyPort);
    try {
      for (const node of nodes) node.start();
      await cluster.untilWhole();
      await cluster.createDatabase();
      folder.run('haproxy', 'haproxy', ['-db', '-f', folder.file('haproxy.cfg', cluster.proxyConfig())]);
    } catch (error) {
      await cluster.close();
      throw error;
    }
    return cluster;
  }

  private constructor(folder: ClusterFolder, nodes: Node[], proxyPort: number) {
    this.folder = folder;
    this.nodes = nodes;
    this.proxyPort = proxyPort;
  }

  /** Names every node. */
  get url(): string {
    const hosts = this.nodes.map(({ port }) => `127.0.0.1:${port}`).join(',');
    return `postgres://pennypost:${password}@${hosts}/pennypost?target_session_attrs=read-write`;
  }

  /** Names every node, too: whichever is a standby. */
  get replicaUrl(): string {
    return this.url.replace('read-write', 'standby');
  }

  get proxyUrl(): string {
    return `postgres://pennypost:${password}@127.0.0.1:${this.proxyPort}/pennypost`;
  }

  async primary(): Promise<Node> {
    for (;;) {
      for (const node of this.nodes) {
        if (isPrimary(await node.status())) return node;
      }
      await sleep(200);
    }
  }

  /** Waits until another node is the primary, which the former one may not know. */
  async untilPromoted(former: Node): Promise<void> {
    const others = this.nodes.filter((node) => node !== former);
    for (;;) {
      const all = await Promise.all(others.map((node) => node.status()));
      if (all.some(isPrimary)) return;
      await sleep(200);
    }
  }

  async synchronousStandby(): Promise<Node> {
    for (;;) {
      for (const node of this.nodes) if ((await node.status())?.sync_standby) return node;
      await sleep(200);
    }
  }

  async standbys(): Promise<Node[]> {
    const primary = await this.primary();
    return this.nodes.filter((node) => node !== primary);
  }

  /** Waits until one node is the primary, the others follow it, and one of them is synchronous. */
  async untilWhole(within_ms = 120_000): Promise<void> {
    const deadline = Date.now() + within_ms;
    for (;;) {
      const all = await Promise.all(this.nodes.map((node) => node.status()));
      const roles = all.map((status) => (status?.state === 'running' ? status.role : 'away'));
      const followers = roles.filter((role) => role === 'replica').length;
      const isSafe = all.some((status) => status?.sync_standby);
      if (followers === this.nodes.length - 1 && !roles.includes('away') && isSafe) return;
      if (Date.now() > deadline) throw new Error(`the cluster is not whole: ${JSON.stringify(all)}`);
      await sleep(300);
    }
  }

  close(): Promise<void> {
    return this.folder.close();
  }

  private async createDatabase(): Promise<void> {
    const primary = await this.primary();
    await primary.query(`create role pennypost login password '${password}' in role pg_read_all_stats`, 'postgres');
    await primary.query('create database pennypost owner pennypost', 'postgres');
  }

  /** As in docs/operations/failover.md. */
  private proxyConfig(): string {
    const servers = this.nodes.map(
      ({ name, port, restPort }) => `  server ${name} 127.0.0.1:${port} maxconn 300 check port ${restPort}`,
    );
    return `defaults
  mode tcp
  timeout connect 2s
  timeout client 30m
  timeout server 30m
  timeout check 1s
listen primary
  bind 127.0.0.1:${this.proxyPort}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`;
  }
}

function isPrimary(status: NodeStatus | undefined): boolean {
  return status?.role === 'master' || status?.role === 'primary';
}
