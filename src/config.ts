import type { ProviderDescriptor } from './delivery/providers/descriptor.ts';
import { emailProviders, providerGroups, smsProviders } from './delivery/providers/provider-settings.ts';
import { providers } from './delivery/providers/providers.ts';
import { receiptTokens } from './delivery/providers/receipt-address.ts';
import { printSettings } from './letters/print/print-settings.ts';
import * as setting from './platform/setting.ts';
import { type GroupValues, group } from './platform/setting-groups.ts';
import { singleSignOnSettings } from './users/sign-in/single-sign-on/single-sign-on-settings.ts';

/** Every setting, except those of providers. docs/configuration.md and .env.example are generated from both. */
const groups = {
  http: group('HTTP', {
    port: setting.integer('PORT', 'Port of the HTTP API; 0 picks a free port.', { fallback: 6011, min: 0, max: 65535 }),
    host: setting.text('HOST', 'Address the HTTP API listens on; 0.0.0.0 exposes it to the network.', {
      fallback: '127.0.0.1',
    }),
    adminPort: setting.integer(
      'ADMIN_PORT',
      'Separate port for the administrative API, /metrics and /docs, for an internal network. 0: PORT serves everything.',
      { fallback: 0, min: 0, max: 65535 },
    ),
    adminHost: setting.optionalText('ADMIN_HOST', 'Address that ADMIN_PORT listens on.', {
      fallbackText: 'the value of HOST',
    }),
    trustedProxies: setting.networks(
      'TRUSTED_PROXIES',
      'Comma-separated addresses or networks of the proxies in front of this API. Their X-Forwarded-For is trusted: for API keys that are restricted to networks, for the limits of sign-ins, and in the audit log.',
      { fallback: [], fallbackText: '(unset)' },
    ),
    requestTimeout_ms: setting.seconds(
      'REQUEST_TIMEOUT_S',
      'Seconds that a client has to send a complete request; its headers must arrive within 10 seconds.',
      { fallback: 60, min: 10, max: 600 },
    ),
    bodyMemory_bytes: setting.megabytes(
      'BODY_MEMORY_MB',
      'Maximum megabytes of request bodies that one process holds in memory, an eighth of it for unauthenticated callers. Requests beyond that get a 503. Parsing takes up to four times as much.',
      { fallback: 48, min: 32, max: 65_536 },
    ),
    readRateLimit: setting.integer(
      'READ_RATE_LIMIT',
      'Maximum reads of the public API (GET, previews) per minute, per service and key type.',
      { fallback: 0, fallbackText: 'the service’s send limit, at least 3000', min: 0, max: 1_000_000 },
    ),
    drainDelay_ms: setting.seconds(
      'DRAIN_DELAY_S',
      'Seconds that a stopping process keeps serving requests while /readyz fails, so that the load balancer stops routing to it.',
      { fallback: 0, min: 0, max: 20 },
    ),
  }),
  urls: group('Public URLs', {
    api: setting.url<never>('BASE_URL', 'Public URL of this API; used in links.', {
      fallback: 'http://localhost:6011',
    }),
    admin: setting.url<undefined>(
      'ADMIN_BASE_URL',
      'URL of the administrative front end; used in links in account messages.',
      { fallback: undefined, fallbackText: 'the console: BASE_URL and `/console`' },
    ),
  }),
  frontEnd: group('Front end of GOV.UK Notify', {
    shapes: setting.oneOf(
      'ADMIN_API_SHAPES',
      'Set to `notifications-admin` if ADMIN_BASE_URL is the front end of GOV.UK Notify: three responses of the administrative API then have the form that it reads (docs/guides/moving-from-notify.md).',
      ['standard', 'notifications-admin'],
      { fallback: 'standard' },
    ),
    linkTokenKey: setting.fernetKey(
      'LINK_TOKEN_KEY',
      'TOKEN_SECRET_KEY of that front end. Set: links to new passwords, confirmed addresses and sign-in carry tokens that it can read.',
    ),
  }),
  console: group('Console', {
    enabled: setting.flag('CONSOLE', 'Serve the web console at /console on PORT.', { fallback: true }),
    formRateLimit: setting.integer(
      'CONSOLE_FORM_RATE_LIMIT',
      'Maximum forms a minute, such as sign-ins, that each process takes from one client address of people who are not signed in. All people behind one address share it.',
      { fallback: 300, min: 10, max: 1_000_000 },
    ),
    serviceCreators: setting.oneOf(
      'SERVICE_CREATORS',
      'Who may add a service in the console: `everyone` with an account, `known-domains` (people whose address is in a domain of an organisation, and platform administrators) or `platform-admins`.',
      ['everyone', 'known-domains', 'platform-admins'],
      { fallback: 'everyone' },
    ),
  }),
  singleSignOn: group('Single sign-on', singleSignOnSettings),
  auth: group('Authentication', {
    adminClientId: setting.text('ADMIN_CLIENT_ID', 'Issuer (`iss`) of the administrative front end’s tokens.', {
      fallback: 'notify-admin',
    }),
    adminClientSecrets: setting.list(
      'ADMIN_CLIENT_SECRETS',
      'Comma-separated secrets that sign administrative tokens, at least 32 characters each. List two to rotate them without downtime.',
      { fallback: [], fallbackText: 'generated on first start', secret: true },
    ),
    functionalTestsSecrets: setting.list(
      'FUNCTIONAL_TESTS_SECRETS',
      'Secrets of the client `notify-functional-tests`, which can create users for browser tests; at least 32 characters each. Unset: the client is disabled. Not for production.',
      { fallback: [], fallbackText: '(unset)', secret: true },
    ),
    metricsToken: setting.optionalText(
      'METRICS_TOKEN',
      'Bearer token required by /metrics. Unset: no authentication.',
      { secret: true },
    ),
  }),
  encryption: group('Encryption', {
    key: setting.optionalText(
      'SECRET_KEY',
      'Key for data encrypted at rest and for link tokens; at least 32 characters. If it is lost, the encrypted data cannot be recovered.',
      { fallbackText: 'generated on first start', secret: true },
    ),
    keys: setting.list(
      'SECRET_KEYS',
      'Comma-separated keys, instead of SECRET_KEY: the first one encrypts, the others only decrypt. `pennypost rekey` re-encrypts everything with the first.',
      { fallback: [], fallbackText: '(unset)', secret: true },
    ),
  }),
  database: group('Database', {
    url: setting.databaseUrl(
      'DATABASE_URL',
      'PostgreSQL >= 15 to use; with several hosts (`host1:5432,host2:5432`), the one that is the primary. Unset: an embedded PostgreSQL in the data folder.',
    ),
    sessionUrl: setting.databaseUrl(
      'DATABASE_SESSION_URL',
      'Direct connection to the same database. Required when DATABASE_URL goes through PgBouncer in transaction mode. May name several hosts, too.',
    ),
    preparedStatements: setting.flag<boolean | undefined>(
      'DATABASE_PREPARED_STATEMENTS',
      'Use prepared statements for the most frequent queries. Set to true for PgBouncer 1.21 or newer with max_prepared_statements.',
      { fallback: undefined, fallbackText: 'true; false when DATABASE_SESSION_URL is set' },
    ),
    poolSize: setting.integer(
      'DATABASE_POOL_SIZE',
      'Maximum database connections per process for accepting and delivering messages and processing receipts.',
      { fallback: 20, min: 2, max: 500 },
    ),
    readPoolSize: setting.integer(
      'DATABASE_READ_POOL_SIZE',
      'Maximum database connections per process for all other requests: lists, reports, settings.',
      { fallback: 8, min: 1, max: 500 },
    ),
    readTimeout_ms: setting.seconds(
      'DATABASE_READ_TIMEOUT_S',
      'Statement timeout for those other requests, in seconds; a request that exceeds it gets a 503.',
      { fallback: 10, min: 1, max: 60 },
    ),
    cachedServices: setting.integer(
      'CACHED_SERVICES',
      'Services whose settings and API keys each process keeps in memory, about 4 kB each. With more services that send by turns, each message reads them from the database again.',
      { fallback: 50_000, min: 100, max: 1_000_000 },
    ),
    wait_ms: setting.seconds('DATABASE_WAIT_S', 'Seconds to wait at startup for the database to become reachable.', {
      fallback: 30,
      min: 0,
      max: 3600,
    }),
  }),
  storage: group('Storage', {
    dataDir: setting.text(
      'DATA_DIR',
      'Folder for all data on disk: the embedded database, files and generated secrets.',
      { fallback: './data' },
    ),
    clamavAddress: setting.optionalText(
      'CLAMAV_ADDRESS',
      'ClamAV for scanning uploaded letters and files: the path of its socket, or `host:port`. Unset: they are not scanned.',
    ),
    recordRetention_ms: setting.days(
      'RECORDS_KEPT_DAYS',
      'Retention in days of events, complaints, the reasons in requests to join a service and the references of returned letters.',
      { fallback: 365, min: 30, max: 3650 },
    ),
    auditRetention_ms: setting.days('AUDIT_RETENTION_DAYS', 'Retention in days of the entries of the audit log.', {
      fallback: 730,
      min: 30,
      max: 3650,
    }),
  }),
  s3: group('Object store (S3)', {
    bucket: setting.optionalText(
      'S3_BUCKET',
      'Bucket in an S3-compatible object store for letters, uploads and logos. Unset: they are stored in the data folder.',
    ),
    endpoint: setting.optionalUrl(
      'S3_ENDPOINT',
      'URL of the object store, for example `http://minio:9000`.',
      ['http://', 'https://'],
      { fallbackText: 'the AWS endpoint of S3_REGION' },
    ),
    region: setting.text('S3_REGION', 'Region of the object store.', { fallback: 'eu-west-2' }),
    prefix: setting.optionalText('S3_PREFIX', 'Prefix of every object key in the bucket, for example `pennypost/`.'),
    accessKeyId: setting.optionalText(
      'S3_ACCESS_KEY_ID',
      'Access key with permission to read, write and delete objects in the bucket. Unset: as for SES_ACCESS_KEY_ID.',
    ),
    secretAccessKey: setting.optionalText('S3_SECRET_ACCESS_KEY', 'Secret of S3_ACCESS_KEY_ID.', { secret: true }),
  }),
  log: group('Log', {
    level: setting.oneOf(
      'LOG_LEVEL',
      'Minimum severity of the log lines that are written.',
      ['debug', 'info', 'warn', 'error', 'silent'],
      { fallback: 'info' },
    ),
  }),
  tracing: group('Tracing', {
    endpoint: setting.url<undefined>(
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'OpenTelemetry collector that gets traces over OTLP/HTTP, as JSON at `/v1/traces` below this URL. Unset: no tracing.',
      { fallback: undefined, fallbackText: '(unset)' },
    ),
    headers: setting.headers(
      'OTEL_EXPORTER_OTLP_HEADERS',
      'Headers of requests to the collector: comma-separated `name=value` pairs.',
    ),
    serviceName: setting.text('OTEL_SERVICE_NAME', 'Name of this process in traces.', { fallback: 'pennypost' }),
    sampler: setting.oneOf(
      'OTEL_TRACES_SAMPLER',
      '`parentbased_traceidratio`: a caller whose `traceparent` says so has its request recorded or not; others, and with `traceidratio` all requests, by OTEL_TRACES_SAMPLER_ARG.',
      ['parentbased_traceidratio', 'traceidratio'],
      { fallback: 'parentbased_traceidratio' },
    ),
    share: setting.share('OTEL_TRACES_SAMPLER_ARG', 'Share of the requests that are recorded, from 0 to 1.', {
      fallback: 1,
    }),
  }),
  worker: group('Background tasks', {
    concurrency: setting.integer(
      'WORKER_CONCURRENCY',
      'Background tasks that one process runs concurrently. 0: the number of PDF threads plus three.',
      { fallback: 0, min: 0, max: 200 },
    ),
    pdfThreads: setting.integer(
      'PDF_THREADS',
      'Threads that render and read PDF files; one more is added for previews that would have to wait. 0: one fewer than the number of cores.',
      { fallback: 0, min: 0, max: 64 },
    ),
  }),
  sms: group('Text messages', {
    providers: smsProviders(providers),
    defaultSender: setting.text('FROM_NUMBER', 'Default text message sender of a new service; at most 11 characters.', {
      fallback: 'PENNYPOST',
    }),
    protectedSenderIds: setting.list(
      'PROTECTED_SENDER_IDS',
      'Comma-separated sender names of other organisations that services must not send text messages as.',
      { fallback: [], fallbackText: '(unset)' },
    ),
    receiptTokens,
  }),
  email: group('Email', {
    providers: emailProviders(providers),
    domain: setting.text('EMAIL_DOMAIN', 'Domain of the sender addresses of emails.', {
      fallback: 'notifications.example',
    }),
  }),
  branding: group('Branding', {
    platformName: setting.text(
      'PLATFORM_NAME',
      'Name at the top of emails without branding, and sender of text messages without one.',
      { fallback: 'Pennypost' },
    ),
    logoBaseUrl: setting.optionalText(
      'LOGO_BASE_URL',
      'Base URL of the logo files of email branding; a logo may also be a full URL.',
    ),
  }),
  letters: group('Letters', printSettings),
  delivery: group('Delivery', {
    providerRates: setting.numbersByName(
      'PROVIDER_RATES',
      'Maximum messages per second that all workers together send to each provider, for example `mmg:50,ses:14`.',
      { fallback: {}, fallbackText: 'no limit' },
    ),
    concurrency: setting.integer(
      'DELIVERY_CONCURRENCY',
      'Maximum concurrent calls to providers, per channel and process.',
      { fallback: 200, min: 1, max: 5000 },
    ),
    maxRetries: setting.integer('DELIVERY_MAX_RETRIES', 'Maximum retries of handing a message to a provider.', {
      fallback: 48,
      min: 0,
      max: 1000,
    }),
    retryDelay_ms: setting.seconds(
      'DELIVERY_RETRY_DELAY_S',
      'Seconds between those retries; the first retry of a text message is immediate.',
      { fallback: 300, min: 0, max: 86_400 },
    ),
    expiry_ms: setting.hours('DELIVERY_EXPIRY_H', 'Hours after which a message that no provider has accepted fails.', {
      fallback: 72,
      min: 1,
      max: 72,
    }),
  }),
  bulk: group('Files of recipients', {
    maxRows: setting.integer('BULK_MAX_ROWS', 'Maximum rows of a file of recipients that is sent.', {
      fallback: 100_000,
      min: 1,
      max: 1_000_000,
    }),
    maxBytes: setting.integer(
      'BULK_MAX_BYTES',
      'Maximum bytes of a file of recipients (csv, tsv, NDJSON); workbooks may have up to 10 MB. A client may keep the server waiting for REQUEST_TIMEOUT_S; the time that checking takes does not count.',
      { fallback: 104_857_600, min: 1_024, max: 1_073_741_824 },
    ),
    laneFromRows: setting.integer(
      'BULK_LANE_FROM_ROWS',
      'Files with at least this many rows are sent after all other messages, whatever the priority of their template.',
      { fallback: 200, min: 1, max: 1_000_000 },
    ),
  }),
  callbacks: group('Service callbacks', {
    allowPrivate: setting.flag(
      'CALLBACK_ALLOW_PRIVATE',
      'Allow service callbacks to loopback and private addresses, and plain http to those.',
      { fallback: false },
    ),
    retryDelays_ms: setting.secondsList(
      'CALLBACK_RETRY_DELAYS_S',
      'Delays in seconds before each retry of a service callback; the default adds up to a day.',
      { fallback: [5, 30, 120, 300, 900, 1800, 3600, 7200, 10_800, 14_400, 21_600, 25_200] },
    ),
  }),
  demo: group('Demo', {
    enabled: setting.flag(
      'DEMO',
      'Create a demo service with an API key and templates, and list messages sent through the sandbox at /outbox, without authentication. Off: the demo key is revoked.',
      {
        fallback: undefined,
        fallbackText:
          'true when HOST is a loopback address, every channel uses the sandbox and the database is embedded; otherwise false',
      },
    ),
  }),
};

/** The settings of each provider are in its descriptor. */
const groupsOfProviders = providerGroups(providers);

export type Config = Omit<GroupValues<typeof groups>, 'demo' | 'urls'> & {
  urls: { api: string; admin: string };
  demo: { enabled: boolean };
  providers: GroupValues<typeof groupsOfProviders>;
};

/** Every setting. With other providers, the settings of those instead. */
export function settingGroups(list: readonly ProviderDescriptor[] = providers) {
  const { sms, email } = groups;
  return {
    general: {
      ...groups,
      sms: group(sms.title, { ...sms.settings, providers: smsProviders(list) }),
      email: group(email.title, { ...email.settings, providers: emailProviders(list) }),
    },
    ofProviders: providerGroups(list) as typeof groupsOfProviders,
  };
}
