import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InjectOptions } from 'fastify';
import pg from 'pg';
import { afterAll, beforeAll, inject } from 'vitest';
import { type App, buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/commands/read-config.ts';
import { createCountry } from '../../src/countries/country.ts';
import type { CountryProfile } from '../../src/countries/profile.ts';
import { buildDelivery, type Delivery } from '../../src/delivery/delivery.ts';
import type { ProviderDescriptor } from '../../src/delivery/providers/descriptor.ts';
import { formats } from '../../src/operations/text-formats.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { buildServer } from '../../src/platform/http/server.ts';
import type { Http } from '../../src/platform/http/surface.ts';
import { createLog, type Log } from '../../src/platform/log.ts';
import { runDueTasks } from '../../src/platform/queue/worker.ts';
import { api, surfaces } from '../../src/routes.ts';
import { seeds } from '../../src/seeds.ts';
import type { Resolver } from '../../src/sending-domains/checks/resolver.ts';
import { runnableTasks, tasks } from '../../src/tasks.ts';
import { jwt } from './builders/jwt.ts';
import { type ConfigChanges, changedConfig } from './fakes/changed-config.ts';
import { FakeClock } from './fakes/fake-clock.ts';
import { FakeFiles } from './fakes/fake-files.ts';
import { connectClock } from './fakes/test-clock.ts';
import { cloneDatabase, type TestDatabase } from './process/database.ts';

export const adminSecret = 'admin-secret-of-the-test-kit-which-is-long-enough';

export interface Answer {
  status: number;
  // Tests read bodies without types; a failed expectation says more than a type error.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  body: any;
  headers: Record<string, string | string[] | number | undefined>;
  text: string;
}

/** An application on its own database, called through HTTP. */
export interface Harness {
  app: App;
  http: Http;
  clock: FakeClock;
  files: FakeFiles;
  /** The default database of the server, for tests that drop or block their own. */
  serverUrl: string;
  /** Log lines, so that a test can check what was logged. */
  logged: string[];
  request(options: InjectOptions): Promise<Answer>;
  /** A request of the administrative front end. */
  admin(method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, body?: unknown): Promise<Answer>;
  /** A request of a sending application, with its whole API key. */
  v2(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    url: string,
    key: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>;
  /** A second process on the same database, with the same clock and files. */
  anotherProcess(changes?: ConfigChanges): Promise<Pick<Harness, 'app' | 'http' | 'request' | 'admin' | 'v2'>>;
  /** Enqueues a scheduled task by its name. */
  addTask(name: string, options?: { runAt?: Date }): Promise<void>;
  /** Runs every background task that is due. */
  runTasks(): Promise<void>;
  /** Delivers every due message, processes pending receipts of the sandbox, and sends callbacks. */
  deliver(): Promise<void>;
}

interface HarnessOptions {
  config?: ConfigChanges;
  /** Settings as text, for those that `Config` does not know. */
  environment?: Record<string, string>;
  /** All providers, instead of the built-in ones. */
  providers?: readonly ProviderDescriptor[];
  country?: CountryProfile;
  /** Instead of name servers. */
  resolver?: Resolver;
  now?: string;
  /** Instead of a clone on the server of the test run. */
  database?: () => Promise<TestDatabase>;
  /** Other processes use the database, too: it keeps the real time, while the clock of the harness stands still. */
  sharesDatabase?: boolean;
}

/** The clock stands still, so that all forms of a test file are sent within a minute. */
const unlikeProduction: ConfigChanges = {
  demo: { enabled: false },
  callbacks: { allowLoopback: false },
  console: { formRateLimit: 1_000_000 },
};

/** Call it at the top of a test file: starts everything before its tests, and stops everything after them. */
export function useHarness(options: HarnessOptions = {}): Harness {
  const clock = new FakeClock(options.now);
  const files = new FakeFiles();
  const logged: string[] = [];
  const harness = { clock, files, logged } as Harness;
  let drop: () => Promise<void>;
  let removeClockFile: () => void;
  let delivery: Delivery | undefined;
  const others: { app: App; http: Http }[] = [];
  const running = new Set<Promise<void>>();
  const DATA_DIR = join(tmpdir(), `pennypost-test-${randomUUID()}`);

  beforeAll(async () => {
    const database = await (options.database ?? cloneDatabase)();
    drop = database.drop;
    const environment = {
      ADMIN_CLIENT_SECRETS: adminSecret,
      SECRET_KEY: 'secret-key-of-the-test-kit-which-is-long-enough',
      DATA_DIR,
      ...options.environment,
    };
    const { providers } = options;
    const ofEnvironment = readConfig(environment, undefined, { providers });
    const config = changedConfig(ofEnvironment, unlikeProduction, options.config ?? {});
    const log = createLog('debug', { write: (line) => void logged.push(line) });
    if (options.country) await seedCountry(database.url, log, options.country);
    const languages = config.country.offered;
    if (languages.offered.length > 1) {
      const country = createCountry(options.country ?? config.country.profile);
      await migrate(database.url, log, { seeds, country, languages });
    }
    const start = async (changes: ConfigChanges = {}) => {
      const app = buildApp(changedConfig(config, changes), {
        databaseUrl: database.url,
        clock,
        country: options.country,
        files,
        log,
        providers,
        resolver: options.resolver ?? noNameServers,
      });
      await app.open();
      const { requestTimeout_ms } = app.config.http;
      const http = await buildServer({ app, surfaces, formats, api: { ...api, version: 'test' }, requestTimeout_ms });
      await http.ready();
      return { app, http };
    };
    Object.assign(harness, await start(), { serverUrl: inject('databaseUrl') });
    if (!options.sharesDatabase) removeClockFile = await connectClock(clock, harness.app.pool);
    harness.anotherProcess = async (changes) => {
      const process = await start(changes);
      others.push(process);
      return { ...process, ...callers(() => process.http, clock) };
    };
  });

  afterAll(async () => {
    // A test that timed out may have left running tasks, which still need the database.
    await Promise.allSettled(running);
    await delivery?.stop();
    for (const { http, app } of others) {
      await http.close();
      await app.close();
    }
    await harness.http?.close();
    await harness.app?.close();
    await drop?.();
    removeClockFile?.();
    rmSync(DATA_DIR, { recursive: true, force: true });
  });

  Object.assign(
    harness,
    callers(() => harness.http, clock),
  );
  harness.deliver = () => {
    delivery ??= buildDelivery(harness.app);
    return delivery.runOnce();
  };
  harness.addTask = (name, options) => {
    const task = tasks.find((row) => row.name === name);
    if (!task) throw new Error(`No task is named ${name}`);
    return harness.app.queue.add(harness.app.db, task, {}, options);
  };
  harness.runTasks = () => {
    const run = runDueTasks({ pool: harness.app.pool, log: harness.app.log, tasks: runnableTasks(harness.app) });
    running.add(run);
    return run.finally(() => running.delete(run));
  };
  return harness;
}

/** Tests ask no name server. */
const noNameServers: Resolver = { query: async () => ({ outcome: 'failure' }) };

/** A clone has the prices of the default country. */
async function seedCountry(url: string, log: Log, country: CountryProfile): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('delete from sms_rates; delete from letter_rates; delete from default_allowances');
  await client.end();
  await migrate(url, log, { seeds, country: createCountry(country) });
}

function callers(http: () => Http, clock: FakeClock): Pick<Harness, 'request' | 'admin' | 'v2'> {
  const request: Harness['request'] = async (options) => {
    const response = await http().inject(options);
    const json = String(response.headers['content-type'] ?? '').includes('/json') && response.body !== '';
    return {
      status: response.statusCode,
      body: json ? response.json() : response.body,
      headers: response.headers,
      text: response.body,
    };
  };
  return {
    request,
    admin: (method, url, body) =>
      request({ method, url, headers: { authorization: `Bearer ${adminToken(clock)}` }, ...payload(body) }),
    v2: (method, url, key, body, headers = {}) =>
      request({ method, url, headers: { authorization: `Bearer ${key}`, ...headers }, ...payload(body) }),
  };
}

function payload(body: unknown): Pick<InjectOptions, 'payload'> {
  return body === undefined ? {} : { payload: JSON.stringify(body) };
}

export function adminToken(
  clock: FakeClock,
  change: { claims?: object; header?: object; secret?: string } = {},
): string {
  const iat = Math.floor(clock.now().getTime() / 1000);
  return jwt({ iss: 'notify-admin', iat, ...change.claims }, change.secret ?? adminSecret, change.header);
}
