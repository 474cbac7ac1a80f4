import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Inlet, openInlet } from '../../src/inlet/inlet.ts';
import { Metrics } from '../../src/platform/metrics.ts';
import { isInstalled, programPath } from '../ha/kit/programs.ts';
import { anApiKey, aService } from '../kit/builders/rows.ts';
import { useHarness } from '../kit/harness.ts';
import { aCertificate } from '../kit/vendors/certificate.ts';
import { languages } from './languages.ts';
import { Postfix } from './postfix.ts';

/** Programs that can only send mail, as they are installed and configured elsewhere, against the SMTP inlet. */

const execute = promisify(execFile);
const day_ms = 86_400_000;
const { pem, privateKey } = aCertificate(
  { from: new Date(Date.now() - day_ms), until: new Date(Date.now() + 30 * day_ms) },
  'inlet.example',
);
const tls = { certificate: pem, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
const harness = useHarness({ config: { inlet: { listen: { host: '127.0.0.1', port: 0 }, ...tls } } });

const folder = mkdtempSync(join(tmpdir(), 'pennypost-mail-'));
const certificate = join(folder, 'certificate.pem');
const subject = 'Türen: 2 geöffnet';
const text = 'Hello Ada,\n\nthe door is open: https://door.example/?a=1&b=2\n.\nThe café';
let inlet: Inlet;
let service: string;
let key: string;

async function open(port = 0, implicitTls = false): Promise<Inlet> {
  const { app } = harness;
  const settings = { ...app.config.inlet, listen: { host: '127.0.0.1', port }, implicitTls };
  const opened = await openInlet({ ...app, metrics: new Metrics(), config: { ...app.config, inlet: settings } });
  if (!opened) throw new Error('The inlet is off');
  return opened;
}

beforeAll(async () => {
  writeFileSync(certificate, pem);
  inlet = await open();
  service = await aService(harness, { permissions: ['email', 'smtp'] });
  key = await anApiKey(harness, service, { send_over_smtp: true });
});

afterAll(async () => {
  await inlet?.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Sending {
  port?: number;
  password?: string;
  implicitTls?: boolean;
}

interface Client {
  name: string;
  recipient: string;
  /** Debian's package, where it is one. */
  needs?: string;
  install?(): Promise<void>;
  /** Rejects if the program says that it failed. */
  send(options: Sending): Promise<void>;
}

async function run(program: string, words: string[], { input = '', env = {} } = {}): Promise<void> {
  const running = execute(program, words, { env: { ...process.env, PATH: programPath, ...env } });
  running.child.stdin?.end(input);
  await running;
}

const environment = ({ port = inlet.port, password = key }: Sending) => ({
  ...{ PORT: String(port), API_KEY: password, CERTIFICATE: certificate, SUBJECT: subject, TEXT: text },
});

const encodedSubject = `=?utf-8?B?${Buffer.from(subject).toString('base64')}?=`;
const source = [
  'From: software@example.org',
  `Subject: ${encodedSubject}`,
  'MIME-Version: 1.0',
  'Content-Type: text/plain; charset=utf-8',
  'Content-Transfer-Encoding: 8bit',
  '',
  text,
  '',
].join('\n');

const java = languages.find(({ name }) => name === 'Java');

const clients: Client[] = [
  {
    name: 'swaks',
    needs: 'swaks',
    recipient: 'swaks@example.org',
    async send({ port = inlet.port, password = key, implicitTls = false }) {
      const server = ['--server', '127.0.0.1', '--port', String(port), implicitTls ? '--tls-on-connect' : '--tls'];
      const login = ['--auth', 'LOGIN', '--auth-user', 'pennypost', '--auth-password', password];
      const envelope = ['--from', 'software@example.org', '--to', this.recipient];
      await run('swaks', [...server, ...login, ...envelope, '--data', '-'], { input: source });
    },
  },
  {
    name: 'msmtp',
    needs: 'msmtp',
    recipient: 'msmtp@example.org',
    async send({ port = inlet.port, password = key, implicitTls = false }) {
      const { fingerprint256 } = new X509Certificate(pem);
      const settings = [
        ...['account default', 'host 127.0.0.1', `port ${port}`, 'from software@example.org', 'auth plain'],
        ...['user pennypost', `password ${password}`, 'tls on', `tls_starttls ${implicitTls ? 'off' : 'on'}`],
        `tls_fingerprint ${fingerprint256}`,
      ];
      const file = join(folder, 'msmtprc');
      writeFileSync(file, `${settings.join('\n')}\n`, { mode: 0o600 });
      await run('msmtp', ['-C', file, this.recipient], { input: source });
    },
  },
  {
    name: "Python's smtplib",
    needs: 'python3',
    recipient: 'python@example.org',
    send: (options) => run('python3', [join(import.meta.dirname, 'mail.py')], { env: environment(options) }),
  },
  {
    name: 'Jakarta Mail',
    needs: 'maven',
    recipient: 'java@example.org',
    install: async () => java?.install(folder),
    async send(options) {
      const program = join(import.meta.dirname, 'Mail.java');
      await run('java', ['-Dfile.encoding=UTF-8', '-cp', join(folder, 'java/lib/*'), program], {
        env: { ...environment(options), LC_ALL: 'C.UTF-8' },
      });
    },
  },
];

const programs: Record<string, string> = { maven: 'mvn' };

function need(name: string): void {
  if (isInstalled(programs[name] ?? name)) return;
  throw new Error(`These tests need ${name} (Debian: apt install ${name})`);
}

const messagesTo = (recipient: string) =>
  harness.app.db
    .selectFrom('notifications')
    .select('id')
    .where('service_id', '=', service)
    .where('recipient', '=', recipient)
    .execute();

async function expectStored(recipient: string, count: number): Promise<void> {
  const stored = await messagesTo(recipient);
  expect(stored).toHaveLength(count);
  for (const { id } of stored) {
    const { body } = await harness.v2('GET', `/v2/notifications/${id}`, key);
    expect({ subject: body.subject, body: body.body }).toEqual({ subject, body: text });
  }
}

describe.each(clients)('$name', (client) => {
  beforeAll(async () => {
    need(client.needs ?? client.name);
    await client.install?.();
  });

  it('hands an email over with STARTTLS and an API key, letter by letter', async () => {
    await client.send({});
    await expectStored(client.recipient, 1);
  });

  it('hears that its key is wrong', async () => {
    const other = await open();
    const before = await messagesTo(client.recipient);
    await expect(client.send({ port: other.port, password: `${key.slice(0, -4)}0000` })).rejects.toThrow(
      /535|[Aa]uthentication/,
    );
    await other.close();
    expect(await messagesTo(client.recipient)).toEqual(before);
  });
});

it('the command of the guide sends an email', async () => {
  need('swaks');
  const [, command = ''] = /```sh\n(swaks [^`]+)```/.exec(readFileSync('docs/guides/smtp-inlet.md', 'utf8')) ?? [];
  const here = command.replace('notify.example:587', `127.0.0.1:${inlet.port}`).replace('you@', 'guide@');
  await run('sh', ['-c', here], { env: { API_KEY: key } });
  expect(await messagesTo('guide@example.org')).toHaveLength(1);
});

it.each(clients.slice(0, 2))('$name speaks TLS from the first byte', async (client) => {
  need(client.name);
  const other = await open(0, true);
  const before = await messagesTo(client.recipient);
  await client.send({ port: other.port, implicitTls: true });
  await other.close();
  await expectStored(client.recipient, before.length + 1);
});

describe.skipIf(process.getuid?.() !== 0)('Postfix as a relay (runs only as root)', () => {
  let postfix: Postfix;
  const waiting = { timeout: 20_000, interval: 200 };

  beforeAll(async () => {
    need('postfix');
    postfix = await Postfix.start(inlet.port, key);
  });

  afterAll(() => postfix?.stop());

  it('hands an email over with STARTTLS and SASL, and keeps nothing', async () => {
    await postfix.send('software@example.org', 'relay@example.org', source);
    await vi.waitFor(() => expectStored('relay@example.org', 1), waiting);
    await vi.waitFor(async () => expect(await postfix.queue()).toEqual([]), waiting);
  });

  it('keeps an email while nobody listens, and hands it over once somebody does', async () => {
    const { port } = inlet;
    await inlet.close();
    await postfix.send('software@example.org', 'later@example.org', source);
    await vi.waitFor(async () => {
      expect(await postfix.queue()).toMatchObject([{ delay_reason: expect.stringMatching(/refused/) }]);
    }, waiting);
    inlet = await open(port);
    await postfix.flush();
    await vi.waitFor(() => expectStored('later@example.org', 1), waiting);
  });

  it('tries again after the rate limit', async () => {
    await harness.admin('POST', `/service/${service}`, { rate_limit: 0 });
    harness.app.changeListener.reset();
    await postfix.send('software@example.org', 'limited@example.org', source);
    await vi.waitFor(async () => {
      expect(await postfix.queue()).toMatchObject([{ delay_reason: expect.stringMatching(/4\.7\.1/) }]);
    }, waiting);
    expect(await messagesTo('limited@example.org')).toEqual([]);
    await harness.admin('POST', `/service/${service}`, { rate_limit: 3_000 });
    harness.app.changeListener.reset();
    await postfix.flush();
    await vi.waitFor(() => expectStored('limited@example.org', 1), waiting);
  });
});
