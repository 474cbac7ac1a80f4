import { KeyUses } from './auth/key-uses.ts';
import { type ServiceKeys, serviceKeys } from './auth/service-keys.ts';
import { allowancesIn } from './billing/allowance.ts';
import type { Config } from './config.ts';
import type { ProviderDescriptor } from './delivery/providers/descriptor.ts';
import { providers } from './delivery/providers/providers.ts';
import { FileSizes } from './documents/file-sizes.ts';
import { Expansions } from './jobs/expand-job.ts';
import { createSheetThreads, type SheetThreads } from './jobs/uploads/sheet-threads.ts';
import { UploadSlots } from './jobs/uploads/upload-slots.ts';
import { createLetterResults, type LetterResults } from './letters/letter-results.ts';
import { createPdfThreads, type PdfThreads } from './letters/pdf-threads.ts';
import { printFolder } from './letters/print/print-folder.ts';
import type { PrintProvider } from './letters/print/print-provider.ts';
import { printSftp } from './letters/print/print-sftp.ts';
import { accountMessageSender } from './notifications/account-messages/account-message-sender.ts';
import { RefusedRequests } from './notifications/refused/refused-requests.ts';
import { createSending, type SendState } from './notifications/sending/send-state.ts';
import { type Build, readBuild, readVersion } from './operations/build.ts';
import { type Clock, systemClock } from './platform/clock.ts';
import { type Connections, prepareConnections } from './platform/db/connections.ts';
import type { Database, Db } from './platform/db/database.ts';
import { BodyMemory } from './platform/http/body/body-memory.ts';
import { createLog, type Log } from './platform/log.ts';
import { Metrics } from './platform/metrics.ts';
import type { Platform } from './platform/platform.ts';
import { BulkPace } from './platform/process/bulk-pace.ts';
import { databaseQueue } from './platform/queue/queue.ts';
import { SecretBox } from './platform/secrets/secrets.ts';
import type { Files } from './platform/storage/files.ts';
import { openFiles } from './platform/storage/open-files.ts';
import { createVirusScanner, type VirusScanner } from './platform/storage/virus-scan.ts';
import { Tracing } from './platform/tracing/tracing.ts';
import type { Allowances } from './services/allowances.ts';
import { ConfigurationCopies } from './stores/configuration-copies.ts';
import { mainStore, type ServiceStores, serviceStores } from './stores/service-stores.ts';
import { prepareStoreConnections } from './stores/store-connections.ts';
import { Stores, viewOf } from './stores/stores.ts';
import { CompiledTemplates } from './templates/compiled-templates.ts';
import { createEmailThreads, type EmailThreads } from './templates/email-threads.ts';
import type { AccountMessageSender } from './users/account-messages/account-messages.ts';

/** Everything that a request or a task can use. Built by hand in this order and passed down as a value. */
export interface App extends Platform {
  config: Config;
  build: Build;
  serviceKeys: ServiceKeys;
  keyUses: KeyUses;
  refusedRequests: RefusedRequests;
  compiledTemplates: CompiledTemplates;
  accountMessages: AccountMessageSender;
  allowances: Allowances;
  virusScanner: VirusScanner;
  fileSizes: FileSizes;
  sending: SendState;
  sheetThreads: SheetThreads;
  uploadSlots: UploadSlots;
  expansions: Expansions;
  pdfThreads: PdfThreads;
  emailThreads: EmailThreads;
  letterResults: LetterResults;
  printer: PrintProvider;
  providers: readonly ProviderDescriptor[];
  bodyMemory: BodyMemory;
  apart: Connections['apart'];
  /** All databases, each with its application; this is one of them. */
  stores: Stores<App>;
  configurationCopies: ConfigurationCopies;
  /** True once shutdown has begun: /readyz fails while in-flight requests finish. */
  draining(): boolean;
  drain(): void;
  open(): Promise<void>;
  close(): Promise<void>;
}

/** External dependencies, replaceable in tests. */
interface Outside {
  databaseUrl: string;
  clock?: Clock;
  log?: Log;
  files?: Files;
  printer?: PrintProvider;
  providers?: readonly ProviderDescriptor[];
  /** Migrates the database of a message store before it is used. */
  migrateStore?: (url: string, log: Log) => Promise<void>;
}

/** With more stores than that, messages would wait too long for their batch. */
const maxBatchSpacing = 4;

