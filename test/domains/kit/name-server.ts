import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../../../src/platform/process/free-port.ts';
import { dnsResolver } from '../../../src/sending-domains/checks/resolver.ts';
import { ClusterFolder } from '../../ha/kit/cluster-folder.ts';
import { programEnvironment } from './programs.ts';

/** NSD with one zone, `example`, whose records a test changes while it runs. */
export class NameServer {
  readonly address: string;
  private readonly folder = new ClusterFolder(tmpdir());
  private readonly port: number;
  private readonly records = new Map<string, string[]>();
  private server: ChildProcess | undefined;
  private serial = 1;

  static async start(): Promise<NameServer> {
    const server = new NameServer(await findFreePort());
    server.writeZone();
    await server.run();
    return server;
  }

  private constructor(port: number) {
    this.port = port;
    this.address = `127.0.0.1:${port}`;
  }

  /** Replaces the records of a name and type; without any, deletes them. Returns when they are served. */
  async publish(type: 'A' | 'CNAME' | 'MX' | 'TXT', name: string, ...values: string[]): Promise<void> {
    const key = `${name}. 1 IN ${type}`;
    if (values.length === 0) this.records.delete(key);
    else this.records.set(key, type === 'TXT' ? values.map(quoted) : values);
    this.writeZone();
    this.server?.kill('SIGHUP');
    await this.untilServed();
  }

  /** From now on nobody answers. */
  async stop(): Promise<void> {
    if (!this.server) return;
    this.server.kill('SIGTERM');
    await once(this.server, 'exit');
    this.server = undefined;
  }

  async run(): Promise<void> {
    const environment = Object.entries(programEnvironment()).map(([name, value]) => `${name}=${value}`);
    const nsd = ['nsd', '-d', '-c', this.folder.file('nsd.conf', this.config())];
    this.server = this.folder.run('nsd', 'env', [...environment, ...nsd]);
    await this.untilServed();
  }

  async close(): Promise<void> {
    await this.folder.close();
  }

  private config(): string {
    const { path } = this.folder;
    return [
      'server:',
      `  ip-address: 127.0.0.1@${this.port}`,
      `  username: ""\n  chroot: ""\n  zonesdir: "${path}"\n  database: ""`,
      `  pidfile: "${path}/nsd.pid"\n  xfrdfile: "${path}/xfrd.state"\n  zonelistfile: "${path}/zone.list"\n  xfrdir: "${path}"`,
      '  server-count: 1\n  zonefiles-check: yes',
      'remote-control:\n  control-enable: no',
      'zone:\n  name: "example"\n  zonefile: "example.zone"',
    ].join('\n');
  }

  /** The serial number tells which version is served. */
  private writeZone(): void {
    this.serial += 1;
    const lines = [...this.records].flatMap(([start, values]) => values.map((value) => `${start} ${value}`));
    const start = [
      `example. 1 IN SOA ns.example. post.example. ${this.serial} 60 60 60 1`,
      'example. 1 IN NS ns.example.',
      'ns.example. 1 IN A 127.0.0.1',
      `serial.example. 1 IN TXT "${this.serial}"`,
    ];
    this.folder.file('example.zone', `${[...start, ...lines].join('\n')}\n`);
  }

  private async untilServed(): Promise<void> {
    const resolver = dnsResolver({ servers: [this.address] });
    for (let tries = 0; tries < 100; tries += 1) {
      if (this.server?.exitCode !== null) throw new Error(`NSD ended: see ${this.folder.path}/nsd.log`);
      const answer = await resolver.query('TXT', 'serial.example');
      if (answer.outcome === 'records' && answer.records[0] === String(this.serial)) return;
      await sleep(100);
    }
    throw new Error(`NSD does not serve the new zone: see ${this.folder.path}/nsd.log`);
  }
}

/** In strings of 255 characters at most. */
function quoted(text: string): string {
  return (text.match(/.{1,255}/g) ?? ['']).map((part) => `"${part.replaceAll(/["\\]/g, '\\$&')}"`).join(' ');
}
