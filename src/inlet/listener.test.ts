import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anApiKey, aService } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { cloneDatabase } from '../../test/kit/process/database.ts';
import { DatabaseProxy } from '../../test/kit/process/database-proxy.ts';
import { SmtpClient } from '../../test/kit/vendors/smtp-client.ts';
import { startTraceCollector } from '../../test/kit/vendors/trace-collector.ts';
import { type Inlet, openInlet } from './inlet.ts';

let proxy: DatabaseProxy;
let inlet: Inlet;
let service: string;
let key: string;
const clients: SmtpClient[] = [];
const collector = await startTraceCollector();
const harness = useHarness({
  config: {
    inlet: { listen: { host: '127.0.0.1', port: 0 }, plainLoopback: true },
    tracing: { endpoint: collector.endpoint },
  },
  async database() {
    const clone = await cloneDatabase();
    proxy = await DatabaseProxy.start(clone.url);
    const drop = async () => {
      await proxy.close();
      await clone.drop();
    };
    return { ...clone, url: proxy.url, drop };
  },
});

beforeAll(async () => {
  const opened = await openInlet(harness.app);
  if (!opened) throw new Error('The inlet is off');
  inlet = opened;
  service = await aService(harness, { permissions: ['email', 'smtp'] });
  key = await anApiKey(harness, service, { send_over_smtp: true });
});

afterAll(async () => {
  for (const client of clients) client.close();
  collector.stop();
  await inlet?.close();
});

async function connected(): Promise<SmtpClient> {
  const client = await SmtpClient.open(inlet.port);
  clients.push(client);
  return client;
}

async function signedIn(): Promise<SmtpClient> {
  const client = await SmtpClient.signedIn(inlet.port, key);
  clients.push(client);
  return client;
}

const mail = ['From: alarm@example.org', 'Subject: Door', '', 'The door is open'].join('\r\n');

/** Says each command if the one before was taken, and returns the reply to the last. */
async function lastReply(client: SmtpClient): Promise<string> {
  let answer = '';
  for (const command of ['RSET', 'MAIL FROM:<a@example.org>', 'RCPT TO:<ada@example.org>', 'DATA', `${mail}\r\n.`]) {
    answer = await client.say(command);
    if (!/^[23]/.test(answer)) break;
  }
  return answer;
}

describe('a database', () => {
  const outages: [string, () => void, () => void][] = [
    ['that is down', () => proxy.refuse(), () => proxy.accept()],
    ['that became a standby', () => becomeStandby(true), () => becomeStandby(false)],
  ];

  function becomeStandby(readOnly: boolean): void {
    proxy.readOnly = readOnly;
    proxy.refuse();
    proxy.accept();
  }

  it.each(outages)('%s: the software is asked to try again, and keeps its connection', async (_, begin, end) => {
    const client = await signedIn();
    const sent = () => harness.app.db.selectFrom('notifications').select('id').execute();
    const before = (await sent()).length;
    begin();
    expect(await lastReply(client)).toMatch(/^451 4\.3\.0 [\x20-\x7e]+$/);
    expect(await client.say('NOOP')).toMatch(/^250/);
    end();
    await expect.poll(() => lastReply(client)).toMatch(/^250 2\.0\.0 Queued as /);
    expect(await sent()).toHaveLength(before + 1);
    const refused = await harness.admin('GET', `/service/${service}/refused-requests`);
    expect(refused.body.refused_requests).toEqual([]);
  });

  it('that is down does not make a right key a wrong one', async () => {
    harness.app.changeListener.reset();
    proxy.refuse();
    const client = await connected();
    await client.say('EHLO test');
    expect(await client.login(key)).toMatch(/^451 4\.3\.0 /);
    proxy.accept();
    await expect.poll(() => client.login(key)).toMatch(/^235/);
    expect(await lastReply(client)).toMatch(/^250/);
  });
});

describe('commands', () => {
  it('of a browser end the connection', async () => {
    const browser = await connected();
    expect(await browser.say('POST / HTTP/1.1')).toMatch(/^421 /);
    expect(await browser.reply()).toBe('');
  });

  it.each([
    ['HELP', /^500 5\.5\.2 /],
    ['VRFY ada@example.org', /^500 5\.5\.2 /],
    ['XCLIENT ADDR=192.0.2.1', /^500 5\.5\.2 /],
    ['STARTTLS', /^500 5\.5\.2 /],
    ['AUTH CRAM-MD5', /^504 5\.5\.4 /],
    ['AUTH PLAIN', /^334$/],
    ['MAIL FROM:<a@example.org>', /^530 5\.7\.0 Authentication required$/],
    ['RCPT TO:<a@example.org>', /^530 5\.7\.0 Authentication required$/],
    ['DATA', /^530 5\.7\.0 Authentication required$/],
  ])('%s without signing in: %s', async (command, expected) => {
    const client = await connected();
    await client.say('EHLO test');
    expect(await client.say(command)).toMatch(expected);
  });

  it.each([
    ['RCPT TO:<a@example.org>', /^503 5\.5\.1 /],
    ['DATA', /^503 5\.5\.1 /],
    ['AUTH PLAIN eA==', /^503 5\.5\.1 /],
    ['MAIL FROM:<a@example.org', /^501 5\.1\.7 /],
    ['MAIL FROM:<a@example.org> SIZE=x', /^501 /],
  ])('%s after signing in: %s, and the next email is taken', async (command, expected) => {
    const client = await signedIn();
    expect(await client.say(command)).toMatch(expected);
    expect(await lastReply(client)).toMatch(/^250/);
  });

  it('that do not exist end the connection of whoever has signed in, too, after ten', async () => {
    const client = await signedIn();
    const answers = [];
    for (let answer = await client.say('NONSENSE'); answer !== ''; answer = await client.say('NONSENSE'))
      answers.push(answer.slice(0, 3));
    expect(answers).toEqual([...Array(9).fill('500'), '421']);
  });
});

describe('a trace', () => {
  it('has each message of an email, and neither recipients nor text', async () => {
    const id = (await lastReply(await signedIn())).split(' ').at(-1);
    const found = () => collector.spans.find(({ facts }) => facts['pennypost.notification.id'] === id);
    await expect.poll(found, { timeout: 15_000 }).toBeDefined();
    const { traceId } = found() ?? {};
    const ofTrace = () => collector.spans.filter((span) => span.traceId === traceId && span.name === 'SMTP DATA');
    await expect.poll(ofTrace, { timeout: 15_000 }).toHaveLength(1);
    expect(ofTrace()[0]?.facts).toMatchObject({ 'smtp.response.status_code': 250 });
    expect(collector.requests.join()).not.toMatch(/ada@example|alarm@example|The door is open/);
  });
});

it('every reply with a code of our own is in the guide', () => {
  const guide = readFileSync('docs/guides/smtp-inlet.md', 'utf8');
  const sources = readdirSync('src/inlet').filter((name) => !name.includes('.test.'));
  const texts = sources.map((name) => readFileSync(`src/inlet/${name}`, 'utf8')).join('\n');
  const written = texts.matchAll(/Reply\((\d{3}|ourFault), ['`](\d\.\d+\.\d+) /g);
  const codes = new Set(
    [...written].map(([, code = '', enhanced]) => `${code === 'ourFault' ? 451 : code} ${enhanced}`),
  );
  expect(codes.size).toBeGreaterThan(10);
  expect([...codes].filter((code) => !guide.includes(code))).toEqual([]);
});