/** Opens no connections; `open` does. */
export function buildApp(config: Config, outside: Outside): App {
  const log = outside.log ?? createLog(config.log.level);
  const clock = outside.clock ?? systemClock;
  const metrics = new Metrics();
  const { database } = config;
  const main = prepareConnections({ ...database, url: outside.databaseUrl, log });
  const stores = config.stores.databases.map(({ number, url }) => ({
    ...{ number, log: log.child({ store: number }) },
    ...prepareStoreConnections({
      ...{ ...database, sessionUrl: undefined, number, url, main: main.apart.tasks.db },
      ...{ log: log.child({ store: number }), migrate: outside.migrateStore },
    }),
  }));
  const shared = {
    queue: databaseQueue,
    cachedRows: database.cachedServices,
    batchSpacing: Math.min(stores.length + 1, maxBatchSpacing),
    databaseOf: (store: number) => app.stores.numbered(store).db,
    async changeConfiguration<T>(change: (main: Db) => Promise<T>): Promise<T> {
      const result = await change(app.apart.reading.db);
      if (!app.stores.isOne) await app.configurationCopies.update();
      return result;
    },
    files: outside.files ?? openFiles(config, clock),
    secrets: new SecretBox(config.encryption.keys),
    bulkPace: new BulkPace(),
    ...{ clock, log },
    tracing: createTracing(config, { log, metrics }),
  };
  const platform = platformOf(shared, stores.length > 0 ? metrics.ofStore(mainStore) : metrics, mainStore, main);
  metrics.observePools({ sending: main.pool, reading: main.apart.reading.pool, tasks: main.apart.tasks.pool });
  const sheetThreads = createSheetThreads();
  const pdfThreads = createPdfThreads(config.worker.pdfThreads || undefined);
  const emailThreads = createEmailThreads();
  const keyUses = new KeyUses(platform);

  let draining = false;
  const ofProcess = {
    config,
    build: readBuild(),
    serviceKeys: serviceKeys(platform),
    keyUses,
    accountMessages: accountMessageSender(platform),
    allowances: allowancesIn(() => app.stores),
    virusScanner: createVirusScanner({ clamav: config.storage.clamavAddress }),
    fileSizes: new FileSizes(platform),
    sheetThreads,
    uploadSlots: new UploadSlots(),
    expansions: new Expansions(),
    pdfThreads,
    emailThreads,
    printer: outside.printer ?? (config.letters.handOff === 'sftp' ? printSftp(config.letters) : printFolder(config)),
    providers: outside.providers ?? providers,
    bodyMemory: new BodyMemory(config.http.bodyMemory_bytes),
    draining: () => draining,
    drain: () => {
      draining = true;
    },
    async open() {
      await platform.tracing?.open();
      await main.open();
      await Promise.all(stores.map((store) => store.open()));
    },
    async close() {
      await platform.tracing?.close();
      await keyUses.write();
      for (const { sending, refusedRequests } of app.stores.all) {
        sending.rateLimits.close();
        await refusedRequests.write();
      }
      await Promise.all([pdfThreads.close(), emailThreads.close(), sheetThreads.close()]);
      for (const connections of [...stores, main]) await connections.close();
    },
  };
  const appOf = (of: Platform, { apart }: Connections) => ({
    ...of,
    ...ofProcess,
    apart,
    refusedRequests: new RefusedRequests({ ...of, db: apart.reading.db }),
    compiledTemplates: new CompiledTemplates(of),
    sending: createSending(of),
    letterResults: createLetterResults(of),
  });
  const apps = [
    appOf(platform, main),
    ...stores.map((store) => {
      const ofStore = { ...shared, log: store.log };
      return appOf(platformOf(ofStore, metrics.ofStore(store.number), store.number, store), store);
    }),
  ];
  const app = withStores(apps as [App, ...App[]], serviceStores(platform));
  return app;
}

/** What every feature needs, of one database. */
function platformOf(
  shared: Omit<Platform, 'store' | 'db' | 'pool' | 'sessions' | 'changeListener' | 'metrics'>,
  metrics: Metrics,
  store: number,
  { db, pool, sessions, changeListener }: Connections,
): Platform {
  return { ...shared, metrics, store, db, pool, sessions, changeListener };
}

/** Makes the applications of all stores known to each of them, and returns that of the main one. */
function withStores(apps: readonly [App, ...App[]], services: ServiceStores): App {
  const stores = new Stores(apps, services);
  for (const app of apps) app.stores = stores;
  const configurationCopies = new ConfigurationCopies(forReading(stores.main).stores);
  for (const app of apps) app.configurationCopies = configurationCopies;
  return stores.main;
}

function createTracing({ tracing }: Config, app: { log: Log; metrics: Metrics }): Tracing | undefined {
  const { endpoint, headers, serviceName, sampler, share } = tracing;
  if (endpoint === undefined) return undefined;
  const version = readVersion();
  const resource = { 'service.name': serviceName, 'service.version': version };
  const callersDecide = sampler === 'parentbased_traceidratio';
  return new Tracing({ endpoint, headers, version, resource, share, callersDecide }, app);
}

/** The same application, using the connection pool for reads and settings changes. */
export function forReading(app: App): App {
  return viewOf(app, (one) => ({ ...one, ...connectionsOf(one.apart.reading) }));
}

/** The same application, using the connection pool of scheduled tasks. */
export function forTasks(app: App): App {
  return viewOf(app, (one) => ({ ...one, ...connectionsOf(one.apart.tasks) }));
}

function connectionsOf({ db, pool }: Database): Pick<Database, 'db' | 'pool'> {
  return { db, pool };
}
