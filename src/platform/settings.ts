import * as setting from './setting.ts';
import type { Values } from './setting-groups.ts';

export const httpSettings = {
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
};

export type HttpSettings = Values<typeof httpSettings>;

export const drainSettings = {
  drainDelay_ms: setting.seconds(
    'DRAIN_DELAY_S',
    'Seconds that a stopping process keeps serving requests while /readyz fails, so that the load balancer stops routing to it.',
    { fallback: 0, min: 0, max: 20 },
  ),
};

export const urlSettings = {
  api: setting.url<never>('BASE_URL', 'Public URL of this API; used in links.', {
    fallback: 'http://localhost:6011',
  }),
  admin: setting.url<undefined>(
    'ADMIN_BASE_URL',
    'URL of the administrative front end; used in links in account messages.',
    { fallback: undefined, fallbackText: 'the console: BASE_URL and `/console`' },
  ),
};

/** Includes the default of ADMIN_BASE_URL, which depends on BASE_URL. */
export type Urls = Record<keyof typeof urlSettings, string>;

export const encryptionSettings = {
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
};

export type EncryptionSettings = Values<typeof encryptionSettings>;

export const databaseSettings = {
  url: setting.databaseUrl(
    'DATABASE_URL',
    'PostgreSQL >= 15 to use; with several hosts (`host1:5432,host2:5432`), the one that is the primary. Unset: an embedded PostgreSQL in the data folder.',
  ),
  sessionUrl: setting.databaseUrl(
    'DATABASE_SESSION_URL',
    'Direct connection to the same database. Required when DATABASE_URL goes through PgBouncer in transaction mode. Can name several hosts, too.',
  ),
  replicaUrl: setting.databaseUrl(
    'DATABASE_REPLICA_URL',
    'Streaming standby of the same database; with several hosts, one that is a standby. Exports, report files, searches, platform reports and `pennypost backup` read from it while it keeps up with the primary.',
    'standby',
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
  cacheMemory_bytes: setting.megabytes(
    'CACHE_MB',
    'Maximum megabytes of memory that each process uses for cached services with their API keys and texts: about 7 kB for a service that sends one text. If more services send by turns than it holds, each of their messages reads from the database again.',
    { fallback: 320, min: 32, max: 65_536 },
  ),
  wait_ms: setting.seconds('DATABASE_WAIT_S', 'Seconds to wait at startup for the database to become reachable.', {
    fallback: 30,
    min: 0,
    max: 3600,
  }),
};

export type DatabaseSettings = Values<typeof databaseSettings>;

export const storageSettings = {
  dataDir: setting.text(
    'DATA_DIR',
    'Folder for all data on disk: the embedded database, files and generated secrets.',
    { fallback: './data' },
  ),
  clamavAddress: setting.optionalText(
    'CLAMAV_ADDRESS',
    'ClamAV for scanning uploaded letters and files: the path of its socket, or `host:port`. Unset: they are not scanned.',
  ),
};

export type StorageSettings = Values<typeof storageSettings>;

export const objectStoreSettings = {
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
};

export type ObjectStoreSettings = Values<typeof objectStoreSettings>;

export const logSettings = {
  level: setting.oneOf(
    'LOG_LEVEL',
    'Minimum severity of the log lines that are written.',
    ['debug', 'info', 'warn', 'error', 'silent'],
    { fallback: 'info' },
  ),
};

export const tracingSettings = {
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
};

export const taskSettings = {
  concurrency: setting.integer(
    'WORKER_CONCURRENCY',
    'Background tasks that one process runs concurrently. 0: the number of PDF threads plus three.',
    { fallback: 0, min: 0, max: 200 },
  ),
};
