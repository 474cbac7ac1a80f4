import { isIPv4 } from 'node:net';
import { resolve } from 'node:path';
import { OperatorError } from './platform/operator-error.ts';
import { type GeneratedSecret, generatedSecret } from './platform/secrets/generated-secrets.ts';
import { shortSecrets } from './platform/secrets/secret-length.ts';
import * as setting from './platform/setting.ts';

/** Every setting of the product. The reference in docs/configuration.md and .env.example are made from this table. */
export const settings = {
  PORT: setting.integer('Port of the HTTP API; 0 takes any free one.', { fallback: 6011, min: 0, max: 65535 }),
  HOST: setting.text('Address the HTTP API listens on; 0.0.0.0 opens it to the network.', { fallback: '127.0.0.1' }),
  ADMIN_PORT: setting.integer(
    'Port that alone serves the administrative API, /metrics and /docs, for the operator’s own network; 0: PORT serves everything.',
    { fallback: 0, min: 0, max: 65535 },
  ),
  ADMIN_HOST: setting.optionalText('Address that ADMIN_PORT listens on.', { fallbackText: 'that of HOST' }),
  METRICS_TOKEN: setting.optionalText('Bearer token that /metrics asks for. Unset: it asks for none.', {
    secret: true,
  }),
  DATA_DIR: setting.text('Folder for everything kept on disk: the embedded database, files, generated secrets.', {
    fallback: './data',
  }),
  DATABASE_URL: setting.optionalUrl(
    'PostgreSQL >= 15 to use. Unset: an embedded PostgreSQL in the data folder.',
    ['postgres://', 'postgresql://'],
    { secret: true },
  ),
  DATABASE_SESSION_URL: setting.optionalUrl(
    'The same database, past PgBouncer: to be set when DATABASE_URL leads through one in transaction mode.',
    ['postgres://', 'postgresql://'],
    { secret: true },
  ),
  DATABASE_PREPARED_STATEMENTS: setting.flag<boolean | undefined>(
    'Whether the hottest statements are planned once per connection, not each time. Set true for PgBouncer 1.21 or newer with max_prepared_statements.',
    { fallback: undefined, fallbackText: 'true, but false where DATABASE_SESSION_URL is set' },
  ),
  DATABASE_POOL_SIZE: setting.integer(
    'Most database connections that one process opens to accept and deliver messages and take receipts.',
    { fallback: 20, min: 2, max: 500 },
  ),
  DATABASE_READ_POOL_SIZE: setting.integer(
    'Most database connections that one process opens for everything else that is asked of it: lists, reports, settings.',
    { fallback: 8, min: 1, max: 500 },
  ),
  DATABASE_READ_TIMEOUT_S: setting.integer(
    'Seconds after which a statement of such a request is ended; then it gets 503.',
    {
      fallback: 10,
      min: 1,
      max: 60,
    },
  ),
  DATABASE_WAIT_S: setting.integer('Seconds to wait at start for a database that cannot be reached yet.', {
    fallback: 30,
    min: 0,
    max: 3600,
  }),
  DRAIN_DELAY_S: setting.integer(
    'Seconds that a stopping process still answers while /readyz already fails, so that a balancer notices in time.',
    { fallback: 0, min: 0, max: 20 },
  ),
  REQUEST_TIMEOUT_S: setting.integer(
    'Seconds that a client may take to send a whole request; its headers must be there within ten.',
    { fallback: 60, min: 10, max: 600 },
  ),
  BODY_MEMORY_MB: setting.integer(
    'Megabytes of request bodies that one process keeps in memory at once, an eighth of it for callers without credentials; further requests get 503.',
    { fallback: 128, min: 32, max: 65_536 },
  ),
  READ_RATE_LIMIT: setting.integer(
    'Reads through the public API (GET, previews) that one service may make in a minute with keys of one kind.',
    { fallback: 0, fallbackText: 'its limit for sending, 3000 at least', min: 0, max: 1_000_000 },
  ),
  WORKER_CONCURRENCY: setting.integer(
    'Background jobs that one process runs at the same time; 0: three more than it has PDF threads.',
    { fallback: 0, min: 0, max: 200 },
  ),
  TRUSTED_PROXIES: setting.networks(
    'Addresses or networks of proxies in front of this API, separated by commas: what they say in X-Forwarded-For is believed where an API key is limited to networks.',
    { fallback: [], fallbackText: '(unset)' },
  ),
  ADMIN_CLIENT_ID: setting.text('Issuer (`iss`) of the administrative front end’s tokens.', {
    fallback: 'notify-admin',
  }),
  ADMIN_CLIENT_SECRETS: setting.list(
    'Secrets that may sign administrative tokens, of at least 32 characters each, separated by commas so that one can replace another without a gap.',
    { fallback: [], fallbackText: 'generated at the first start', secret: true },
  ),
  FUNCTIONAL_TESTS_SECRETS: setting.list(
    'Secrets of the client `notify-functional-tests`, which may create users for browser tests, of at least 32 characters each; unset: there is none. Not for production.',
    { fallback: [], fallbackText: '(unset)', secret: true },
  ),
  SECRET_KEY: setting.optionalText(
    'Key from which everything encrypted at rest and every link token is derived; at least 32 characters. Losing it loses those.',
    { fallbackText: 'generated at the first start', secret: true },
  ),
  SECRET_KEYS: setting.list(
    'Several such keys, separated by commas, in place of SECRET_KEY: the first one writes, the others still read. `pennypost rekey` moves everything to the first.',
    { fallback: [], fallbackText: '(unset)', secret: true },
  ),
  BASE_URL: setting.url('Address under which clients reach this API; used in links.', {
    fallback: 'http://localhost:6011',
  }),
  ADMIN_BASE_URL: setting.url('Address of the administrative front end; used in links of account messages.', {
    fallback: 'http://localhost:6012',
  }),
  EMAIL_DOMAIN: setting.text('Domain of the addresses email is sent from.', { fallback: 'notifications.example' }),
  FROM_NUMBER: setting.text('Sender of text messages that a new service starts with; at most 11 characters.', {
    fallback: 'PENNYPOST',
  }),
  PROTECTED_SENDER_IDS: setting.list(
    'Names that belong to others and that no service should send text messages as, separated by commas.',
    { fallback: [], fallbackText: '(unset)' },
  ),
  LOG_LEVEL: setting.oneOf('Least severe log line that is written.', ['debug', 'info', 'warn', 'error', 'silent'], {
    fallback: 'info',
  }),
  PRINT_PROVIDER: setting.text('Short lower-case name of the letter printer, as in its billing report’s path.', {
    fallback: 'dvla',
  }),
  PLATFORM_NAME: setting.text('Name above emails that have no branding, and sender of texts that have none.', {
    fallback: 'Pennypost',
  }),
  LOGO_BASE_URL: setting.optionalText(
    'Address under which the logo files of email branding are found; a logo may also be a whole address.',
  ),
  SMS_PROVIDERS: setting.listOf(
    'Who carries text messages; with several, each gets a share and they stand in for one another.',
    ['sandbox', 'mmg', 'firetext', 'twilio'],
    { fallback: ['sandbox'] },
  ),
  EMAIL_PROVIDERS: setting.listOf('Who carries email.', ['sandbox', 'smtp', 'ses'], { fallback: ['sandbox'] }),
  SMS_RECEIPT_TOKENS: setting.flag(
    'Take receipts of MMG and Firetext only at the address that each message names, which holds a token; false: also at the plain address.',
    { fallback: true },
  ),
  PROVIDER_RATES: setting.numbersByName(
    'Most messages per second that one process hands to a provider, for example `mmg:50,ses:14`.',
    { fallback: {}, fallbackText: 'no limit' },
  ),
  DELIVERY_CONCURRENCY: setting.integer('Calls to providers under way at the same time, per channel and process.', {
    fallback: 200,
    min: 1,
    max: 5000,
  }),
  DELIVERY_MAX_RETRIES: setting.integer('How often handing a message over is tried again before it is given up.', {
    fallback: 48,
    min: 0,
    max: 1000,
  }),
  DELIVERY_RETRY_DELAY_S: setting.integer(
    'Seconds between those tries; the first retry of a text message does not wait.',
    { fallback: 300, min: 0, max: 86_400 },
  ),
  DELIVERY_EXPIRY_H: setting.integer('Hours after which a message that was never handed over is given up.', {
    fallback: 72,
    min: 1,
    max: 72,
  }),
  PRINT_HAND_OFF: setting.oneOf(
    '`folder`: letters wait in PRINT_FOLDER for the printer; `sandbox`: the same, and they count as posted at once.',
    ['sandbox', 'folder'],
    { fallback: 'sandbox' },
  ),
  PRINT_FOLDER: setting.optionalText('Folder that the printer collects letters from, one folder per print run.', {
    fallbackText: '`outbox/print` in the data folder',
  }),
  PDF_THREADS: setting.integer(
    'Threads that draw and read PDF files, and one more for previews that would wait; 0: all cores but one.',
    {
      fallback: 0,
      min: 0,
      max: 64,
    },
  ),
  SANDBOX_RECEIPTS: setting.oneOf(
    '`auto`: the sandbox sends itself a receipt for every message; `hold`: it never does, receipts come from outside.',
    ['auto', 'hold'],
    { fallback: 'auto' },
  ),
  SANDBOX_DELAY_MS: setting.integer('How long the sandbox waits before it sends itself a receipt.', {
    fallback: 200,
    min: 0,
    max: 3_600_000,
  }),
  SMTP_URL: setting.optionalUrl(
    'Mail server, for example `smtps://user:password@mail.example:465`.',
    ['smtp://', 'smtps://'],
    { secret: true },
  ),
  SMTP_REQUIRE_TLS: setting.flag(
    'Send nothing to a mail server that offers no encryption (STARTTLS), unless it is on this machine or network.',
    { fallback: true },
  ),
  SMTP_CONNECTIONS: setting.integer('Connections to the mail server that one process keeps open.', {
    fallback: 10,
    min: 1,
    max: 500,
  }),
  SMTP_DKIM_DOMAIN: setting.optionalText('Domain to sign email for (DKIM); needs the next two as well.'),
  SMTP_DKIM_SELECTOR: setting.optionalText('Selector under which the public key is published.'),
  SMTP_DKIM_KEY: setting.optionalText('Private key for signing, in PEM.', { secret: true }),
  SES_REGION: setting.text('Amazon region to send email through.', { fallback: 'eu-west-2' }),
  SES_URL: setting.optionalText('Address of Amazon SES, where it is not the region’s own.'),
  SES_ACCESS_KEY_ID: setting.optionalText('Access key that may send email through Amazon SES.'),
  SES_SECRET_ACCESS_KEY: setting.optionalText('Its secret.', { secret: true }),
  SES_CONFIGURATION_SET: setting.optionalText('Amazon SES configuration set that publishes receipts to SNS.'),
  SES_VERIFY_SIGNATURES: setting.flag(
    'Take email receipts only with a valid SNS signature; false for a trusted network.',
    { fallback: true },
  ),
  SES_TOPIC_ARNS: setting.list(
    'SNS topics whose signed receipts are taken, separated by commas; `*`: any topic of SES_REGION, and anybody can have one. Must be set for the provider ses.',
    { fallback: [], fallbackText: '(unset)' },
  ),
  MMG_URL: setting.url('Where MMG takes text messages.', { fallback: 'https://api.mmg.co.uk/jsonv2a/api.php' }),
  MMG_API_KEY: setting.optionalText('Key of the MMG account.', { secret: true }),
  MMG_INBOUND_AUTH: setting.optionalText(
    '`user:password` that MMG gives with received texts; unset: they are refused.',
    {
      secret: true,
    },
  ),
  FIRETEXT_URL: setting.url('Where Firetext takes text messages.', {
    fallback: 'https://www.firetext.co.uk/api/sendsms/json',
  }),
  FIRETEXT_API_KEY: setting.optionalText('Key of the Firetext account.', { secret: true }),
  FIRETEXT_INBOUND_AUTH: setting.optionalText(
    '`user:password` that Firetext gives with received texts; unset: they are refused.',
    { secret: true },
  ),
  TWILIO_URL: setting.url('Where Twilio takes text messages.', { fallback: 'https://api.twilio.com' }),
  TWILIO_ACCOUNT_SID: setting.optionalText('The Twilio account.'),
  TWILIO_AUTH_TOKEN: setting.optionalText('Its token; status callbacks are checked with it too.', { secret: true }),
  CALLBACK_ALLOW_PRIVATE: setting.flag(
    'Let callbacks to services go to loopback and private addresses, and over plain http there.',
    { fallback: false },
  ),
  CALLBACK_RETRY_DELAYS_S: setting.integers(
    'Seconds before each retry of a callback to a service; the default is a day.',
    {
      fallback: [5, 30, 120, 300, 900, 1800, 3600, 7200, 10_800, 14_400, 21_600, 25_200],
    },
  ),
  S3_BUCKET: setting.optionalText(
    'Bucket of an S3-compatible store to keep letters, uploads and logos in. Unset: they are kept in the data folder.',
  ),
  S3_ENDPOINT: setting.optionalUrl('Address of that store, for example `http://minio:9000`.', ['http://', 'https://'], {
    fallbackText: 'Amazon’s own for S3_REGION',
  }),
  S3_REGION: setting.text('Region of that store.', { fallback: 'eu-west-2' }),
  S3_PREFIX: setting.optionalText('Put before the name of every file in the bucket, for example `pennypost/`.'),
  S3_ACCESS_KEY_ID: setting.optionalText('Access key that may read, write and delete files in the bucket.'),
  S3_SECRET_ACCESS_KEY: setting.optionalText('Its secret.', { secret: true }),
  CLAMAV_ADDRESS: setting.optionalText(
    'ClamAV to scan uploaded letters and files with: the path of its socket, or `host:port`. Unset: they are not scanned.',
  ),
  RECORDS_KEPT_DAYS: setting.integer(
    'Days after which events, complaints, the reasons in requests to join a service and the references of returned letters are deleted.',
    { fallback: 365, min: 30, max: 3650 },
  ),
  DEMO: setting.flag(
    'Create a demonstration service with a key and templates, and show what the sandbox kept at /outbox to anyone who can reach the server. Off: the demonstration’s key is revoked.',
    {
      fallback: undefined,
      fallbackText:
        'true when HOST is a loopback address, every channel is in the sandbox and the database is the embedded one; else false',
    },
  ),
};

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

