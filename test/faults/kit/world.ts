import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { findRunningEmbeddedPostgres } from '../../../src/libraries/embedded-postgres/embedded-postgres.ts';
import { DatabaseClient } from '../../../src/platform/db/database-client.ts';
import { isDatabaseUnavailable } from '../../../src/platform/db/errors.ts';
import { jwt } from '../../kit/builders/jwt.ts';
import { claimPort } from '../../kit/process/claim-port.ts';
import { cloneDatabase } from '../../kit/process/database.ts';
import { type CallbackSink, startCallbackSink } from '../../kit/vendors/stub-gateways.ts';
import { Provider } from './provider.ts';
import { type Role, Supervised } from './supervised.ts';

const adminSecret = 'admin-secret-of-the-fault-tests-which-is-long-enough';
const platformUser = '6af522d0-2915-4e52-83a3-3690455a5fe6';

interface WorldOptions {
  /** By default one API and one worker. */
  processes?: Role[];
  env?: Record<string, string>;
  /** A dedicated database; null: the product runs its embedded one. By default one on the shared server. */
  databaseUrl?: string | null;
  dataDir?: string;
}

/** A service that sends text messages. */
export interface Sender {
  service_id: string;
  key: string;
  template_id: string;
}

/** The product as real processes, a provider that counts calls, and a receiver of callbacks. */
export class World {
  readonly provider: Provider;
  readonly sink: CallbackSink;
  readonly processes: Supervised[] = [];
  readonly dataDir: string;
  private ownDatabaseUrl: string | undefined;
  private readonly cleanUp: (() => Promise<void> | void)[] = [];

  private constructor(provider: Provider, sink: CallbackSink, dataDir: string) {
    this.provider = provider;
    this.sink = sink;
    this.dataDir = dataDir;
    this.cleanUp.push(
      () => provider.close(),
      () => sink.close(),
    );
  }

