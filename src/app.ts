import { KeyUses } from './auth/key-uses.ts';
import { type ServiceKeys, serviceKeys } from './auth/service-keys.ts';
import { allowances } from './billing/allowance.ts';
import type { Config } from './config.ts';
import { createCountry } from './countries/country.ts';
import type { CountryProfile } from './countries/profile.ts';
import { createPlanMessageCallback } from './delivery/callbacks/service-callbacks.ts';
import type { ProviderDescriptor } from './delivery/providers/descriptor.ts';
import { domainProviders } from './delivery/providers/domain-providers.ts';
import { providers } from './delivery/providers/providers.ts';
import { FileSizes } from './documents/prepare-documents.ts';
import { Expansions } from './jobs/expand-job.ts';
import { createSheetThreads, type SheetThreads } from './jobs/uploads/sheet-threads.ts';
import { UploadSlots } from './jobs/uploads/upload-slots.ts';
import { createLetterResults, type LetterResults } from './letters/compose-letter.ts';
import { createPdfThreads, type PdfThreads } from './letters/pdf-threads.ts';
import { followDaysWithoutPrinting, readDaysWithoutPrinting } from './letters/print/days-without-printing.ts';
import { printFolder } from './letters/print/print-folder.ts';
import type { PrintProvider } from './letters/print/print-provider.ts';
import { printSftp } from './letters/print/print-sftp.ts';
import { accountMessageSender } from './notifications/account-messages/account-message-sender.ts';
import { cacheRatesAbroad } from './notifications/rates-abroad.ts';
import { RefusedRequests } from './notifications/refused/refused-requests.ts';
import { createSending, type SendState } from './notifications/sending/send-context.ts';
import { type Build, readBuild, readVersion } from './operations/build.ts';
import type { CreatePlanMessageCallback } from './plans/message-callback.ts';
import { type Clock, systemClock } from './platform/clock.ts';
import { type Connections, prepareConnections } from './platform/db/connections.ts';
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
import type { Resolver } from './sending-domains/checks/resolver.ts';
import { countingResolver } from './sending-domains/domain-metrics.ts';
import type { DomainProviders } from './sending-domains/domain-providers.ts';
import { SenderDomains } from './sending-domains/sender-domains.ts';
import type { Allowances } from './services/services.ts';
import { CompiledTemplates } from './templates/compiled-templates.ts';
import { createEmailThreads, type EmailThreads } from './templates/email-threads.ts';
import type { AccountMessageSender } from './users/account-messages/account-messages.ts';

/** Everything that requests and tasks use. Built manually in this order and passed down as a value. */
export interface App extends Platform {
  config: Config;
  build: Build;
  serviceKeys: ServiceKeys;
  keyUses: KeyUses;
  refusedRequests: RefusedRequests;
  compiledTemplates: CompiledTemplates;
  accountMessages: AccountMessageSender;
  allowances: Allowances;
  createPlanMessageCallback: CreatePlanMessageCallback;
  virusScanner: VirusScanner;
  fileSizes: FileSizes;
  sending: SendState;
  sheetThreads: SheetThreads;
  uploadSlots: UploadSlots;
  expansions: Expansions;
  pdfThreads: PdfThreads;
  emailThreads: EmailThreads;
  senderDomains: SenderDomains;
  domainProviders: DomainProviders;
  resolver: Resolver;
  letterResults: LetterResults;
  printer: PrintProvider;
  providers: readonly ProviderDescriptor[];
  bodyMemory: BodyMemory;
  apart: Connections['apart'];
  /** Whether shutdown has begun: /readyz fails while in-flight requests finish. */
  draining(): boolean;
  drain(): void;
  open(): Promise<void>;
  close(): Promise<void>;
}

/** External dependencies, replaceable in tests. */
interface ExternalDeps {
  databaseUrl: string;
  clock?: Clock;
  country?: CountryProfile | undefined;
  log?: Log;
  files?: Files;
  printer?: PrintProvider;
  providers?: readonly ProviderDescriptor[];
  resolver?: Resolver;
}

