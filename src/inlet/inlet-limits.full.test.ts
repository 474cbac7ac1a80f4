import { afterAll, describe, expect, it } from 'vitest';
import { anApiKey, aService } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { SmtpClient } from '../../test/kit/vendors/smtp-client.ts';
import { Metrics } from '../platform/metrics.ts';
import { type InletTimes, openInlet } from './inlet.ts';

const listen = { host: '127.0.0.1', port: 0 };
const harness = useHarness({ config: { inlet: { listen, plainLoopback: true } } });
const clients: SmtpClient[] = [];
const closing: (() => Promise<void>)[] = [];

afterAll(async () => {
  for (const client of clients) client.close();
  await Promise.all(closing.map((close) => close()));
});

/** Returns its port and its metrics. */
async function anInlet(settings: { clients?: number } = {}, times: Partial<InletTimes> = {}) {
  const { app } = harness;
  const metrics = new Metrics();
  const config = { ...app.config, inlet: { ...app.config.inlet, ...settings } };
  const inlet = await openInlet({ ...app, metrics, config }, times);
  if (!inlet) throw new Error('The inlet is off');
  closing.push(() => inlet.close());
  return { port: inlet.port, read: (name: string) => metrics.registry.getSingleMetricAsString(name) };
}

async function aKey(fields: Parameters<typeof aService>[1] = {}, key: Parameters<typeof anApiKey>[2] = {}) {
  const service = await aService(harness, { permissions: ['email', 'smtp'], ...fields });
  return anApiKey(harness, service, { send_over_smtp: true, ...key });
}

async function connected(port: number): Promise<SmtpClient> {
  const client = await SmtpClient.open(port);
  clients.push(client);
  await client.say('EHLO test');
  return client;
}

async function signedIn(port: number, key: string): Promise<SmtpClient> {
  const client = await connected(port);
  expect(await client.login(key)).toMatch(/^235/);
  return client;
}

const mail = (text = 'The door is open', ...headers: string[]) =>
  ['From: alarm@example.org', 'Subject: Door', ...headers, '', text].join('\r\n');
const lines = (characters: number) => `${'x'.repeat(98)}\r\n`.repeat(characters / 100);
const to = 'ada@example.org';
/** Refused once it has been read. */
const loop = (text?: string) => mail(text, ...Array<string>(26).fill('Received: from a by b'));
const overTheLimit = /^450 4\.7\.1 Exceeded rate limit for key type LIVE of \d+ requests per 60 seconds$/;

/** How many of the next emails are taken before the rate limit is used up. */
async function countTaken(client: SmtpClient): Promise<number> {
  for (let count = 0; ; count += 1) {
    const answer = await client.send(mail(), to);
    if (overTheLimit.test(answer)) return count;
    expect(answer).toMatch(/^250/);
  }
}