/** Reads the environment; the first start of a data folder generates the secrets that are not configured. */
export function readConfig(
  environment: Record<string, string | undefined> = process.env,
  onGenerated: (secret: GeneratedSecret) => void = () => {},
  { shortKeysMayRead = false } = {},
): Config {
  const { values, problems } = setting.readSettings(settings, environment);
  problems.push(...missingForOthers(values), ...shortSecrets(values, shortKeysMayRead));
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

/** Whether nothing can leave the machine: text messages, email and letters all end in the sandbox. */
export function isAllSandbox(config: Pick<Config, 'SMS_PROVIDERS' | 'EMAIL_PROVIDERS' | 'PRINT_HAND_OFF'>): boolean {
  const carriers = [...config.SMS_PROVIDERS, ...config.EMAIL_PROVIDERS, config.PRINT_HAND_OFF];
  return carriers.every((name) => name === 'sandbox');
}

/** Whether only programs on the same machine can reach a server that listens there. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

/**
 * Of the environment only SANDBOX_*, CALLBACK_* and the credentials for received texts count: a test suite's own PORT,
 * DATABASE_URL or LOG_LEVEL mean something else.
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

/** What a provider or a store in use cannot do without. */
const neededBy: Record<string, (keyof Values)[]> = {
  smtp: ['SMTP_URL'],
  ses: ['SES_ACCESS_KEY_ID', 'SES_SECRET_ACCESS_KEY'],
  mmg: ['MMG_API_KEY'],
  firetext: ['FIRETEXT_API_KEY'],
  twilio: ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN'],
};

function missingForOthers(values: Values): string[] {
  const inUse = [values.SMS_PROVIDERS, values.EMAIL_PROVIDERS].flatMap((names) => names ?? []);
  const forFiles = values.S3_BUCKET === undefined ? [] : (['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const);
  const forSessions = values.DATABASE_SESSION_URL === undefined ? [] : (['DATABASE_URL'] as const);
  const isSamePort = values.ADMIN_PORT === values.PORT && values.ADMIN_PORT !== 0;
  return [
    ...(isSamePort && (values.ADMIN_HOST ?? values.HOST) === values.HOST
      ? ['ADMIN_PORT must be another one than PORT']
      : []),
    ...inUse.flatMap((name) =>
      missing(neededBy[name] ?? []).map((need) => `${need} must be set for the provider ${name}`),
    ),
    ...(inUse.includes('ses') && values.SES_VERIFY_SIGNATURES && values.SES_TOPIC_ARNS?.length === 0
      ? ['SES_TOPIC_ARNS must be set for the provider ses: name the SNS topics of its receipts, or * for any topic']
      : []),
    ...missing(forFiles).map((need) => `${need} must be set for the bucket in S3_BUCKET`),
    ...missing(forSessions).map((need) => `${need} must be set beside DATABASE_SESSION_URL`),
  ];

  function missing(needed: readonly (keyof Values)[]) {
    return needed.filter((setting) => values[setting] === undefined);
  }
}

function secretKeysOf({ SECRET_KEY, SECRET_KEYS = [] }: Partial<Values>): string[] | undefined {
  if (SECRET_KEYS.length > 0) return SECRET_KEYS;
  return SECRET_KEY === undefined ? undefined : [SECRET_KEY];
}
