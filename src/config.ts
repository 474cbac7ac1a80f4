import { isIPv4 } from 'node:net';
import { resolve } from 'node:path';
import type { ProviderDescriptor } from './delivery/providers/descriptor.ts';
import { providerProblems, providerSettings } from './delivery/providers/provider-settings.ts';
import { providers } from './delivery/providers/providers.ts';
import { OperatorError } from './platform/operator-error.ts';
import { type GeneratedSecret, generatedSecret } from './platform/secrets/generated-secrets.ts';
import { shortSecrets } from './platform/secrets/secret-length.ts';
import * as setting from './platform/setting.ts';

/** Every setting of the product. docs/configuration.md and .env.example are generated from this table. */
export const settings = {
  PORT: setting.integer('Port of the HTTP API; 0 picks a free port.', { fallback: 6011, min: 0, max: 65535 }),
  HOST: setting.text('Address the HTTP API listens on; 0.0.0.0 exposes it to the network.', { fallback: '127.0.0.1' }),
  ADMIN_PORT: setting.integer(
    'Separate port for the administrative API, /metrics and /docs, for an internal network. 0: PORT serves everything.',
    { fallback: 0, min: 0, max: 65535 },
  ),
  ADMIN_HOST: setting.optionalText('Address that ADMIN_PORT listens on.', { fallbackText: 'the value of HOST' }),
  METRICS_TOKEN: setting.optionalText('Bearer token required by /metrics. Unset: no authentication.', {
    secret: true,
  }),
  DATA_DIR: setting.text('Folder for all data on disk: the embedded database, files and generated secrets.', {
    fallback: './data',
  }),
  DATABASE_URL: setting.optionalUrl(
    'PostgreSQL >= 15 to use. Unset: an embedded PostgreSQL in the data folder.',
    ['postgres://', 'postgresql://'],
    { secret: true },
  ),
  DATABASE_SESSION_URL: setting.optionalUrl(
    'Direct connection to the same database. Required when DATABASE_URL goes through PgBouncer in transaction mode.',
    ['postgres://', 'postgresql://'],
    { secret: true },
  ),
  DATABASE_PREPARED_STATEMENTS: setting.flag<boolean | undefined>(
    'Use prepared statements for the most frequent queries. Set to true for PgBouncer 1.21 or newer with max_prepared_statements.',
    { fallback: undefined, fallbackText: 'true; false when DATABASE_SESSION_URL is set' },
  ),
  DATABASE_POOL_SIZE: setting.integer(
    'Maximum database connections per process for accepting and delivering messages and processing receipts.',
    { fallback: 20, min: 2, max: 500 },
  ),
  DATABASE_READ_POOL_SIZE: setting.integer(
    'Maximum database connections per process for all other requests: lists, reports, settings.',
    { fallback: 8, min: 1, max: 500 },
  ),
  DATABASE_READ_TIMEOUT_S: setting.integer(
    'Statement timeout for those other requests, in seconds; a request that exceeds it gets a 503.',
    {
      fallback: 10,
      min: 1,
      max: 60,
    },
  ),
  DATABASE_WAIT_S: setting.integer('Seconds to wait at startup for the database to become reachable.', {
    fallback: 30,
    min: 0,
    max: 3600,
  }),
  DRAIN_DELAY_S: setting.integer(
    'Seconds that a stopping process keeps serving requests while /readyz fails, so that the load balancer stops routing to it.',
    { fallback: 0, min: 0, max: 20 },
  ),
  REQUEST_TIMEOUT_S: setting.integer(
    'Seconds that a client has to send a complete request; its headers must arrive within 10 seconds.',
    { fallback: 60, min: 10, max: 600 },
  ),
  BODY_MEMORY_MB: setting.integer(
    'Maximum megabytes of request bodies that one process holds in memory, an eighth of it for unauthenticated callers. Requests beyond that get a 503. Parsing takes up to four times as much.',
    { fallback: 64, min: 32, max: 65_536 },
  ),
  READ_RATE_LIMIT: setting.integer(
    'Maximum reads of the public API (GET, previews) per minute, per service and key type.',
    { fallback: 0, fallbackText: 'the service’s send limit, at least 3000', min: 0, max: 1_000_000 },
  ),
  WORKER_CONCURRENCY: setting.integer(
    'Background tasks that one process runs concurrently. 0: the number of PDF threads plus three.',
    { fallback: 0, min: 0, max: 200 },
  ),
  TRUSTED_PROXIES: setting.networks(
    'Comma-separated addresses or networks of the proxies in front of this API. Their X-Forwarded-For is trusted when an API key is restricted to networks.',
    { fallback: [], fallbackText: '(unset)' },
  ),
  ADMIN_CLIENT_ID: setting.text('Issuer (`iss`) of the administrative front end’s tokens.', {
    fallback: 'notify-admin',
  }),
  ADMIN_CLIENT_SECRETS: setting.list(
    'Comma-separated secrets that sign administrative tokens, at least 32 characters each. List two to rotate them without downtime.',
    { fallback: [], fallbackText: 'generated on first start', secret: true },
  ),
  FUNCTIONAL_TESTS_SECRETS: setting.list(
    'Secrets of the client `notify-functional-tests`, which can create users for browser tests; at least 32 characters each. Unset: the client is disabled. Not for production.',
    { fallback: [], fallbackText: '(unset)', secret: true },
  ),
  SECRET_KEY: setting.optionalText(
    'Key for data encrypted at rest and for link tokens; at least 32 characters. If it is lost, the encrypted data cannot be recovered.',
    { fallbackText: 'generated on first start', secret: true },
  ),
  SECRET_KEYS: setting.list(
    'Comma-separated keys, instead of SECRET_KEY: the first one encrypts, the others only decrypt. `pennypost rekey` re-encrypts everything with the first.',
    { fallback: [], fallbackText: '(unset)', secret: true },
  ),
  BASE_URL: setting.url('Public URL of this API; used in links.', {
    fallback: 'http://localhost:6011',
  }),
  ADMIN_BASE_URL: setting.url('URL of the administrative front end; used in links in account messages.', {
    fallback: 'http://localhost:6012',
  }),
  EMAIL_DOMAIN: setting.text('Domain of the sender addresses of emails.', { fallback: 'notifications.example' }),
  FROM_NUMBER: setting.text('Default text message sender of a new service; at most 11 characters.', {
    fallback: 'PENNYPOST',
  }),
  PROTECTED_SENDER_IDS: setting.list(
    'Comma-separated sender names of other organisations that services must not send text messages as.',
    { fallback: [], fallbackText: '(unset)' },
  ),
  LOG_LEVEL: setting.oneOf(
    'Minimum severity of the log lines that are written.',
    ['debug', 'info', 'warn', 'error', 'silent'],
    {
      fallback: 'info',
    },
  ),
  PRINT_PROVIDER: setting.text(
    'Short lower-case name of the letter printer, as used in the path of its billing report.',
    {
      fallback: 'dvla',
    },
  ),
  PLATFORM_NAME: setting.text('Name at the top of emails without branding, and sender of text messages without one.', {
    fallback: 'Pennypost',
  }),
  LOGO_BASE_URL: setting.optionalText('Base URL of the logo files of email branding; a logo may also be a full URL.'),
  ...providerSettings(providers),
  PROVIDER_RATES: setting.numbersByName(
    'Maximum messages per second that one process sends to each provider, for example `mmg:50,ses:14`.',
    { fallback: {}, fallbackText: 'no limit' },
  ),
  DELIVERY_CONCURRENCY: setting.integer('Maximum concurrent calls to providers, per channel and process.', {
    fallback: 200,
    min: 1,
    max: 5000,
  }),
  DELIVERY_MAX_RETRIES: setting.integer('Maximum retries of handing a message to a provider.', {
    fallback: 48,
    min: 0,
    max: 1000,
  }),
  DELIVERY_RETRY_DELAY_S: setting.integer(
    'Seconds between those retries; the first retry of a text message is immediate.',
    { fallback: 300, min: 0, max: 86_400 },
  ),
  DELIVERY_EXPIRY_H: setting.integer('Hours after which a message that no provider has accepted fails.', {
    fallback: 72,
    min: 1,
    max: 72,
  }),
  PRINT_HAND_OFF: setting.oneOf(
    '`folder`: letters are written to PRINT_FOLDER for the printer; `sandbox`: the same, and they are marked as posted immediately.',
    ['sandbox', 'folder'],
    { fallback: 'sandbox' },
  ),
  PRINT_FOLDER: setting.optionalText('Folder that the printer collects letters from, one folder per print run.', {
    fallbackText: '`outbox/print` in the data folder',
  }),
  PDF_THREADS: setting.integer(
    'Threads that render and read PDF files; one more is added for previews that would have to wait. 0: one fewer than the number of cores.',
    {
      fallback: 0,
      min: 0,
      max: 64,
    },
  ),
  CALLBACK_ALLOW_PRIVATE: setting.flag(
    'Allow service callbacks to loopback and private addresses, and plain http to those.',
    { fallback: false },
  ),
  CALLBACK_RETRY_DELAYS_S: setting.integers(
    'Delays in seconds before each retry of a service callback; the default adds up to a day.',
    {
      fallback: [5, 30, 120, 300, 900, 1800, 3600, 7200, 10_800, 14_400, 21_600, 25_200],
    },
  ),
  S3_BUCKET: setting.optionalText(
    'Bucket in an S3-compatible object store for letters, uploads and logos. Unset: they are stored in the data folder.',
  ),
  S3_ENDPOINT: setting.optionalUrl(
    'URL of the object store, for example `http://minio:9000`.',
    ['http://', 'https://'],
    {
      fallbackText: 'the AWS endpoint of S3_REGION',
    },
  ),
  S3_REGION: setting.text('Region of the object store.', { fallback: 'eu-west-2' }),
  S3_PREFIX: setting.optionalText('Prefix of every object key in the bucket, for example `pennypost/`.'),
  S3_ACCESS_KEY_ID: setting.optionalText(
    'Access key with permission to read, write and delete objects in the bucket. Unset: as for SES_ACCESS_KEY_ID.',
  ),
  S3_SECRET_ACCESS_KEY: setting.optionalText('Secret of S3_ACCESS_KEY_ID.', { secret: true }),
  CLAMAV_ADDRESS: setting.optionalText(
    'ClamAV for scanning uploaded letters and files: the path of its socket, or `host:port`. Unset: they are not scanned.',
  ),
  RECORDS_KEPT_DAYS: setting.integer(
    'Retention in days of events, complaints, the reasons in requests to join a service and the references of returned letters.',
    { fallback: 365, min: 30, max: 3650 },
  ),
  DEMO: setting.flag(
    'Create a demo service with an API key and templates, and show messages sent through the sandbox at /outbox, without authentication. Off: the demo key is revoked.',
    {
      fallback: undefined,
      fallbackText:
        'true when HOST is a loopback address, every channel uses the sandbox and the database is embedded; otherwise false',
    },
  ),
};

