import { type ChildProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { findFreePort } from '../../../src/platform/process/free-port.ts';
import { signedHeaders } from '../../../src/platform/storage/aws-signature.ts';
import { ClusterFolder } from '../../ha/kit/cluster-folder.ts';
import { programPath } from '../../ha/kit/programs.ts';

export const region = 'eu-west-2';
export const account = { access_key_id: 'test:tester', secret_access_key: 'secret-of-the-tester' };

const storageServers = ['account', 'container', 'object'] as const;

/** OpenStack Swift with its S3 API: an object store that shares no code with the product, and verifies signatures. */
export class Swift {
  readonly endpoint: string;
  private readonly folder: ClusterFolder;
  private readonly config: string;
  private proxy: ChildProcess | undefined;

  static async start(): Promise<Swift> {
    // When the test run is killed, this process of it would go on.
    process.once('disconnect', () => process.exit(1));
    // Its servers keep metadata in extended attributes, which memory has in newer kernels only.
    const folder = new ClusterFolder(tmpdir());
    folder.file('swift.conf', swiftConfig);
    for (const name of ['devices', 'devices/one']) folder.folder(name);
    for (const name of storageServers) {
      const port = await findFreePort();
      makeRing(folder, name, port);
      const config = folder.file(`${name}.conf`, storageConfig(folder, name, port));
      folder.run(name, `swift-${name}-server`, [config, '--verbose']);
    }
    const swift = new Swift(folder, await findFreePort());
    await swift.startProxy();
    return swift;
  }

  private constructor(folder: ClusterFolder, port: number) {
    this.folder = folder;
    this.endpoint = `http://127.0.0.1:${port}`;
    this.config = folder.file('proxy.conf', proxyConfig(folder, port));
  }

  async startProxy(): Promise<void> {
    this.proxy = this.folder.run('proxy', 'swift-proxy-server', [this.config, '--verbose']);
    for (;;) {
      if (this.proxy.exitCode !== null) throw new Error(`Swift did not start: see ${this.folder.path}`);
      const response = await fetch(`${this.endpoint}/healthcheck`).catch(() => undefined);
      if (response?.ok) return;
      await sleep(100);
    }
  }

  async stopProxy(): Promise<void> {
    this.proxy?.kill('SIGKILL');
    if (this.proxy) await once(this.proxy, 'exit');
  }

  /** Stands still or continues. */
  signalProxy(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.proxy?.kill(signal);
  }

  async createBucket(name: string): Promise<void> {
    await this.putUntilDone(`${this.endpoint}/${name}`);
    await this.putUntilDone(`${this.endpoint}/${name}/first`);
  }

  /** The storage servers may still be starting. */
  private async putUntilDone(url: string): Promise<void> {
    for (let tries = 0; ; tries += 1) {
      const signed = { method: 'PUT', url, headers: {}, body: '' };
      const headers = await signedHeaders({ ...account, region, service: 's3' }, signed, new Date());
      const response = await request(url, { method: 'PUT', headers, body: '' });
      const text = await response.body.text();
      if (response.statusCode === 200) return;
      if (tries === 50) throw new Error(`Swift refused PUT ${url}: ${response.statusCode} ${text}`);
      await sleep(200);
    }
  }

  async close(): Promise<void> {
    this.signalProxy('SIGCONT');
    await this.folder.close();
  }
}

function makeRing(folder: ClusterFolder, name: string, port: number): void {
  const builder = `${folder.path}/${name}.builder`;
  const build = (...words: string[]) => {
    const { status, stdout } = spawnSync('swift-ring-builder', [builder, ...words], { env: { PATH: programPath } });
    if (status !== 0) throw new Error(`swift-ring-builder ${words.join(' ')}: ${stdout}`);
  };
  build('create', '4', '1', '1');
  build('add', `r1z1-127.0.0.1:${port}/one`, '1');
  build('rebalance');
}

const swiftConfig = `[swift-hash]
swift_hash_path_suffix = test
[storage-policy:0]
name = default
default = yes
`;

const storageConfig = ({ path }: ClusterFolder, name: string, port: number) => `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
swift_dir = ${path}
devices = ${path}/devices
mount_check = false
[pipeline:main]
pipeline = ${name}-server
[app:${name}-server]
use = egg:swift#${name}
`;

const proxyConfig = ({ path }: ClusterFolder, port: number) => `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
swift_dir = ${path}
[pipeline:main]
pipeline = healthcheck proxy-logging cache s3api tempauth slo dlo proxy-logging proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:healthcheck]
use = egg:swift#healthcheck
[filter:proxy-logging]
use = egg:swift#proxy_logging
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
[filter:s3api]
use = egg:swift#s3api
location = ${region}
[filter:tempauth]
use = egg:swift#tempauth
user_${account.access_key_id.replace(':', '_')} = ${account.secret_access_key} .admin
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
`;
