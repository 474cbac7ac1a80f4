import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { main as runMain } from '../src/main.ts';
import { explainSystemError } from '../src/operations/system-errors.ts';
import { OperatorError } from '../src/platform/failure.ts';
import { jwt } from './kit/builders/jwt.ts';
import { claimPort } from './kit/process/claim-port.ts';
import { cloneDatabase } from './kit/process/database.ts';
import { processEnvironment } from './kit/process/process-environment.ts';

/** The compiled command, as an operator runs it; `npm test` compiles it first. */
const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'pennypost-main-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function pennypost(args: string[], environment: Record<string, string> = {}) {
  return new Promise<{ code: number; out: string; err: string }>((resolve) => {
    const env = { ...processEnvironment, DATA_DIR: folder, LOG_LEVEL: 'silent', ...environment };
    execFile(
      process.execPath,
      [main, ...args],
      { env, timeout: 50_000, maxBuffer: 64 * 1024 * 1024 },
      (error, out, err) => resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, out, err }),
    );
  });
}

/** What a command prints, without the seconds that a process takes to start. Throws what the process would print as an error. */
async function printed(args: string[], environment: Record<string, string> = {}): Promise<string> {
  const before = process.env;
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    process.env = { ...processEnvironment, DATA_DIR: folder, LOG_LEVEL: 'silent', ...environment };
    await runMain(args);
    return write.mock.calls.map(([text]) => String(text)).join('');
  } finally {
    write.mockRestore();
    process.env = before;
  }
}