/** The same table, with the settings of other providers. */
export function settingsWith(list: readonly ProviderDescriptor[]): typeof settings {
  return { ...settings, ...providerSettings(list) };
}

export type Config = Omit<setting.Values<typeof settings>, 'DEMO'> & { DEMO: boolean };

export class ConfigurationError extends OperatorError {
  readonly problems: string[];

  constructor(problems: string[]) {
    super(
      `The configuration has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:\n  - ${problems.join('\n  - ')}`,
    );
    this.problems = problems;
  }
}

interface ReadOptions {
  shortKeysMayRead?: boolean;
  providers?: readonly ProviderDescriptor[];
}

/** Reads the environment. On first start in a data folder, generates the secrets that are not configured. */
export function readConfig(
  environment: Record<string, string | undefined> = process.env,
  onGenerated: (secret: GeneratedSecret) => void = () => {},
  { shortKeysMayRead = false, providers: list = providers }: ReadOptions = {},
): Config {
  const { values, problems } = setting.readSettings(settingsWith(list), environment);
  problems.push(...missingForOthers(values, list), ...shortSecrets(values, shortKeysMayRead));
  if (problems.length > 0) throw new ConfigurationError(problems);
  const DATA_DIR = resolve(values.DATA_DIR);
  const port = environment.PORT && values.PORT !== 0 && !environment.BASE_URL;
  return {
    ...values,
    DATA_DIR,
    BASE_URL: port ? `http://localhost:${values.PORT}` : values.BASE_URL,
    DEMO: values.DEMO ?? (values.DATABASE_URL === undefined && isLoopback(values.HOST) && isAllSandbox(values)),
    SECRET_KEYS: secretKeysOf(values) ?? [generatedSecret(DATA_DIR, 'secret-key', onGenerated)],
    ADMIN_CLIENT_SECRETS:
      values.ADMIN_CLIENT_SECRETS.length > 0
        ? values.ADMIN_CLIENT_SECRETS
        : [generatedSecret(DATA_DIR, 'admin-client-secret', onGenerated)],
  };
}

