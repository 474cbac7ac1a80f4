import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type GeneratedSecret, secretFile } from '../platform/secrets/generated-secrets.ts';
import { ConfigurationError } from '../platform/setting-groups.ts';
import { readConfig } from './read-config.ts';

const long = (name: string) => name.padEnd(32, '.');

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pennypost-config-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('readConfig', () => {
  it('has a default for everything', () => {
    const config = readConfig({ DATA_DIR: folder });
    expect(config).toMatchObject({
      http: { port: 6011, host: '127.0.0.1' },
      auth: { adminClientId: 'notify-admin' },
      letters: { printer: 'dvla' },
      demo: { enabled: true },
      database: { url: undefined },
    });
  });

  it.each([
    [{}, true],
    [{ HOST: '0.0.0.0', DEMO: 'true' }, false],
    [{ BASE_URL: 'https://pennypost.example.org' }, false],
    [{ DEMO: 'false' }, false],
  ])('allows callbacks to this machine only in a demo that nobody else reaches: %o', (environment, allowLoopback) => {
    expect(readConfig({ DATA_DIR: folder, ...environment }).callbacks).toMatchObject({
      allowLoopback,
      allowPrivate: false,
    });
  });

  it('reads durations in milliseconds and sizes in bytes', () => {
    const units = {
      ...{ DATABASE_READ_TIMEOUT_S: '7', DELIVERY_EXPIRY_H: '5', RECORDS_KEPT_DAYS: '44', BODY_MEMORY_MB: '40' },
      CALLBACK_RETRY_DELAYS_S: '1,20',
    };
    expect(readConfig({ DATA_DIR: folder, ...units })).toMatchObject({
      database: { readTimeout_ms: 7_000, wait_ms: 30_000 },
      delivery: { expiry_ms: 18_000_000, retryDelay_ms: 300_000 },
      storage: { recordRetention_ms: 3_801_600_000 },
      http: { bodyMemory_bytes: 41_943_040 },
      callbacks: { retryDelays_ms: [1_000, 20_000] },
    });
  });

  it('reads the settings of tracing, and quotes no header that is wrong', () => {
    const endpoint = { DATA_DIR: folder, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318/' };
    const headers = 'api-key=a%20secret, x-tenant=one=two';
    expect(
      readConfig({ ...endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers, OTEL_TRACES_SAMPLER_ARG: '0.25' }).tracing,
    ).toEqual({
      endpoint: 'http://localhost:4318',
      headers: { 'api-key': 'a secret', 'x-tenant': 'one=two' },
      serviceName: 'pennypost',
      sampler: 'parentbased_traceidratio',
      share: 0.25,
    });
    for (const wrong of ['my-secret', 'key=my-secret%zz', '=my-secret', 'key=my\nsecret', 'key=%FFmy-secret']) {
      const read = () => readConfig({ ...endpoint, OTEL_EXPORTER_OTLP_HEADERS: wrong });
      expect(read, wrong).toThrow('OTEL_EXPORTER_OTLP_HEADERS must be name=value pairs');
      expect(read, wrong).not.toThrow('secret');
    }
    for (const share of ['2', '-0.1', 'all', ' ']) {
      expect(() => readConfig({ ...endpoint, OTEL_TRACES_SAMPLER_ARG: share }), share).toThrow('from 0 to 1');
    }
  });

  it('reports what is missing for single sign-on', () => {
    const problemsOf = (environment: Record<string, string>) => {
      try {
        readConfig({ DATA_DIR: folder, ...environment });
        return [];
      } catch (error) {
        return error instanceof ConfigurationError ? error.problems : [String(error)];
      }
    };
    const issuer = { OIDC_ISSUER: 'https://login.example.org', OIDC_CLIENT_ID: 'us', OIDC_CLIENT_SECRET: 'secret' };
    expect(problemsOf({ ...issuer, OIDC_ALLOWED_DOMAINS: 'example.org' })).toEqual([]);
    expect(problemsOf({ OIDC_ISSUER: 'http://login.example.org', OIDC_SCOPES: 'email' })).toEqual([
      'OIDC_CLIENT_ID must be set when OIDC_ISSUER is set',
      'OIDC_CLIENT_SECRET must be set when OIDC_ISSUER is set',
      'OIDC_ISSUER must begin with https://',
      'OIDC_ALLOWED_DOMAINS must be set when OIDC_ISSUER is set',
      'OIDC_SCOPES must contain openid',
    ]);
    expect(problemsOf({ LOCAL_SIGN_IN: 'platform-admins' })).toEqual([
      'OIDC_ISSUER must be set when LOCAL_SIGN_IN is platform-admins',
    ]);
  });

  it('requires DATABASE_URL when DATABASE_SESSION_URL is set', () => {
    expect(() => readConfig({ DATA_DIR: folder, DATABASE_SESSION_URL: 'postgres://x' })).toThrow(
      'DATABASE_URL must be set when DATABASE_SESSION_URL is set',
    );
  });

  it.each([
    [{ DATABASE_REPLICA_URL: 'postgres://db2/pennypost' }, 'DATABASE_URL must be set when DATABASE_REPLICA_URL is set'],
    [
      { DATABASE_URL: 'postgres://db1/pennypost', DATABASE_REPLICA_URL: 'http://db2/pennypost' },
      'DATABASE_REPLICA_URL must begin with postgres:// or postgresql://',
    ],
    [
      {
        DATABASE_URL: 'postgres://db1/pennypost',
        DATABASE_REPLICA_URL: 'postgres://db2,db3/pennypost?target_session_attrs=read-write',
      },
      'DATABASE_REPLICA_URL must not ask for the primary: set target_session_attrs=standby, or leave it out',
    ],
  ])('refuses %j', (environment, message) => {
    expect(() => readConfig({ DATA_DIR: folder, ...environment })).toThrow(message);
  });

  it.each([
    'postgres://us:50%25%2F@db.example:5432/pennypost',
    'postgres://us@/pennypost?host=/run/postgresql',
    'postgres:///pennypost?host=/run/postgresql&user=us',
    'postgresql://us:a@[::1]/pennypost?sslmode=require',
    'postgres://%2Frun%2Fpostgresql/pennypost',
  ])('accepts the database URL %s', (url) => {
    expect(readConfig({ DATA_DIR: folder, DATABASE_URL: url }).database.url).toBe(url);
  });

  it('disables the demo for an external database', () => {
    expect(readConfig({ DATA_DIR: folder, DATABASE_URL: 'postgres://x' }).demo.enabled).toBe(false);
  });

  it.each([
    { HOST: '0.0.0.0' },
    { HOST: '::' },
    { HOST: '10.0.0.5' },
    { BASE_URL: 'https://notify.example.org' },
    { BASE_URL: 'http://127.example.org:6011' },
    { HOST: '127.example.org' },
    { EMAIL_PROVIDERS: 'smtp', SMTP_URL: 'smtp://mail.example' },
    { SMS_PROVIDERS: 'sandbox,mmg', MMG_API_KEY: 'x' },
    { PRINT_HAND_OFF: 'folder' },
  ])('enables the demo with %j only when DEMO is set', (settings) => {
    expect(readConfig({ DATA_DIR: folder, ...settings }).demo.enabled).toBe(false);
    expect(readConfig({ DATA_DIR: folder, ...settings, DEMO: 'true' }).demo.enabled).toBe(true);
  });

  it.each([
    { HOST: 'localhost' },
    { HOST: '127.0.0.2' },
    { HOST: '::1' },
    { PORT: '7000' },
    { BASE_URL: 'http://127.0.0.1:6011' },
    { BASE_URL: 'http://[::1]:6011' },
  ])('enables the demo with %j', (settings) => {
    expect(readConfig({ DATA_DIR: folder, ...settings }).demo).toEqual({ enabled: true, isOnlyHere: true });
  });

  it('reports all problems at once', () => {
    const read = () =>
      readConfig({ DATA_DIR: folder, PORT: 'x', LOG_LEVEL: 'loud', BASE_URL: 'nowhere', DEMO: 'maybe' });
    expect(read).toThrow(ConfigurationError);
    expect(read).toThrow(
      /4 problems:\n.*PORT must be a whole number from 0 to 65535, not "x"\n.*BASE_URL .*\n.*LOG_LEVEL .*\n.*DEMO /s,
    );
  });

  it('reports problems of the country with those of other settings', () => {
    const read = () =>
      readConfig({ DATA_DIR: folder, PORT: 'x', COUNTRY: 'nl', LETTER_CUT_OFF: '5pm', TIME_ZONE: 'Moon' });
    expect(read).toThrow(
      /3 problems:\n.*PORT .*\n.*LETTER_CUT_OFF must be a time as HH:MM.*\n.*TIME_ZONE must be a time zone /s,
    );
  });

  it('rejects an ADMIN_PORT equal to PORT', () => {
    const read = (settings: Record<string, string>) => readConfig({ DATA_DIR: folder, ...settings });
    expect(() => read({ ADMIN_PORT: '6011' })).toThrow('ADMIN_PORT must differ from PORT');
    expect(() => read({ PORT: '7000', ADMIN_PORT: '7000', ADMIN_HOST: '127.0.0.1' })).toThrow('must differ from PORT');
    expect(read({ PORT: '7000', ADMIN_PORT: '7000', ADMIN_HOST: '127.0.0.2' }).http.adminPort).toBe(7000);
    expect(read({ PORT: '0' })).toMatchObject({
      http: { adminPort: 0, adminHost: undefined },
      auth: { metricsToken: undefined },
    });
  });

  it('takes the key of link tokens as Fernet keys are written, and never quotes it', () => {
    const read = (LINK_TOKEN_KEY: string) => readConfig({ DATA_DIR: folder, LINK_TOKEN_KEY }).frontEnd.linkTokenKey;
    expect(read(`${'A'.repeat(43)}=`)).toEqual(Buffer.alloc(32));
    expect(() => read('a secret that is not a key')).toThrow(/LINK_TOKEN_KEY must be 32 bytes in URL-safe base64/);
    expect(() => read('a secret that is not a key')).not.toThrow(/a secret that is not a key/);
  });

  it('refuses the published key of the front end where others can reach this server', () => {
    const LINK_TOKEN_KEY = `${Buffer.concat([Buffer.from('5YNWU0e_', 'base64url'), Buffer.alloc(26, 1)]).toString('base64url')}=`;
    const read = (settings: object) => readConfig({ DATA_DIR: folder, LINK_TOKEN_KEY, ...settings });
    const refused = /LINK_TOKEN_KEY must be a key of your own/;
    expect(() => read({ BASE_URL: 'https://notify.example.org' })).toThrow(refused);
    expect(() => read({ HOST: '0.0.0.0' })).toThrow(refused);
    expect(() => read({})).not.toThrow();
    const own = 'cw_0x689RpI-jtRR7oE8h_eQsKImvJapLeSbXpwF4e4=';
    expect(() => read({ BASE_URL: 'https://notify.example.org', LINK_TOKEN_KEY: own })).not.toThrow();
  });

  it('takes a whole address for logos', () => {
    const read = (LOGO_BASE_URL: string) => readConfig({ DATA_DIR: folder, LOGO_BASE_URL }).branding.logoBaseUrl;
    expect(read('https://logos.example.org/')).toBe('https://logos.example.org');
    expect(() => read('logos.example.org')).toThrow('LOGO_BASE_URL must be an http or https address');
  });

  it('requires SES topics, or * for any', () => {
    const ses = { DATA_DIR: folder, EMAIL_PROVIDERS: 'ses', SES_ACCESS_KEY_ID: 'a', SES_SECRET_ACCESS_KEY: 's' };
    expect(() => readConfig(ses)).toThrow(/SES_TOPIC_ARNS must be set for the provider ses/);
    expect(readConfig({ ...ses, SES_TOPIC_ARNS: '*' }).providers.ses.topicArns).toEqual(['*']);
    expect(readConfig({ ...ses, SES_VERIFY_SIGNATURES: 'false' }).providers.ses.topicArns).toEqual([]);
    expect(readConfig({ DATA_DIR: folder }).providers.ses.topicArns).toEqual([]);
  });

  it.each([
    [{ SMTP_BOUNCE_LISTEN: ':25' }, /SMTP_RETURN_PATH must be set when SMTP_BOUNCE_LISTEN is set/],
    [
      { SMTP_RETURN_PATH: 'b@mail.example' },
      /SMTP_BOUNCE_IMAP_URL or SMTP_BOUNCE_LISTEN must be set when SMTP_RETURN_PATH/,
    ],
    [{ SMTP_RETURN_PATH: 'b', SMTP_BOUNCE_LISTEN: '25' }, /SMTP_RETURN_PATH must be an address such as .*, not "b"/],
    [
      { SMTP_RETURN_PATH: 'b@mail.example', SMTP_BOUNCE_LISTEN: 'x:99999' },
      /SMTP_BOUNCE_LISTEN must be an address and a port/,
    ],
    [
      { SMTP_RETURN_PATH: 'b@mail.example', SMTP_BOUNCE_IMAP_URL: 'http://x' },
      /SMTP_BOUNCE_IMAP_URL must begin with imap/,
    ],
    [{ SMTP_BOUNCE_TLS_KEY: 'key' }, /SMTP_BOUNCE_TLS_CERT must be set when SMTP_BOUNCE_TLS_KEY is set/],
  ])('refuses %j', (environment, problem) => {
    const smtp = { DATA_DIR: folder, EMAIL_PROVIDERS: 'smtp', SMTP_URL: 'smtp://mail.example' };
    expect(() => readConfig({ ...smtp, ...environment })).toThrow(problem);
  });

  it('takes both parts of an AWS access key or none', () => {
    const ses = { DATA_DIR: folder, EMAIL_PROVIDERS: 'ses', SES_TOPIC_ARNS: '*', S3_BUCKET: 'files' };
    expect(readConfig(ses).providers.ses.accessKeyId).toBeUndefined();
    expect(() => readConfig({ ...ses, SES_ACCESS_KEY_ID: 'a', S3_SECRET_ACCESS_KEY: 's' })).toThrow(
      /SES_SECRET_ACCESS_KEY must be set when SES_ACCESS_KEY_ID is set\n.*S3_ACCESS_KEY_ID must be set when S3_SECRET_ACCESS_KEY is set/,
    );
  });

  it.skipIf(process.platform === 'win32')(
    'generates secrets once, readable only by the owner, and reports them once',
    () => {
      const reported: GeneratedSecret[] = [];
      const first = readConfig({ DATA_DIR: folder }, (secret) => reported.push(secret));
      const second = readConfig({ DATA_DIR: folder }, (secret) => reported.push(secret));
      expect(second.encryption.keys).toEqual(first.encryption.keys);
      expect(second.auth.adminClientSecrets).toEqual(first.auth.adminClientSecrets);
      expect(reported.map(({ name }) => name).sort()).toEqual(['admin-client-secret', 'secret-key']);
      const file = secretFile(folder, 'secret-key');
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect([readFileSync(file, 'utf8').trim()]).toEqual(first.encryption.keys);
    },
  );

  it('reads a secret from a file', () => {
    const file = join(folder, 'key');
    writeFileSync(file, `${long('from a file')}\n`);
    expect(readConfig({ DATA_DIR: folder, SECRET_KEY_FILE: file }).encryption.keys).toEqual([long('from a file')]);
  });

  it('rejects a secret set twice and a missing secret file', () => {
    expect(() => readConfig({ DATA_DIR: folder, SECRET_KEY: 'a', SECRET_KEY_FILE: 'b' })).toThrow(/both set/);
    expect(() => readConfig({ DATA_DIR: folder, SECRET_KEY_FILE: join(folder, 'none') })).toThrow(/cannot be read/);
  });

  it('accepts several admin secrets, for rotation', () => {
    const config = readConfig({ DATA_DIR: folder, ADMIN_CLIENT_SECRETS: `${long('new')}, ${long('old')}` });
    expect(config.auth.adminClientSecrets).toEqual([long('new'), long('old')]);
  });

  it('accepts several secret keys, for rotation, from SECRET_KEY or SECRET_KEYS but not both', () => {
    const SECRET_KEYS = `${long('new')}, ${long('old')}`;
    expect(readConfig({ DATA_DIR: folder, SECRET_KEYS }).encryption.keys).toEqual([long('new'), long('old')]);
    expect(() => readConfig({ DATA_DIR: folder, SECRET_KEYS, SECRET_KEY: long('new') })).toThrow(
      'SECRET_KEY and SECRET_KEYS are both set: keep one',
    );
  });

  it.each([
    [
      { SECRET_KEY: 'x'.repeat(31) },
      'SECRET_KEY must have at least 32 characters, not 31: create one with `openssl rand',
    ],
    [{ SECRET_KEY: ' '.repeat(40) }, 'SECRET_KEY must have at least 32 characters, not 0'],
    [{ SECRET_KEYS: `${long('new')},short` }, 'SECRET_KEYS must have at least 32 characters each, not 5'],
    [{ ADMIN_CLIENT_SECRETS: `${long('new')},short` }, 'ADMIN_CLIENT_SECRETS must have at least 32 characters each'],
    [{ FUNCTIONAL_TESTS_SECRETS: 'short' }, 'FUNCTIONAL_TESTS_SECRETS must have at least 32 characters, not 5'],
  ])('rejects a secret that is too short: %j', (environment, words) => {
    const read = () => readConfig({ DATA_DIR: folder, ...environment });
    expect(read).toThrow(ConfigurationError);
    expect(read).toThrow(words);
  });

  it('accepts a short old key for decryption only in the command that replaces it', () => {
    const read = (SECRET_KEYS: string) =>
      readConfig({ DATA_DIR: folder, SECRET_KEYS }, undefined, { shortKeysMayRead: true }).encryption.keys;
    expect(read(`${long('new')},short`)).toEqual([long('new'), 'short']);
    expect(() => read(`short,${long('new')}`)).toThrow(/at least 32 characters/);
  });
});
