import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { anApiKey, aService, aTemplate } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { cloneDatabase } from '../../test/kit/process/database.ts';
import { DatabaseProxy } from '../../test/kit/process/database-proxy.ts';
import { SmtpClient } from '../../test/kit/vendors/smtp-client.ts';
import { startTraceCollector } from '../../test/kit/vendors/trace-collector.ts';
import { metricOf } from '../../test/kit/world/metrics.ts';
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

afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});

afterAll(async () => {
  // Nor keys.
  expect(
    harness.logged.filter((line) => /@(?:example|münchen)|The door is open/.test(line) || line.includes(key)),
  ).toEqual([]);
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
    ['AUTH PLAIN =', /^501 5\.5\.4 /],
    ['AUTH LOGIN =', /^501 5\.5\.4 /],
    ['AUTH PLAIN !!!', /^501 5\.5\.4 /],
    ['AUTH __proto__ eA==', /^504 5\.5\.4 /],
    ['AUTH', /^504 5\.5\.4 /],
    [`AUTH PLAIN ${Buffer.from(`\0x\0${'x'.repeat(5_000)}`).toString('base64')}`, /^421 /],
    ['\0', /^500 5\.5\.2 /],
    ['MAIL FROM:<a@example.org>', /^530 5\.7\.0 Authentication required$/],
    ['RCPT TO:<a@example.org>', /^530 5\.7\.0 Authentication required$/],
    ['DATA', /^530 5\.7\.0 Authentication required$/],
  ])('%.30s without signing in: %s', async (command, expected) => {
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

describe('the extensions', () => {
  it('are those that are kept, under the name of the installation', async () => {
    const client = await connected();
    const [greeting = '', ...extensions] = (await client.say('EHLO test')).split('\r\n');
    expect(greeting).toMatch(/^250-localhost /);
    // No DSN, REQUIRETLS, CHUNKING or BINARYMIME.
    expect(extensions.map((line) => line.slice(4))).toEqual([
      ...['PIPELINING', '8BITMIME', 'SMTPUTF8', 'ENHANCEDSTATUSCODES', 'AUTH PLAIN LOGIN', 'SIZE 10485760'],
    ]);
    const signed = await signedIn();
    expect(await signed.say('BDAT 10 LAST')).toMatch(/^500 5\.5\.2 /);
    expect(await signed.say('MAIL FROM:<a@example.org> BODY=BINARYMIME')).toMatch(/^501 5\.5\.4 /);
    expect(await lastReply(signed)).toMatch(/^250/);
  });
});

describe('a sender', () => {
  it.each(['root@my_host.local', 'root@localhost', 'root', 'root.@host.', 'jürgen@exämple.org'])(
    '%s is taken: the email comes from the service',
    async (sender) => {
      const client = await signedIn();
      expect(await client.say(`MAIL FROM:<${sender}> SMTPUTF8 BODY=8BITMIME AUTH=<>`)).toMatch(/^250/);
      await client.sayAll('RCPT TO:<ada@example.org>', 'DATA');
      expect(await client.say(`${mail}\r\n.`)).toMatch(/^250/);
    },
  );
});

describe('a recipient', () => {
  it('is the same in other capitals, with a route, or twice', async () => {
    const client = await signedIn();
    await client.say('MAIL FROM:<a@example.org>');
    for (const written of ['<same@example.org>', '<@relay.example:same@example.org>', ' <Same@Example.ORG>'])
      expect(await client.say(`RCPT TO:${written}`)).toMatch(/^250/);
    await client.say('DATA');
    expect(await client.say(`${mail}\r\n.`)).toMatch(/^250/);
    const sent = harness.app.db.selectFrom('notifications').select('recipient');
    expect(await sent.where('normalised_recipient', '=', 'same@example.org').execute()).toHaveLength(1);
  });

  it.each(['postmaster', 'ada@[127.0.0.1]', '"a b"@example.org', `${'a'.repeat(320)}@example.org`, ''])(
    '<%s> is none',
    async (written) => {
      const client = await signedIn();
      await client.say('MAIL FROM:<a@example.org> SMTPUTF8');
      expect(await client.say(`RCPT TO:<${written}>`)).toMatch(/^501 5\.1\.3 /);
      expect(await client.say('RCPT TO:<ada@münchen.example>')).toMatch(/^250/);
    },
  );

  it.each([
    ['büro@example.org', 'with SMTPUTF8', ' SMTPUTF8'],
    ['büro@example.org', 'without SMTPUTF8', ''],
    ['用户@münchen.example', 'with SMTPUTF8', ' SMTPUTF8'],
  ])('<%s> %s is refused as in the API: only the domain can have other letters', async (written, _, parameter) => {
    const client = await signedIn();
    await client.say(`MAIL FROM:<a@example.org>${parameter}`);
    expect(await client.say(`RCPT TO:<${written}>`)).toBe(
      '553 5.6.7 Only ASCII characters are accepted before the @ of an address',
    );
    expect(await lastReply(client)).toMatch(/^250/);
    const template_id = await aTemplate(harness, service, { template_type: 'email', subject: 's', content: 'c' });
    const sent = await harness.v2('POST', '/v2/notifications/email', key, { email_address: written, template_id });
    expect(sent.body.errors).toEqual([
      { error: 'ValidationError', message: 'email_address Not a valid email address' },
    ]);
  });

  it.each(['ada@xn--mnchen-3ya.example', 'ada@xn--a.example', 'Ada@MÜNCHEN.example'])(
    '<%s> is stored as it is written, as in the API',
    async (written) => {
      const client = await signedIn();
      await client.sayAll('MAIL FROM:<a@example.org> SMTPUTF8', `RCPT TO:<${written}>`, 'DATA');
      const id = (await client.say(`${mail}\r\n.`)).split(' ').at(-1);
      expect((await harness.v2('GET', `/v2/notifications/${id}`, key)).body.email_address).toBe(written);
    },
  );

  it('beyond 50 costs nothing, however many follow', async () => {
    const client = await signedIn();
    await client.say('MAIL FROM:<a@example.org>');
    const recipients = Array.from({ length: 10_000 }, (_, number) => `RCPT TO:<many${number}@example.org>\r\n`);
    client.write(recipients.join(''));
    const codes = new Map<string, number>();
    for (const _ of recipients) {
      const code = (await client.reply()).slice(0, 9);
      codes.set(code, (codes.get(code) ?? 0) + 1);
    }
    expect([...codes]).toEqual([
      ['250 2.1.5', 50],
      ['452 4.5.3', 9_950],
    ]);
    await client.say('DATA');
    expect(await client.say(`${mail}\r\n.`)).toMatch(/^250/);
  });
});

describe('pipelining', () => {
  const login = () => `AUTH PLAIN ${Buffer.from(`\0x\0${key}`).toString('base64')}`;
  const email = (recipient: string) => ['MAIL FROM:<a@example.org>', `RCPT TO:<${recipient}>`, 'DATA', `${mail}\r\n.`];
  const repliesTo = async (client: SmtpClient, commands: string[]) => {
    client.write(`${commands.join('\r\n')}\r\n`);
    const codes = [];
    for (const _ of commands) codes.push((await client.reply()).slice(0, 3));
    return codes;
  };

  it('of a whole conversation in one packet: two emails, and nothing after QUIT', async () => {
    const client = await connected();
    const commands = [
      'EHLO x',
      login(),
      ...email('one@example.org'),
      'RSET',
      ...email('two@example.org'),
      'QUIT',
      'NOOP',
    ];
    const [greeting, signed, ...others] = await repliesTo(client, commands);
    expect([greeting, signed]).toEqual(['250', '235']);
    const taken = ['250', '250', '354', '250'];
    expect(others).toEqual([...taken, '250', ...taken, '221', '']);
  });

  it('of commands for one who has not signed in: none is obeyed', async () => {
    const client = await connected();
    const wrong = `AUTH PLAIN ${Buffer.from('\0x\0wrong').toString('base64')}`;
    const codes = await repliesTo(client, ['EHLO x', wrong, ...email('three@example.org').slice(0, 3)]);
    expect(codes).toEqual(['250', '535', '530', '530', '530']);
  });

  it('of a second MAIL, of AUTH and EHLO within an email: only those that begin anew are obeyed', async () => {
    const client = await signedIn();
    const begin = 'MAIL FROM:<a@example.org>';
    const codes = await repliesTo(client, [
      begin,
      begin,
      login(),
      'EHLO x',
      'RCPT TO:<a@example.org>',
      begin,
      'RSET',
      'DATA',
    ]);
    expect(codes).toEqual(['250', '503', '503', '250', '503', '250', '250', '503']);
    expect(await lastReply(client)).toMatch(/^250/);
  });
});

describe('an email', () => {
  it('has its dots as they were, also byte by byte', async () => {
    const client = await signedIn();
    await client.sayAll('MAIL FROM:<a@example.org>', 'RCPT TO:<ada@example.org>', 'DATA');
    for (const byte of Buffer.from('Subject: x\r\n\r\n..\r\n...\r\n..a\r\n.b\r\nx.\r\n..\r\n.\r\n')) {
      client.write(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    const id = (await client.reply()).split(' ').at(-1);
    expect((await harness.v2('GET', `/v2/notifications/${id}`, key)).body.body).toBe('.\n..\n.a\n.b\nx.\n.');
  });

  it('can be longer than its SIZE', async () => {
    const client = await signedIn();
    expect(await client.say('MAIL FROM:<a@example.org> SIZE=1')).toMatch(/^250/);
    await client.sayAll('RCPT TO:<ada@example.org>', 'DATA');
    expect(await client.say(`${mail}\r\n.`)).toMatch(/^250/);
  });

  it('is not stored if the connection ends in any phase before its last dot', async () => {
    const sessions = async () => (await metricOf(harness, 'smtp_inlet_sessions')).match(/ \d+$/gm);
    const recipient = 'phases@example.org';
    const phases = ['MAIL FROM:<a@example.org>', `RCPT TO:<${recipient}>`, 'DATA', `${mail}\r\n`, '.\r'];
    for (const [count, phase] of phases.entries()) {
      const client = await signedIn();
      await client.sayAll(...phases.slice(0, Math.min(count, 3)));
      if (count > 3) client.write(mail);
      client.write(phase.slice(0, Math.max(1, phase.length - 1)));
      client.close();
    }
    await expect.poll(sessions, { timeout: 10_000 }).toEqual([' 0', ' 0', ' 0']);
    const sent = harness.app.db.selectFrom('notifications').select('id').where('recipient', '=', recipient);
    expect(await sent.execute()).toEqual([]);
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
  const written = texts.matchAll(/Reply\((\d{3}|localError), ['`](\d\.\d+\.\d+) /g);
  const codes = new Set(
    [...written].map(([, code = '', enhanced]) => `${code === 'localError' ? 451 : code} ${enhanced}`),
  );
  expect(codes.size).toBeGreaterThan(10);
  expect([...codes].filter((code) => !guide.includes(code))).toEqual([]);
});