describe('the rate limit', () => {
  it('counts an email for each recipient, and for each 50,000 characters of its text as the API does', async () => {
    const { port } = await anInlet();
    const client = await signedIn(port, await aKey({ rate_limit: 20 }));
    expect(await client.send(mail(), to, 'bob@example.org', 'cyd@example.org')).toMatch(/^250/);
    // Three times 50,000 characters for each of two recipients.
    expect(await client.send(mail(lines(120_000)), to, 'bob@example.org')).toMatch(/^250/);
    expect(await countTaken(client)).toBe(20 - 3 - 6);
  });

  it('refuses at MAIL, before anything of the email is read, and counts nothing of it', async () => {
    const { port } = await anInlet();
    const client = await signedIn(port, await aKey({ rate_limit: 1 }));
    expect(await client.send(mail(), to)).toMatch(/^250/);
    expect(await client.say('MAIL FROM:<a@example.org>')).toMatch(overTheLimit);
    harness.clock.advance({ seconds: 61 });
    expect(await client.send(mail(), to)).toMatch(/^250/);
  });

  it.each([
    ['after it has been read', loop(), 1],
    ['after megabytes of it have been read', loop(lines(2_500_000)), 3],
  ])('counts an email that is refused %s', async (_, source, requests) => {
    const { port } = await anInlet();
    const client = await signedIn(port, await aKey({ rate_limit: 8 }));
    expect(await client.send(source, to)).toBe('554 5.4.6 Loop');
    expect(await countTaken(client)).toBe(8 - requests);
  });

  it('counts emails that are too large, without text, or for no allowed recipient', async () => {
    const { port } = await anInlet();
    const client = await signedIn(port, await aKey({ rate_limit: 5, restricted: true }));
    expect(await client.say('MAIL FROM:<a@example.org> SIZE=99999999')).toMatch(/^552 5\.3\.4/);
    expect(await client.say('MAIL FROM:<>')).toMatch(/^550 5\.7\.1/);
    for (let count = 0; count < 3; count += 1) {
      expect(await client.send(mail(), to)).toMatch(/^550 5\.7\.1 Not in your team/);
      expect(await client.say('RSET')).toMatch(/^250/);
    }
    expect(await client.send(mail(), to)).toMatch(overTheLimit);
  });

  it('counts megabytes of an email that never ends', async () => {
    const { port } = await anInlet({}, { message_ms: 3_000 });
    const key = await aKey({ rate_limit: 8 });
    const client = await signedIn(port, key);
    await client.sayAll('MAIL FROM:<a@example.org>', `RCPT TO:<${to}>`, 'DATA');
    client.write(lines(2_500_000));
    expect(await client.reply()).toBe('421 4.4.2 The email took too long');
    expect(await countTaken(await signedIn(port, key))).toBe(5);
  });
});