/** Whether text messages, email and letters all go to the sandbox, so that no message leaves the machine. */
export function isAllSandbox(config: Pick<Config, 'SMS_PROVIDERS' | 'EMAIL_PROVIDERS' | 'PRINT_HAND_OFF'>): boolean {
  const carriers = [...config.SMS_PROVIDERS, ...config.EMAIL_PROVIDERS, config.PRINT_HAND_OFF];
  return carriers.every((name) => name === 'sandbox');
}

/** Whether a server listening on this host is reachable only from the same machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

/**
 * Reads only SANDBOX_*, CALLBACK_* and *_INBOUND_AUTH from the environment: a test suite's own PORT, DATABASE_URL or
 * LOG_LEVEL mean something else.
 */
export function readSandboxConfig(place: { folder: string; port: number }): Config {
  const wishes = Object.entries(process.env).filter(([name]) => /^(SANDBOX|CALLBACK)_|_INBOUND_AUTH$/.test(name));
  return readConfig({
    SANDBOX_DELAY_MS: '0',
    CALLBACK_ALLOW_PRIVATE: 'true',
    ...Object.fromEntries(wishes),
    LOG_LEVEL: 'error',
    DEMO: 'true',
    DATA_DIR: place.folder,
    PORT: String(place.port),
    BASE_URL: `http://127.0.0.1:${place.port}`,
  });
}

type Values = setting.Values<typeof settings>;

function missingForOthers(values: Values, list: readonly ProviderDescriptor[]): string[] {
  const forSessions = values.DATABASE_SESSION_URL === undefined ? [] : (['DATABASE_URL'] as const);
  const isSamePort = values.ADMIN_PORT === values.PORT && values.ADMIN_PORT !== 0;
  return [
    ...(isSamePort && (values.ADMIN_HOST ?? values.HOST) === values.HOST ? ['ADMIN_PORT must differ from PORT'] : []),
    ...providerProblems(list, values),
    ...setting.problemsOfGroup(values, ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY']),
    ...missing(forSessions).map((need) => `${need} must be set when DATABASE_SESSION_URL is set`),
  ];

  function missing(needed: readonly (keyof Values)[]) {
    return needed.filter((setting) => values[setting] === undefined);
  }
}

function secretKeysOf({ SECRET_KEY, SECRET_KEYS = [] }: Partial<Values>): string[] | undefined {
  if (SECRET_KEYS.length > 0) return SECRET_KEYS;
  return SECRET_KEY === undefined ? undefined : [SECRET_KEY];
}