  static async start(options: WorldOptions = {}): Promise<World> {
    const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'pennypost-faults-'));
    chmodSync(dataDir, 0o711);
    const world = new World(await Provider.start(), await startCallbackSink(), dataDir);
    if (!options.dataDir) world.cleanUp.push(() => rmSync(dataDir, { recursive: true, force: true }));
    if (options.databaseUrl === undefined) {
      const clone = await cloneDatabase();
      world.cleanUp.push(clone.drop);
      world.ownDatabaseUrl = clone.url;
    } else if (options.databaseUrl !== null) {
      world.ownDatabaseUrl = options.databaseUrl;
    }
    await world.launch(options.processes ?? ['api', 'worker'], options.env ?? {});
    return world;
  }

  private async launch(roles: Role[], env: Record<string, string>): Promise<void> {
    const { provider, dataDir, ownDatabaseUrl } = this;
    const ports = await Promise.all(roles.map(claimPort));
    const shared: Record<string, string> = {
      ...(ownDatabaseUrl === undefined ? {} : { DATABASE_URL: ownDatabaseUrl }),
      DATA_DIR: dataDir,
      SECRET_KEY: 'secret-key-of-the-fault-tests-which-is-long-enough',
      ADMIN_CLIENT_SECRETS: adminSecret,
      BASE_URL: `http://127.0.0.1:${ports[0]}`,
      DEMO: 'false',
      LOG_LEVEL: process.env.FAULT_LOG_LEVEL ?? 'silent',
      SMS_PROVIDERS: 'mmg',
      MMG_URL: `${provider.gateways.url}/mmg`,
      MMG_API_KEY: 'x',
      FIRETEXT_URL: `${provider.gateways.url}/firetext`,
      FIRETEXT_API_KEY: 'x',
      DELIVERY_RETRY_DELAY_S: '2',
      CALLBACK_ALLOW_PRIVATE: 'true',
      CALLBACK_RETRY_DELAYS_S: '1,2,5,10,20,30,60',
      ...env,
    };
    this.processes.push(...roles.map((role, index) => new Supervised(role, ports[index] ?? 0, shared)));
    provider.receiptUrl = () => this.api.url;
    for (const process of this.processes) process.start();
    await this.untilReady();
  }

  /** An API process, chosen at random. */
  get api(): Supervised {
    const all = this.apis;
    return all[Math.floor(Math.random() * all.length)] ?? (this.processes[0] as Supervised);
  }

  get apis(): Supervised[] {
    return this.processes.filter(({ role }) => role !== 'worker');
  }

  get workers(): Supervised[] {
    return this.processes.filter(({ role }) => role !== 'api');
  }

  async untilReady(): Promise<void> {
    await Promise.all(this.processes.map((process) => process.untilReady()));
  }

  /** Retried for a minute while the database is unavailable. */
  async query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    const connectionString = this.ownDatabaseUrl ?? findRunningEmbeddedPostgres(this.dataDir);
    const deadline = Date.now() + 60_000;
    for (;;) {
      const client = new DatabaseClient({ connectionString, connectionTimeoutMillis: 5_000, query_timeout: 20_000 });
      try {
        await client.connect();
        return (await client.query<Row>(text, values)).rows;
      } catch (error) {
        if (!isDatabaseUnavailable(error) || Date.now() > deadline) throw error;
        await sleep(500);
      } finally {
        await client.end();
      }
    }
  }

  /** A request of the administrative front end. */
  async admin(path: string, body: object, api = this.api): Promise<unknown> {
    const response = await this.call(path, JSON.stringify(body), api);
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return response.json();
  }

  /** The response, whatever its status. */
  async call(path: string, body: string, api = this.api): Promise<Response> {
    const token = jwt({ iss: 'notify-admin', iat: Math.floor(Date.now() / 1_000) }, adminSecret);
    return fetch(`${api.url}${path}`, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body });
  }

  private async create<Data>(path: string, body: object): Promise<Data> {
    return ((await this.admin(path, body)) as { data: Data }).data;
  }

  async aTemplate(service_id: string, fields: object): Promise<string> {
    const request = { name: 'Fault', created_by: platformUser, ...fields };
    return (await this.create<{ id: string }>(`/service/${service_id}/template`, request)).id;
  }

  /** With a callback to the path, if one is given. */
  async aSender(
    name: string,
    { callbackPath, limits = {}, process_type = 'normal' }: SenderOptions = {},
  ): Promise<Sender> {
    const { id } = await this.create<{ id: string }>('/service', { name, user_id: platformUser, restricted: false });
    await this.admin(`/service/${id}`, { rate_limit: 1_000_000, ...limits });
    const template_id = await this.aTemplate(id, { template_type: 'sms', content: 'Hello', process_type });
    if (callbackPath) {
      await this.admin(`/service/${id}/callback-api`, {
        url: `${this.sink.url}${callbackPath}`,
        bearer_token: 'a-token-of-some-length',
        updated_by_id: platformUser,
        callback_type: 'delivery_status',
      });
    }
    const secret = await this.create<string>(`/service/${id}/api-key`, {
      name: 'k',
      key_type: 'normal',
      created_by: platformUser,
    });
    return { service_id: id, key: `k-${id}-${secret}`, template_id };
  }

  /** A message that a person sends: accepting it is a transaction of several statements. Returns its id after a 201. */
  async sendOneOff({ service_id, template_id }: Sender, key: string, api: Supervised): Promise<string | undefined> {
    const message = { template_id, to: '07700900123', created_by: platformUser, send_id: key, reference: key };
    const response = await this.call(`/service/${service_id}/send-notification`, JSON.stringify(message), api);
    const { id } = (await response.json()) as { id?: string };
    return response.status === 201 ? id : undefined;
  }

  async close(): Promise<void> {
    await Promise.all(this.processes.map((process) => process.stop()));
    for (const clean of this.cleanUp) await clean();
  }
}

interface SenderOptions {
  callbackPath?: string;
  limits?: { rate_limit?: number; sms_message_limit?: number };
  process_type?: 'bulk' | 'normal' | 'priority';
}