describe('a connection', () => {
  it('ends after ten refused emails within a minute', async () => {
    const { port } = await anInlet();
    const client = await signedIn(port, await aKey());
    const answers = [];
    for (let count = 0; count < 11; count += 1) answers.push(await client.send(loop(), to));
    expect(answers).toEqual([...Array(10).fill('554 5.4.6 Loop'), '421 4.7.0 Too many refused emails']);
    expect(await client.reply()).toBe('');
  });

  it('is refused beyond a quarter of all for each service, and two for a test key', async () => {
    const { port } = await anInlet({ clients: 16 });
    const service = await aService(harness, { permissions: ['email', 'smtp'] });
    const keyOf = (key_type: 'normal' | 'test') => anApiKey(harness, service, { send_over_smtp: true, key_type });
    const [live, test, otherTest] = [await keyOf('normal'), await keyOf('test'), await keyOf('test')];
    const first = await signedIn(port, test);
    await signedIn(port, test);
    const third = await connected(port);
    expect(await third.login(test)).toBe('421 4.7.0 A test key can have at most 2 connections');
    expect(await third.reply()).toBe('');
    await signedIn(port, otherTest);
    await signedIn(port, live);
    expect(await (await connected(port)).login(live)).toBe('421 4.7.0 Too many connections of this service');
    // Another service is not affected, and the place of one that ended is free.
    await signedIn(port, await aKey());
    await first.say('QUIT');
    await signedIn(port, live);
  });

  it('counts for its service when many sign in at once', async () => {
    const { port } = await anInlet({ clients: 16 });
    const key = await aKey();
    for (let count = 0; count < 2; count += 1) await signedIn(port, key);
    const waiting = [];
    for (let count = 0; count < 4; count += 1) waiting.push(await connected(port));
    const answers = await Promise.all(waiting.map((client) => client.login(key)));
    expect(answers.map((answer) => answer.slice(0, 3)).sort()).toEqual(['235', '235', '421', '421']);
  });

  it('without an email for a minute ends once more than three quarters are taken, whatever else it says', async () => {
    const { port } = await anInlet({ clients: 8 }, { idle_ms: 2_000 });
    const keys = [await aKey(), await aKey(), await aKey(), await aKey()];
    const two = async (key = '') => [await signedIn(port, key), await signedIn(port, key)];
    const idle = [...(await two(keys[0])), ...(await two(keys[1]))];
    const sending = await two(keys[2]);
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    for (const client of [...idle, ...sending]) expect(await client.say('NOOP')).toMatch(/^250/);
    for (const client of sending) await client.sayAll('MAIL FROM:<a@example.org>', `RCPT TO:<${to}>`, 'DATA');
    const last = await signedIn(port, keys[3] ?? '');
    for (const client of idle) expect(await saysUntilEnd(client)).toMatch(/^421 4\.4\.2 Idle for too long/);
    for (const client of sending) expect(await client.say(`${mail()}\r\n.`)).toMatch(/^250 2\.0\.0 Queued/);
    expect(await last.send(mail(), to)).toMatch(/^250/);
  });

  async function saysUntilEnd(client: SmtpClient): Promise<string> {
    for (let answer = await client.say('NOOP'); ; answer = await client.say('NOOP'))
      if (!answer.startsWith('250')) return answer;
  }

  it('of an address with a quarter of all is refused, unless the others sign in', async () => {
    const { port } = await anInlet({ clients: 8 });
    const key = await aKey();
    const first = await connected(port);
    await connected(port);
    const third = await SmtpClient.open(port);
    expect(await third.say('EHLO test')).toBe('');
    expect(await first.login(key)).toMatch(/^235/);
    expect(await (await connected(port)).say('NOOP')).toMatch(/^250/);
  });

  it('is counted by its state', async () => {
    const { port, read } = await anInlet({ clients: 12 });
    await connected(port);
    await signedIn(port, await aKey());
    const sending = await signedIn(port, await aKey());
    await sending.sayAll('MAIL FROM:<a@example.org>', `RCPT TO:<${to}>`, 'DATA');
    const sessions = await read('smtp_inlet_sessions');
    expect([...sessions.matchAll(/state="(\w+)"\} (\d+)/g)].map(([, state, count]) => [state, count])).toEqual([
      ['unauthenticated', '1'],
      ['idle', '1'],
      ['sending', '1'],
    ]);
    expect(await read('smtp_inlet_max_sessions')).toMatch(/ 12$/m);
  });
});

describe('wrong keys of an address', () => {
  const tooMany = '421 4.7.0 Too many wrong API keys, try again later';

  async function guess(port: number): Promise<void> {
    for (let count = 0; count < 7; count += 1) {
      const client = await connected(port);
      expect(await client.login('wrong')).toBe(count < 5 ? '535 5.7.8 Wrong API key' : tooMany);
      client.close();
    }
  }

  it('do not stop a key that worked there within a day', async () => {
    const { port } = await anInlet();
    const [known, unknown] = [await aKey(), await aKey()];
    await signedIn(port, known);
    await guess(port);
    await signedIn(port, known);
    expect(await (await connected(port)).login(unknown)).toBe(tooMany);
    harness.clock.advance({ hours: 25 });
    expect(await (await connected(port)).login(known)).toBe(tooMany);
  });

  it('stop a key that worked there and has been revoked since, after it was refused once', async () => {
    const { port } = await anInlet();
    const service = await aService(harness, { permissions: ['email', 'smtp'] });
    const key = await anApiKey(harness, service, { send_over_smtp: true, name: 'short' });
    await signedIn(port, key);
    const { apiKeys } = (await harness.admin('GET', `/service/${service}/api-keys`)).body;
    await harness.admin('POST', `/service/${service}/api-key/revoke/${apiKeys[0].id}`);
    harness.app.changeListener.reset();
    await guess(port);
    expect(await (await connected(port)).login(key)).toBe('535 5.7.8 Wrong API key');
    expect(await (await connected(port)).login(key)).toBe(tooMany);
  });
});