/** Opens no connections; `open` does. */
export function buildApp(config: Config, external: ExternalDeps): App {
  const log = external.log ?? createLog(config.log.level);
  const clock = external.clock ?? systemClock;
  const metrics = new Metrics();
  const connections = prepareConnections({ ...config.database, url: external.databaseUrl, log, metrics });
  const { db, pool, sessions, changeListener, apart, standby } = connections;
  metrics.observePools({
    ...{ sending: pool, reading: apart.reading.pool, tasks: apart.tasks.pool },
    ...(standby ? { standby: standby.pool } : {}),
  });
  const platform: Platform = {
    db,
    pool,
    sessions,
    changeListener,
    standby,
    queue: databaseQueue,
    cacheMemory_bytes: config.database.cacheMemory_bytes,
    files: external.files ?? openFiles(config, clock),
    secrets: new SecretBox(config.encryption.keys),
    bulkPace: new BulkPace(),
    clock,
    country: createCountry(external.country ?? config.country.profile),
    languages: config.country.offered,
    log,
    metrics,
    tracing: createTracing(config, { log, metrics }),
  };
  followDaysWithoutPrinting(platform);
  cacheRatesAbroad(platform);
  const keyUses = new KeyUses(platform);
  const refusedRequests = new RefusedRequests({ ...platform, db: apart.reading.db });
  const sending = createSending(platform);
  const sheetThreads = createSheetThreads();
  const pdfThreads = createPdfThreads(config.worker.pdfThreads || undefined);
  const emailThreads = createEmailThreads();
  const known = external.providers ?? providers;

  let draining = false;
  return {
    ...platform,
    config,
    build: readBuild(),
    serviceKeys: serviceKeys(platform),
    keyUses,
    refusedRequests,
    compiledTemplates: new CompiledTemplates(platform),
    accountMessages: accountMessageSender(platform),
    allowances,
    createPlanMessageCallback,
    virusScanner: createVirusScanner({ clamav: config.storage.clamavAddress }),
    fileSizes: new FileSizes(platform),
    sending,
    sheetThreads,
    uploadSlots: new UploadSlots(),
    expansions: new Expansions(),
    pdfThreads,
    emailThreads,
    senderDomains: new SenderDomains({ ...platform, config }),
    domainProviders: domainProviders({ ...platform, config, providers: known }),
    resolver: external.resolver ?? countingResolver(metrics, config.domains),
    letterResults: createLetterResults(platform),
    printer: external.printer ?? (config.letters.handOff === 'sftp' ? printSftp(config.letters) : printFolder(config)),
    providers: known,
    bodyMemory: new BodyMemory(config.http.bodyMemory_bytes),
    apart,
    draining: () => draining,
    drain: () => {
      draining = true;
    },
    async open() {
      await platform.tracing?.open();
      await connections.open();
      await readDaysWithoutPrinting(platform);
    },
    async close() {
      await platform.tracing?.close();
      sending.rateLimits.close();
      await keyUses.write();
      await refusedRequests.write();
      await Promise.all([pdfThreads.close(), emailThreads.close(), sheetThreads.close()]);
      await connections.close();
    },
  };
}

function createTracing({ tracing }: Config, app: { log: Log; metrics: Metrics }): Tracing | undefined {
  const { endpoint, headers, serviceName, sampler, share } = tracing;
  if (endpoint === undefined) return undefined;
  const version = readVersion();
  const resource = { 'service.name': serviceName, 'service.version': version };
  const callersDecide = sampler === 'parentbased_traceidratio';
  return new Tracing({ endpoint, headers, version, resource, share, callersDecide }, app);
}

/** Returns the same application with connections of another pool: for reads and changes of settings, or for scheduled tasks. */
export function withPool(app: App, name: keyof App['apart']): App {
  const { db, pool } = app.apart[name];
  return { ...app, db, pool };
}