describe('pennypost', () => {
  it('--help prints the help, as help does', async () => {
    const { code, out } = await pennypost(['--help']);
    expect(code).toBe(0);
    expect(out).toContain('pennypost <command>');
    expect(out).toContain('migrate');
    expect(await printed(['help'])).toBe(out);
  });

  it('--help after a command prints its help without running it', async () => {
    expect(await printed(['restore', '--help'])).toMatch(
      /^pennypost restore <folder>\n\nRestore a backup into an unused database\.\nRestores into DATABASE_URL/,
    );
  });

  it('--version prints the version', async () => {
    expect(await printed(['--version'])).toMatch(/^\d+\.\d+\.\d+/);
  });

  it('rejects an unknown command and lists the commands', async () => {
    await expect(runMain(['dance'])).rejects.toThrow(/^Unknown command "dance".*pennypost <command>/s);
    await expect(runMain(['toString'])).rejects.toThrow('Unknown command "toString"');
  });

  it('without a command serves; reports invalid configuration without a stack, with exit code 1', async () => {
    const { code, err } = await pennypost([], { PORT: 'x', HOST: '' });
    expect(code).toBe(1);
    expect(err).toContain('PORT must be a whole number');
    expect(err).not.toContain('    at ');
  });

  it.each<[string, Record<string, string>, string]>([
    [
      'a database that has no address',
      { DATABASE_URL: 'my-secret-database' },
      'DATABASE_URL must begin with postgres://',
    ],
    [
      'a password that ends the address',
      { DATABASE_URL: 'postgres://us:my/secret@127.0.0.1/x', SMTP_URL: 'smtp://us:my#secret@127.0.0.1' },
      'SMTP_URL is not an address; in a password / is written %2F',
    ],
  ])('reports %s without a secret', async (_what, environment, words) => {
    const error: unknown = await printed(['serve'], environment).catch((reason) => reason);
    expect(error).toBeInstanceOf(OperatorError);
    expect(String(error)).toContain(words);
    expect(String(error)).not.toMatch(/my.secret/);
  });

  it('reports a data folder that is a file', async () => {
    const error: unknown = await printed(['serve'], { DATA_DIR: main }).catch((reason) => reason);
    expect(explainSystemError(error)).toContain('Remove what is there, or set DATA_DIR');
  });

  it('rejects an unknown flag and explains where settings come from', async () => {
    const words = 'Unknown flag --port: settings come from the environment';
    await expect(runMain(['serve', '--port', '8080'])).rejects.toThrow(words);
  });

  it('config prints the settings but no secret', async () => {
    const out = await printed(['config'], {
      ADMIN_CLIENT_SECRETS: 'very-secret-canary-of-more-than-32-characters',
    });
    expect(out).toContain('PORT=6011');
    expect(out).toContain('ADMIN_CLIENT_SECRETS=(set, not shown)');
    expect(out).not.toContain('very-secret-canary');
  });

  it('openapi prints the document without a database', async () => {
    expect(JSON.parse(await printed(['openapi'])).openapi).toBe('3.1.0');
  });

  it('demo prints the key, which the server does not log', { timeout: 90_000 }, async () => {
    const database = await cloneDatabase();
    const port = await claimPort();
    const settings = { DATABASE_URL: database.url, DEMO: 'true', PORT: String(port) };
    const server = spawn(process.execPath, [main, 'api'], {
      env: { ...processEnvironment, DATA_DIR: folder, ...settings },
    });
    onTestFinished(async () => {
      server.kill('SIGKILL');
      await database.drop();
    });
    let logged = '';
    for (const stream of [server.stdout, server.stderr]) stream.on('data', (chunk) => (logged += chunk));
    await expect.poll(() => logged, { timeout: 40_000 }).toContain('main.js demo');

    // Only the server has the port set.
    const out = await printed(['demo'], { ...settings, PORT: '' });
    expect(out).toContain(`export PENNYPOST=http://localhost:${port}\n`);
    expect(out).toContain(`curl http://localhost:${port}/v2/notifications/sms`);
    expect(out).not.toContain(':6011');
    const [, key = ''] = /^export API_KEY=(demo-\S{73})$/m.exec(out) ?? [];
    expect(out).toContain(`Bearer ${key}' -d`);
    const response = await fetch(`http://127.0.0.1:${port}/v2/templates`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(response.status).toBe(200);
    expect(logged).not.toContain(key.slice(-36));
    expect(logged).toMatch(/Set it up +run: node \S+ console-link\n/);

    await expect(printed(['demo'], { ...settings, DEMO: 'false' })).rejects.toThrow('set DEMO=true');
    const elsewhere = printed(['demo'], { ...settings, DATA_DIR: join(folder, 'unused') });
    await expect(elsewhere).rejects.toThrow('start the server first');

    const address = join(folder, 'address');
    const recorded = readFileSync(address);
    server.kill('SIGTERM');
    await once(server, 'exit');
    const stopped = /No server is running with the data folder/;
    expect(existsSync(address)).toBe(false);
    await expect(printed(['demo'], settings)).rejects.toThrow(stopped);
    // As after a killed server.
    writeFileSync(address, recorded);
    await expect(printed(['demo'], settings)).rejects.toThrow(stopped);
  });

  it('serves the administrative API on ADMIN_PORT only', { timeout: 90_000 }, async () => {
    const database = await cloneDatabase();
    const [port, adminPort] = [await claimPort(), await claimPort()];
    const settings = { DATABASE_URL: database.url, PORT: String(port), ADMIN_PORT: String(adminPort) };
    const secrets = {
      ADMIN_CLIENT_SECRETS: 'secret-of-the-front-end-of-this-test',
      FUNCTIONAL_TESTS_SECRETS: 'secret-of-the-browser-tests-of-this-test',
    };
    const server = spawn(process.execPath, [main, 'api'], {
      env: { ...processEnvironment, DATA_DIR: folder, LOG_LEVEL: 'silent', DEMO: 'true', ...settings, ...secrets },
    });
    onTestFinished(async () => {
      server.kill('SIGKILL');
      await database.drop();
    });
    let logged = '';
    server.stdout.on('data', (chunk) => (logged += chunk));
    await expect.poll(() => logged, { timeout: 60_000 }).toContain('Pennypost is listening');
    expect(logged).toContain(`http://localhost:${adminPort}/metrics`);

    const iat = Math.floor(Date.now() / 1_000);
    const authorization = `Bearer ${jwt({ iss: 'notify-admin', iat }, secrets.ADMIN_CLIENT_SECRETS)}`;
    const statuses = async (method: string, path: string) => {
      const ask = (at: number) => fetch(`http://127.0.0.1:${at}${path}`, { method, headers: { authorization } });
      return { public: (await ask(port)).status, admin: (await ask(adminPort)).status };
    };
    for (const path of ['/service', '/organisations', '/platform-stats', '/metrics', '/docs/', '/docs/json']) {
      expect(await statuses('GET', path), path).toEqual({ public: 404, admin: 200 });
    }
    expect(await statuses('PUT', '/__testing/functional/users')).toEqual({ public: 404, admin: 401 });
    for (const path of ['/status', '/livez', '/readyz', '/openapi.json']) {
      expect(await statuses('GET', path), path).toEqual({ public: 200, admin: 200 });
    }
    expect(await statuses('GET', '/v2/templates')).toEqual({ public: 403, admin: 404 });
    expect(await statuses('GET', '/outbox')).toEqual({ public: 200, admin: 404 });
    expect(await statuses('POST', '/notifications/email/ses')).toMatchObject({ admin: 404 });
    // Another front end has one address for all its calls, and a page that unsubscribes.
    const link = `http://127.0.0.1:${adminPort}/unsubscribe/6ce466d0-fd6a-11e5-82f5-e0accb9d11a6/forged`;
    const unsubscribed = await fetch(link, { method: 'POST' });
    expect([unsubscribed.status, await unsubscribed.text()]).toEqual([
      404,
      expect.stringContaining('not a valid unsubscribe link'),
    ]);
    const document = (await (await fetch(`http://127.0.0.1:${port}/openapi.json`)).json()) as { paths: object };
    expect(Object.keys(document.paths)).not.toContain('/service/{service_id}');
    expect(Object.keys(document.paths)).toContain('/v2/notifications/sms');

    server.kill('SIGTERM');
    const [code] = await once(server, 'exit');
    expect(code).toBe(0);
  });

  it('reports a port in use, and an address of another machine, without a stack', { timeout: 120_000 }, async () => {
    const database = await cloneDatabase();
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { code, out, err } = await pennypost(['api'], {
      DATABASE_URL: database.url,
      PORT: String(port),
      LOG_LEVEL: 'warn',
      FUNCTIONAL_TESTS_SECRETS: 'very-secret-canary-of-more-than-32-characters',
    });
    expect(code).toBe(1);
    expect(err).toBe(`Port ${port} of 127.0.0.1 is in use by another process. Stop that one, or set PORT.\n`);
    // A server that starts also warns when browser tests may create users.
    expect(out).toContain('FUNCTIONAL_TESTS_SECRETS is set');
    expect(out).not.toContain('canary');
    other.close();
    const elsewhere = { DATABASE_URL: database.url, HOST: '203.0.113.9', PORT: '0' };
    const refused = await pennypost(['api'], elsewhere);
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('Set HOST to one that it has') });
    expect(refused.err).not.toContain('\n    at ');
    await database.drop();
  });

  it('create-admin prints a link to set the password, once', { timeout: 120_000 }, async () => {
    const database = await cloneDatabase();
    const environment = { DATABASE_URL: database.url, ADMIN_BASE_URL: 'https://admin.example' };
    const words = ['create-admin', 'Ada Admin', 'ada@example.org', '07700900123'];
    expect(await printed(words, environment)).toMatch(/\nhttps:\/\/admin\.example\/new-password\/[\w-]+\n/);
    const other = printed(['create-admin', 'Grace', 'grace@example.org', '07700900124'], environment);
    await expect(other).rejects.toThrow('There is a platform administrator already: ada@example.org.');
    await database.drop();
  });

  it('console-link prints the link of the set-up, then links for accounts only', { timeout: 120_000 }, async () => {
    const database = await cloneDatabase();
    const environment = {
      DATABASE_URL: database.url,
      BASE_URL: 'https://post.example',
      SECRET_KEY: 'of-a-test-and-at-least-32-characters-long',
    };
    const first = await printed(['console-link'], environment);
    expect(first).toMatch(/^https:\/\/post\.example\/console\/start#[A-Z2-9]{4}-[A-Z2-9]{4}-[A-Z2-9]{4}\n$/);
    await printed(['create-admin', 'Ada Admin', 'ada@example.org', '07700900123'], environment);
    await expect(printed(['console-link'], environment)).rejects.toThrow('The console is already set up.');
    const link = await printed(['console-link', '--for', 'ada@example.org'], environment);
    expect(link).toMatch(/^https:\/\/post\.example\/console\/link\/[\w-]+\n$/);
    await database.drop();
  });

  it.each([
    [['create-admin'], 'Usage: pennypost create-admin <name> <email> <mobile>'],
    [['create-admin', 'Ada', 'ada@example.org'], 'Usage: pennypost create-admin <name> <email> <mobile>'],
    [['create-admin', 'Ada', 'ada@example.org', '07700900123', 'secret'], 'Usage: pennypost create-admin'],
    [['create-admin', '--password', 'secret'], 'Unknown flag --password'],
  ])('%j is refused with the usage', async (words, text) => {
    await expect(runMain(words)).rejects.toThrow(text);
  });

  it('create-admin --help prints its help', async () => {
    expect(await printed(['create-admin', '--help'])).toMatch(
      /^pennypost create-admin <name> <email> <mobile>\n\nCreate the first platform administrator/,
    );
  });

  it('reports an unreachable database', async () => {
    const unreachable = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', DATABASE_WAIT_S: '1' };
    const error: unknown = await printed(['migrate'], unreachable).catch((reason) => reason);
    expect(error).toBeInstanceOf(OperatorError);
    expect(String(error)).toMatch(/The database cannot be used.*DATABASE_URL/s);
  });
});
