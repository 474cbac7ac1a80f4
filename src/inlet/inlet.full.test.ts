import { connect } from 'node:net';
import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { anApiKey, aReplyTo, aService, aTemplate } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { aCertificate } from '../../test/kit/vendors/certificate.ts';
import { SmtpClient } from '../../test/kit/vendors/smtp-client.ts';
import { metricOf } from '../../test/kit/world/metrics.ts';
import { timestamp } from '../platform/clock.ts';
import { BodyMemory } from '../platform/http/body/body-memory.ts';
import { newId } from '../platform/id.ts';
import { Metrics } from '../platform/metrics.ts';
import { type Inlet, type InletTimes, openInlet } from './inlet.ts';

const year_ms = 31_536_000_000;
const { pem, privateKey } = aCertificate(
  { from: new Date(Date.now() - year_ms), until: new Date(Date.now() + year_ms) },
  'inlet.example',
);
const tls = { certificate: pem, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
const listen = { host: '127.0.0.1', port: 0 };
const harness = useHarness({ config: { inlet: { listen, ...tls, plainLoopback: true } } });

let inlet: Inlet;
let service: string;
let key: string;
const open: Inlet[] = [];
const clients: SmtpClient[] = [];

const smtpKey = (of: string, fields: Parameters<typeof anApiKey>[2] = {}) =>
  anApiKey(harness, of, { send_over_smtp: true, ...fields });

async function anInlet(
  changes: Partial<typeof harness.app.config.inlet> = {},
  times?: Partial<InletTimes>,
): Promise<Inlet> {
  const { app } = harness;
  const config = { ...app.config, inlet: { ...app.config.inlet, ...changes } };
  const opened = await openInlet({ ...app, metrics: new Metrics(), config }, times);
  if (!opened) throw new Error('The inlet is off');
  open.push(opened);
  return opened;
}

const aMailService = (fields: Parameters<typeof aService>[1] = {}) =>
  aService(harness, { permissions: ['email', 'smtp'], ...fields });

beforeAll(async () => {
  const opened = await openInlet(harness.app);
  if (!opened) throw new Error('The inlet is off');
  inlet = opened;
  open.push(inlet);
  service = await aMailService();
  key = await smtpKey(service);
});

afterAll(async () => {
  for (const client of clients) client.close();
  await Promise.all(open.map((each) => each.close()));
});

async function signedIn(apiKey = key): Promise<SmtpClient> {
  const client = await SmtpClient.signedIn(inlet.port, apiKey);
  clients.push(client);
  return client;
}

async function connected(port = inlet.port): Promise<SmtpClient> {
  const client = await SmtpClient.open(port);
  clients.push(client);
  return client;
}

function mail(fields: { headers?: string[]; body?: string } = {}): string {
  const { headers = [], body = 'The door is open' } = fields;
  return ['From: Alarm <alarm@example.org>', 'Subject: Door', ...headers, '', body].join('\r\n');
}

const messagesOf = (of: string) =>
  harness.app.db.selectFrom('notifications').selectAll().where('service_id', '=', of).orderBy('id').execute();

const idIn = (answer: string) => /Queued as (\S+)$/.exec(answer)?.[1] ?? answer;

describe('an email over SMTP', () => {
  it('becomes a message that is sent from the service, and can be read with its key', async () => {
    const client = await signedIn();
    const answer = await client.send(mail({ headers: ['X-Pennypost-Reference: ticket 7'] }), 'Ada@example.org');
    expect(answer).toMatch(/^250 2\.0\.0 Queued as /);
    const id = idIn(answer);
    const read = await harness.v2('GET', `/v2/notifications/${id}`, key);
    expect(read.body).toMatchObject({
      reference: 'ticket 7',
      email_address: 'Ada@example.org',
      type: 'email',
      subject: 'Door',
      body: 'The door is open',
    });
    await harness.deliver();
    expect((await harness.v2('GET', `/v2/notifications/${id}`, key)).body.status).toMatch(/sending|delivered/);
  });

  it('has a reference of at most 1,000 characters, and no half of one', async () => {
    const client = await signedIn();
    const headers = [`X-Pennypost-Reference: ${'a'.repeat(999)}🔔`];
    const id = idIn(await client.send(mail({ headers }), 'ada@example.org'));
    expect((await harness.v2('GET', `/v2/notifications/${id}`, key)).body.reference).toBe('a'.repeat(999));
  });

  it('hides its text from the administration: it may contain links that sign in', async () => {
    const of = await aMailService();
    const client = await signedIn(await smtpKey(of));
    await client.send(mail({ body: 'Reset: https://login.example/?token=secret' }), 'ada@example.org');
    const list = await harness.admin('GET', `/service/${of}/notifications`);
    expect(list.body.notifications).toHaveLength(1);
    expect(list.text).not.toContain('secret');
  });

  it('becomes one message for each recipient, all or none', async () => {
    const of = await aMailService({ email_message_limit: 51 });
    const client = await signedIn(await smtpKey(of));
    const fifty = Array.from({ length: 50 }, (_, index) => `person${index}@example.org`);
    expect(await client.send(mail(), ...fifty)).toMatch(/^250/);
    expect((await messagesOf(of)).map(({ recipient }) => recipient).sort()).toEqual([...fifty].sort());
    // One is left of the daily limit.
    expect(await client.send(mail(), 'a@example.org', 'b@example.org')).toBe(
      '452 4.7.1 Exceeded send limits (daily: 51) for today',
    );
    expect(await messagesOf(of)).toHaveLength(50);
    expect(await client.send(mail(), 'a@example.org')).toMatch(/^250/);
  });

  it('is stored once, however often it is sent again with its Message-ID', async () => {
    const of = await aMailService({ rate_limit: 4 });
    const apiKey = await smtpKey(of);
    const client = await signedIn(apiKey);
    const again = mail({ headers: ['Message-ID: <one@software.example>'] });
    const first = await client.send(again, 'ada@example.org', 'bob@example.org');
    expect(await client.send(again, 'ada@example.org', 'bob@example.org')).toBe(first);
    const third = await client.send(again, 'ada@example.org', 'cyd@example.org');
    expect(third).toBe(first);
    expect((await messagesOf(of)).map(({ recipient }) => recipient).sort()).toEqual([
      'ada@example.org',
      'bob@example.org',
      'cyd@example.org',
    ]);
    const others = await Promise.all(Array.from({ length: 10 }, () => signedIn(apiKey)));
    harness.clock.advance({ hours: 25 });
    await harness.admin('POST', `/service/${of}`, { rate_limit: 100 });
    harness.app.changeListener.reset();
    // In either order, so that no two wait for each other.
    const pair = ['ada@example.org', 'bob@example.org'];
    const late = await Promise.all(
      others.map((each, index) => each.send(again, ...(index % 2 === 0 ? pair : pair.toReversed()))),
    );
    expect(late.filter((answer) => !answer.startsWith('250'))).toEqual([]);
    expect(new Set(late).size).toBe(2);
    expect(late[0]).not.toBe(first);
    expect(await messagesOf(of)).toHaveLength(5);
  });

  it('does not wait for the sending times of its service: it may contain a link that signs in', async () => {
    const of = await aMailService();
    const isMorning = harness.clock.now().getUTCHours() < 12;
    const [from_time, until_time] = isMorning ? ['20:00', '21:00'] : ['05:00', '06:00'];
    const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
    const window = { name: 'Later', days, from_time, until_time };
    const created = await harness.admin('POST', `/service/${of}/send-window`, window);
    const times = { sms_window_id: null, email_window_id: created.body.data.id, time_zone: null };
    expect((await harness.admin('POST', `/service/${of}/sending-times`, times)).status).toBe(204);
    harness.app.changeListener.reset();
    const apiKey = await smtpKey(of);
    const template_id = await aTemplate(harness, of, { template_type: 'email', subject: 'Door', content: 'Open' });
    const request = { template_id, email_address: 'ada@example.org' };
    const other = await harness.v2('POST', '/v2/notifications/email', apiKey, request);
    expect(other.body).toHaveProperty('held_until');
    const id = idIn(await (await signedIn(apiKey)).send(mail(), 'ada@example.org'));
    await harness.deliver();
    expect((await harness.v2('GET', `/v2/notifications/${id}`, apiKey)).body.status).toMatch(/sending|delivered/);
    expect((await harness.v2('GET', `/v2/notifications/${other.body.id}`, apiKey)).body.status).toBe('created');
  });

  it('waits for them with a template that it names, and is refused for now while they are closed for long', async () => {
    const of = await aMailService();
    const apiKey = await smtpKey(of);
    await aTemplate(harness, of, {
      template_type: 'email',
      name: 'Report',
      subject: '((subject))',
      content: '((body))',
    });
    const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
    const inDays = (later: number) => days[(harness.clock.now().getUTCDay() + later) % 7];
    const send = async (day: string | undefined) => {
      const window = { name: day, days: [day], from_time: '05:00', until_time: '06:00' };
      const created = await harness.admin('POST', `/service/${of}/send-window`, window);
      const times = { sms_window_id: null, email_window_id: created.body.data.id, time_zone: null };
      await harness.admin('POST', `/service/${of}/sending-times`, times);
      harness.app.changeListener.reset();
      return (await signedIn(apiKey)).send(mail({ headers: ['X-Pennypost-Template: Report'] }), 'ada@example.org');
    };
    const read = await harness.v2('GET', `/v2/notifications/${idIn(await send(inDays(2)))}`, apiKey);
    expect(read.body).toMatchObject({ status: 'created', held_until: expect.stringContaining('T05:') });
    expect(await send(inDays(5))).toMatch(/^450 4\.7\.1 Your sending times are closed until /);
    expect(await messagesOf(of)).toHaveLength(1);
  });

  it('is only a test with a test key, and needs nothing of the guard', async () => {
    const of = await aMailService();
    const at = timestamp(harness.clock.now());
    const paused = { state: 'paused', because: 'bounces', rate: '12.4', since: at, judged_at: at } as const;
    await harness.app.db
      .insertInto('service_guard')
      .values({ service_id: of, ...paused })
      .execute();
    for (const key_type of ['test', 'normal'] as const) {
      const client = await signedIn(await smtpKey(of, { key_type }));
      expect(await client.send(mail(), 'ada@example.org')).toMatch(/^250/);
    }
    await harness.deliver();
    expect(await messagesOf(of)).toMatchObject([{ key_type: 'test' }, { key_type: 'normal' }]);
  });

  it('has a subject of at most 255 characters, which can be missing', async () => {
    const client = await signedIn();
    const subjectOf = async (source: string) => {
      const id = idIn(await client.send(source, 'ada@example.org'));
      return (await harness.v2('GET', `/v2/notifications/${id}`, key)).body.subject;
    };
    expect(await subjectOf(`Subject: ${'🔔'.repeat(256)}\r\n\r\nText`)).toBe(`${'🔔'.repeat(254)}…`);
    expect(await subjectOf(`Subject: ${'ü'.repeat(255)}\r\n\r\nText`)).toBe('ü'.repeat(255));
    expect(await subjectOf('Subject: =?utf-8?Q?one=0D=0ABcc:_a@example.org?=\r\n\r\nText')).toBe(
      'one Bcc: a@example.org',
    );
    expect(await subjectOf('From: a@example.org\r\n\r\nText')).toBe('');
  });

  it('without a Message-ID is another one each time', async () => {
    const client = await signedIn();
    const [one, two] = [await client.send(mail(), 'a@example.org'), await client.send(mail(), 'a@example.org')];
    expect(one).toMatch(/^250/);
    expect(two).not.toBe(one);
  });

  it('gets its subject and text from any encoding, and HTML becomes text with links', async () => {
    const client = await signedIn();
    const html = mail({
      headers: ['Content-Type: text/html; charset=utf-8', 'Content-Transfer-Encoding: base64'],
      body: Buffer.from(
        '<style>p{}</style><h1>Hello *you*</h1><p>Press <a href="https://a.example/x?a=1&amp;b=2">this (link)</a>.<ul><li>One<li>Two</ul>',
      ).toString('base64'),
    }).replace('Subject: Door', `Subject: =?utf-8?B?${Buffer.from('Tür ist öffen').toString('base64')}?=`);
    const read = await harness.v2('GET', `/v2/notifications/${idIn(await client.send(html, 'ada@example.org'))}`, key);
    expect(read.body.subject).toBe('Tür ist öffen');
    expect(read.body.body).toBe(
      '# Hello \\*you\\*\n\nPress [this (link)](https://a.example/x?a=1&b=2).\n\n* One\n* Two',
    );
  });

  it('prints what looks like Markdown in a text, and keeps its URLs', async () => {
    const client = await signedIn();
    const body = '#42 is [late](https://evil.example)\r\nhttps://a.example/a_b*c\r\n.\\x';
    const read = await harness.v2(
      'GET',
      `/v2/notifications/${idIn(await client.send(mail({ body }), 'ada@example.org'))}`,
      key,
    );
    expect(read.body.body).toBe('\\#42 is \\[late\\](https://evil.example)\nhttps://a.example/a_b*c\n.\\\\x');
  });

  it('takes another template, and replies go to an address that the service has verified', async () => {
    const of = await aMailService();
    const apiKey = await smtpKey(of);
    await aReplyTo(harness, of, 'email', { text: 'alarm@example.org' });
    await aTemplate(harness, of, {
      ...{ template_type: 'email', name: 'Alarm', subject: 'Alarm: ((subject))', content: 'Dear team\n\n((body))' },
    });
    const client = await signedIn(apiKey);
    const id = idIn(await client.send(mail({ headers: ['X-Pennypost-Template: Alarm'] }), 'ada@example.org'));
    expect((await harness.v2('GET', `/v2/notifications/${id}`, apiKey)).body).toMatchObject({
      subject: 'Alarm: Door',
      body: 'Dear team\n\nThe door is open',
    });
    expect((await messagesOf(of))[0]?.reply_to_text).toBe('alarm@example.org');
    const unknown = await client.send(mail({ headers: ['X-Pennypost-Template: Other'] }), 'ada@example.org');
    expect(unknown).toMatch(/^554 5\.6\.0 No template is called/);
  });
});

describe('signing in', () => {
  it('is offered and possible only with TLS, except on the same machine where that is allowed', async () => {
    const strict = await anInlet({ plainLoopback: false });
    const client = await connected(strict.port);
    const greeting = await client.say('EHLO test');
    expect(greeting).toContain('STARTTLS');
    expect(greeting).not.toContain('AUTH');
    const tlsFirst = '530 5.7.0 Must issue a STARTTLS command first';
    expect(await client.login(key)).toBe(tlsFirst);
    // Nobody is asked for a password.
    expect(await client.say('AUTH LOGIN')).toBe(tlsFirst);
    expect(await client.say('MAIL FROM:<a@example.org>')).toBe(tlsFirst);
    await client.startTls();
    expect(await client.say('EHLO test')).toContain('AUTH PLAIN LOGIN');
    expect(await client.say('MAIL FROM:<a@example.org>')).toBe('530 5.7.0 Authentication required');
    expect(await client.login(key)).toMatch(/^235/);
    expect(await client.send(mail(), 'ada@example.org')).toMatch(/^250/);
  });

  it('must not take long', async () => {
    const { port } = await anInlet({}, { login_ms: 0 });
    const client = await connected(port);
    expect(await client.reply()).toBe('421 4.4.2 Authentication took too long');
    expect(await client.reply()).toBe('');
  });

  it('works with TLS from the first byte', async () => {
    const { port } = await anInlet({ implicitTls: true });
    const transport = createTransport({
      ...{ host: '127.0.0.1', port, secure: true, tls: { rejectUnauthorized: false }, auth: { user: 'x', pass: key } },
    });
    const sent = await transport.sendMail({ from: 'a@example.org', to: 'ada@example.org', subject: 's', text: 't' });
    expect(sent.response).toMatch(/^250 2\.0\.0 Queued as/);
    transport.close();
  });

  it('drops what was said before STARTTLS in the same breath', async () => {
    const strict = await anInlet({ plainLoopback: false });
    const client = await connected(strict.port);
    await client.say('EHLO test');
    await client.startTls(`AUTH PLAIN ${Buffer.from(`\0x\0${key}`).toString('base64')}\r\nMAIL FROM:<a@b.example>\r\n`);
    expect(await client.say('NOOP')).toMatch(/^250/);
    expect(await client.say('MAIL FROM:<a@example.org>')).toBe('530 5.7.0 Authentication required');
  });

  it('refuses wrong, revoked and foreign keys, archived services, and those that may not', async () => {
    const { port } = await anInlet();
    const archived = await aMailService();
    const keyOfArchived = await smtpKey(archived);
    await harness.admin('POST', `/service/${archived}/archive`);
    const keyOf = async (permissions: string[]) => smtpKey(await aService(harness, { permissions }));
    const answers = [];
    for (const each of [keyOfArchived, await keyOf(['sms', 'smtp']), await keyOf(['email'])])
      answers.push(await (await connectedAndGreeted(port)).login(each));
    expect(answers).toEqual([
      '535 5.7.1 This service is archived',
      '535 5.7.1 This service is not allowed to send email',
      '535 5.7.1 This service does not send over SMTP',
    ]);
    const withoutRight = await connectedAndGreeted((await anInlet()).port);
    const keyWithoutRight = await smtpKey(service, { send_over_smtp: false });
    expect(await withoutRight.login(keyWithoutRight)).toBe('535 5.7.1 This API key may not send over SMTP');
    const client = await connectedAndGreeted(port);
    expect(await client.login(`${key.slice(0, -4)}0000`)).toBe('535 5.7.8 Wrong API key');
    expect(await client.login('wrong')).toBe('535 5.7.8 Wrong API key');
    const tooMany = '421 4.7.0 Too many wrong API keys, try again later';
    expect(await client.login(key)).toBe(tooMany);
    expect(await client.reply()).toBe('');
  });

  it('needs a key that is valid now and from this address', async () => {
    const expires_at = timestamp(new Date(harness.clock.now().getTime() + 1_000));
    const expired = await smtpKey(service, { expires_at });
    const elsewhere = await smtpKey(service, { allowed_networks: ['192.0.2.0/24'] });
    harness.clock.advance({ seconds: 2 });
    const client = await connectedAndGreeted((await anInlet()).port);
    for (const each of [expired, elsewhere]) expect(await client.login(each)).toBe('535 5.7.8 Wrong API key');
    expect(await client.login(await smtpKey(service, { allowed_networks: ['127.0.0.0/8'] }))).toMatch(/^235/);
  });

  it('ends with the key: each email checks it again', async () => {
    const apiKey = await smtpKey(service, { name: 'short' });
    const client = await signedIn(apiKey);
    expect(await client.send(mail(), 'ada@example.org')).toMatch(/^250/);
    const keys = await harness.admin('GET', `/service/${service}/api-keys`);
    const { id } = keys.body.apiKeys.find(({ name }: { name: string }) => name === 'short');
    await harness.admin('POST', `/service/${service}/api-key/revoke/${id}`);
    harness.app.changeListener.reset();
    expect(await client.say('MAIL FROM:<a@example.org>')).toBe('535 5.7.8 Wrong API key');
  });

  async function connectedAndGreeted(port: number) {
    const client = await connected(port);
    await client.say('EHLO test');
    return client;
  }
});

describe('what is refused', () => {
  it.each([
    ['MAIL FROM:<>', '550 5.7.1 Bounces are not accepted here'],
    ['MAIL FROM:<a@example.org> SIZE=10485761', '552 5.3.4 The email is larger than 10485760 bytes'],
    ['MAIL FROM:<a@example.org> SIZE=99999999999999999999', '552 5.3.4 The email is larger than 10485760 bytes'],
  ])('%s, and it is listed and counted', async (command, answer) => {
    const of = await aMailService();
    const client = await signedIn(await smtpKey(of));
    const refusedCount = async () =>
      Number(/refused"\} (\d+)/.exec(await metricOf(harness, 'smtp_inlet_messages_total'))?.[1]);
    const before = await refusedCount();
    expect(await client.say(command)).toBe(answer);
    expect(await client.send(mail(), 'ada@example.org')).toMatch(/^250/);
    const { refused_requests } = (await harness.admin('GET', `/service/${of}/refused-requests`)).body;
    expect(refused_requests).toMatchObject([{ path: 'SMTP', errors: [{ error: 'SMTP', message: answer.slice(4) }] }]);
    expect(await refusedCount()).toBe(before + 1);
  });

  it('recipients beyond 50, which are listed once for each email', async () => {
    const of = await aMailService();
    const client = await signedIn(await smtpKey(of));
    for (const _ of ['one', 'two']) {
      await client.say('MAIL FROM:<a@example.org>');
      for (let index = 0; index < 50; index += 1) await client.say(`RCPT TO:<person${index}@example.org>`);
      const answers = [];
      for (const name of ['x', 'y', 'person7']) answers.push(await client.say(`RCPT TO:<${name}@example.org>`));
      expect(answers).toEqual([
        ...Array(2).fill('452 4.5.3 An email can have at most 50 recipients'),
        '250 2.1.5 Accepted',
      ]);
      await client.say('RSET');
    }
    const { refused_requests } = (await harness.admin('GET', `/service/${of}/refused-requests`)).body;
    expect(refused_requests).toHaveLength(2);
  });

  it('an address that is none, strangers in trial mode, suppressed addresses, and more than 50', async () => {
    const client = await signedIn();
    await client.say('MAIL FROM:<a@example.org>');
    for (const address of ['ada', 'ada@example', 'a b@example.org'])
      expect(await client.say(`RCPT TO:<${address}>`)).toMatch(/^501 5\.1\.3 /);
    for (let index = 0; index < 50; index += 1)
      expect(await client.say(`RCPT TO:<person${index}@example.org>`)).toMatch(/^250/);
    expect(await client.say('RCPT TO:<more@example.org>')).toMatch(/^452 4\.5\.3 /);

    const trial = await aMailService({ restricted: true });
    const trialKey = await smtpKey(trial);
    const tester = await signedIn(trialKey);
    const notInTeam = '550 5.7.1 Not in your team or guest list';
    expect(await tester.send(mail(), 'stranger@example.org')).toBe(notInTeam);
    const guests = { email_addresses: ['guest@bücher.example', 'guest@xn--mnchen-3ya.example'], phone_numbers: [] };
    expect((await harness.admin('PUT', `/service/${trial}/guest-list`, guests)).status).toBe(204);
    harness.app.changeListener.reset();
    for (const host of ['bücher.example', 'xn--bcher-kva.example', 'münchen.example', 'xn--mnchen-3ya.example'])
      expect(await (await signedIn(trialKey)).send(mail(), `guest@${host}`), host).toMatch(/^250/);
    const team = await signedIn(await smtpKey(service, { key_type: 'team' }));
    expect(await team.send(mail(), 'stranger@example.org')).toBe(notInTeam);

    const careful = await aMailService({ permissions: ['email', 'smtp', 'suppress_recipients'] });
    const carefulKey = await smtpKey(careful);
    await harness.app.db
      .insertInto('suppressed_recipients')
      .values({
        ...{
          id: newId(harness.clock.now()),
          service_id: careful,
          email_address: 'gone@bücher.example',
          reason: 'hard-bounce',
        },
        notification_id: newId(harness.clock.now()),
        created_at: timestamp(harness.clock.now()),
      })
      .execute();
    const suppressed = '550 5.7.1 This address is on the suppression list';
    for (const host of ['bücher.example', 'xn--bcher-kva.example'])
      expect(await (await signedIn(carefulKey)).send(mail(), `gone@${host}`)).toBe(suppressed);
    expect(await messagesOf(careful)).toEqual([]);
  });

  it('emails beyond the limit of a year', async () => {
    const of = await aMailService({ email_annual_limit: 1 });
    const client = await signedIn(await smtpKey(of));
    expect(await client.send(mail(), 'ada@example.org')).toMatch(/^250/);
    expect(await client.send(mail(), 'ada@example.org')).toBe(
      '452 4.7.1 Exceeded send limits (annual: 1) for this year',
    );
    expect(await messagesOf(of)).toHaveLength(1);
  });

  it.each<[string, string | RegExp, string]>([
    ['without text', '554 5.6.0 The email has no text', mail({ body: '  ' })],
    ['with a file', '554 5.7.1 Attachments are not accepted', withFile()],
    ['with a bare LF', '550 5.6.11 Lines must end in CR LF', mail({ body: 'a\n.\nQUIT' })],
    ['with a bare CR', '550 5.6.11 Lines must end in CR LF', mail({ body: 'a\r.\rQUIT' })],
    ['that goes round', '554 5.4.6 Loop', mail({ headers: Array(26).fill('Received: from a by b') })],
    ['with too many parts', '554 5.6.0 The email has too many parts', withParts(101)],
    [
      'with too many headers',
      '554 5.6.0 The email cannot be read',
      mail({ headers: Array(30_000).fill('X-Header: x') }),
    ],
    [
      'with more text than it may have',
      '552 5.3.4 The text of the email is longer than 2000000 bytes',
      mail({ body: `${'x'.repeat(998)}\r\n`.repeat(2_100) }),
    ],
    [
      'that is too long to read',
      '552 5.3.4 The text of the email is too long',
      mail({ body: `${'x'.repeat(998)}\r\n`.repeat(6_100) }),
    ],
  ])('an email %s', async (_, answer, source) => {
    const before = (await messagesOf(service)).length;
    const client = await signedIn();
    expect(await client.send(source, 'ada@example.org')).toEqual(
      typeof answer === 'string' ? answer : expect.stringMatching(answer),
    );
    expect(await messagesOf(service)).toHaveLength(before);
    expect(await client.send(mail(), 'ada@example.org')).toMatch(/^250/);
  });

  it('an email whose text is too long for so many recipients', async () => {
    const of = await aMailService();
    const client = await signedIn(await smtpKey(of));
    const fifty = Array.from({ length: 50 }, (_, index) => `person${index}@example.org`);
    const source = mail({ body: `${'x'.repeat(998)}\r\n`.repeat(500) });
    expect(await client.send(source, ...fifty)).toBe(
      '552 5.3.4 The text of the email is too long for so many recipients',
    );
    expect(await messagesOf(of)).toEqual([]);
  });

  it('an email that is larger than it may be, after reading it to its end', async () => {
    const { port } = await anInlet({ maxMessage_bytes: 200_000 });
    const client = await SmtpClient.signedIn(port, key);
    clients.push(client);
    expect(await client.send(mail({ body: 'x\r\n'.repeat(100_000) }), 'ada@example.org')).toBe(
      '552 5.3.4 The email is larger than 200000 bytes',
    );
    expect(await client.send(mail(), 'ada@example.org')).toMatch(/^250/);
    const refused = await harness.admin('GET', `/service/${service}/refused-requests`);
    expect(JSON.stringify(refused.body.refused_requests)).toContain('The email is larger than 200000 bytes');
  });

  it('an email of ours that came back, also from the domain of a service', async () => {
    const client = await signedIn();
    const id = idIn(await client.send(mail(), 'ada@example.org'));
    const returned = mail({ headers: [`Message-ID: <${id}@notify.council.example>`] });
    expect(await client.send(returned, 'ada@example.org')).toBe('554 5.4.6 Loop');
    // Software has the domain of its From in its ids.
    for (const domain of ['software.example', 'notifications.example']) {
      const other = mail({ headers: [`Message-ID: <${newId(harness.clock.now())}@${domain}>`] });
      expect(await client.send(other, 'ada@example.org')).toMatch(/^250/);
    }
  });

  it('a second email hidden in the first: only the right end ends it', async () => {
    const of = await aMailService();
    const client = await signedIn(await smtpKey(of));
    const hidden = '\r\nMAIL FROM:<a@example.org>\r\nRCPT TO:<victim@example.org>\r\nDATA\r\nSubject: x\r\n\r\nx';
    for (const end of ['\n.\n', '\n.\r\n', '\r\n.\n', '\r.\r', '\r\n.\r'])
      expect(await client.send(mail({ body: `first${end}${hidden}` }), 'ada@example.org'), JSON.stringify(end)).toBe(
        '550 5.6.11 Lines must end in CR LF',
      );
    expect(await messagesOf(of)).toEqual([]);
  });

  it('lines of endless commands, and endless tries without signing in', async () => {
    const client = await connected();
    await client.say('EHLO test');
    client.write('x'.repeat(5_000));
    expect(await client.reply()).toMatch(/^421 /);
    const other = await connected();
    const answers = [];
    for (let answer = await other.say('NOOP'); answer !== ''; answer = await other.say('NOOP')) answers.push(answer);
    expect(answers.at(-1)).toMatch(/^421 /);
    expect(answers.length).toBeLessThanOrEqual(10);
  });

  it('connections that do not begin with TLS: many of one address at once, the others after a while', async () => {
    const { port } = await anInlet({ clients: 8, implicitTls: true }, { login_ms: 2_000 });
    const begun = performance.now();
    const silent = () =>
      new Promise<number>((resolve) =>
        connect(port, '127.0.0.1')
          .on('close', () => resolve(performance.now() - begun))
          .resume(),
      );
    const [third = 0, ...others] = (await Promise.all([silent(), silent(), silent()])).sort((a, b) => a - b);
    expect(third).toBeLessThan(1_500);
    expect(Math.min(...others)).toBeGreaterThanOrEqual(1_900);
    const client = await SmtpClient.open(port, { tls: true });
    clients.push(client);
    expect(await client.say('EHLO test')).toMatch(/^250/);
  });
});

it('counts connections, emails and wrong keys, and says until when the certificate is valid', async () => {
  const client = await connected();
  await client.say('EHLO test');
  await client.login('wrong');
  expect(await metricOf(harness, 'smtp_inlet_auth_failures_total')).toMatch(/ 1$/m);
  expect(await metricOf(harness, 'smtp_inlet_sessions')).toMatch(/state="idle"\} [1-9]\d*$/m);
  const emails = await metricOf(harness, 'smtp_inlet_messages_total');
  for (const outcome of ['accepted', 'refused', 'postponed'])
    expect(emails).toMatch(new RegExp(`outcome="${outcome}"\\} [1-9]`));
  const until = /(\d+)$/m.exec(await metricOf(harness, 'smtp_inlet_certificate_expiry_seconds'))?.[1];
  expect(Number(until) * 1_000 - Date.now()).toBeGreaterThan(0.9 * year_ms);
});

describe('an email in pieces', () => {
  it('arrives in one piece with all commands before it', async () => {
    const client = await signedIn();
    client.write('MAIL FROM:<a@example.org>\r\nRCPT TO:<ada@example.org>\r\nRCPT TO:<bad>\r\nDATA\r\n');
    const answers = [await client.reply(), await client.reply(), await client.reply(), await client.reply()];
    expect(answers.map((answer) => answer.slice(0, 3))).toEqual(['250', '250', '501', '354']);
    for (const letter of `${mail()}\r\n.\r\n`) client.write(letter);
    expect(await client.reply()).toMatch(/^250 2\.0\.0 Queued as/);
  });

  it('is not stored without its end, and is stored once if the client does not hear the answer', async () => {
    const of = await aMailService();
    const log = vi.spyOn(harness.app.log, 'error');
    onTestFinished(() => log.mockRestore());
    const apiKey = await smtpKey(of);
    const source = mail({ headers: ['Message-ID: <lost@software.example>'] });
    const begun = await signedIn(apiKey);
    await begun.sayAll('MAIL FROM:<a@example.org>', 'RCPT TO:<ada@example.org>', 'DATA');
    begun.write(source);
    begun.close();
    const deaf = await signedIn(apiKey);
    await deaf.sayAll('MAIL FROM:<a@example.org>', 'RCPT TO:<ada@example.org>', 'DATA');
    deaf.write(`${source}\r\n.\r\n`);
    await deaf.reply();
    deaf.close();
    const again = await signedIn(apiKey);
    expect(await again.send(source, 'ada@example.org')).toMatch(/^250/);
    expect(await messagesOf(of)).toHaveLength(1);
    // Nothing is wrong with either, here.
    expect(log).not.toHaveBeenCalled();
    expect((await harness.admin('GET', `/service/${of}/refused-requests`)).body.refused_requests).toEqual([]);
  });

  it('ends when its last byte does not come in time, short or long', async () => {
    const of = await aMailService();
    const apiKey = await smtpKey(of);
    const { port } = await anInlet({}, { message_ms: 50 });
    const begun = [];
    for (const bytes of [10, 200_000]) {
      const client = await SmtpClient.signedIn(port, apiKey);
      clients.push(client);
      await client.sayAll('MAIL FROM:<a@example.org>', 'RCPT TO:<ada@example.org>', 'DATA');
      client.write(mail({ body: 'x'.repeat(bytes) }));
      begun.push(client);
    }
    for (const client of begun) {
      expect(await client.reply()).toBe('421 4.4.2 The email took too long');
      expect(await client.reply()).toBe('');
    }
    expect(await messagesOf(of)).toEqual([]);
    const refused = await harness.admin('GET', `/service/${of}/refused-requests`);
    expect(refused.body.refused_requests).toMatchObject([{ status_code: 421 }, { status_code: 421 }]);
  });

  it('has large ones read in a thread, one after the other where memory is short, and takes no more than its share', async () => {
    const bodyMemory = new MeasuredMemory(4 * megabyte);
    const settings = { ...harness.app.config.inlet, maxMessage_bytes: 1.5 * megabyte, clients: 8 };
    const http = { ...harness.app.config.http, bodyMemory_bytes: 4 * megabyte };
    const opened = await openInlet({
      ...{ ...harness.app, bodyMemory, metrics: new Metrics() },
      config: { ...harness.app.config, http, inlet: settings },
    });
    if (!opened) throw new Error('The inlet is off');
    open.push(opened);
    const body = `${'A line of a long report.'.repeat(10)}\r\n`.repeat(6_000);
    const together: SmtpClient[] = [];
    // A service may have a quarter of the connections.
    for (const apiKey of [key, await smtpKey(await aMailService()), await smtpKey(await aMailService())])
      for (let count = 0; count < 2; count += 1) together.push(await SmtpClient.signedIn(opened.port, apiKey));
    clients.push(...together);
    const answers = await Promise.all(together.map((client) => client.send(mail({ body }), 'ada@example.org')));
    expect(answers.filter((answer) => !answer.startsWith('250'))).toEqual([]);
    expect(bodyMemory.most_bytes).toBeGreaterThan(megabyte);
    expect(bodyMemory.most_bytes).toBeLessThanOrEqual(2 * megabyte);
    expect(bodyMemory.now_bytes).toBe(0);
  });
});

const megabyte = 1024 * 1024;

class MeasuredMemory extends BodyMemory {
  now_bytes = 0;
  most_bytes = 0;

  override hold(bytes: number): void {
    super.hold(bytes);
    this.now_bytes += bytes;
    this.most_bytes = Math.max(this.most_bytes, this.now_bytes);
  }

  override release(bytes: number): void {
    super.release(bytes);
    this.now_bytes -= bytes;
  }
}

function withFile(name = 'x.pdf', type = 'application/pdf', content = 'eA=='): string {
  const headers = ['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=b'];
  const file = [
    ...['--b', `Content-Type: ${type}`, `Content-Disposition: attachment; filename=${name}`],
    ...['Content-Transfer-Encoding: base64', '', content, '--b--'],
  ];
  return mail({ headers, body: ['--b', 'Content-Type: text/plain', '', 'Text', ...file].join('\r\n') });
}

function withParts(count: number): string {
  const headers = ['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary="b"'];
  const part = ['--b', 'Content-Type: text/plain', '', 'x'].join('\r\n');
  return mail({ headers, body: `${Array(count).fill(part).join('\r\n')}\r\n--b--` });
}
