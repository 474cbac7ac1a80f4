import { createPublicKey } from 'node:crypto';
import { tmpdir } from 'node:os';
import type { InjectOptions } from 'fastify';
import PostalMime from 'postal-mime';
import { getGlobalDispatcher, MockAgent, setGlobalDispatcher } from 'undici';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { messageOf, queueOf, someQueuedMessages } from '../../../test/kit/builders/queued-messages.ts';
import { anApiKey, anInboundNumber, aService, aTemplate } from '../../../test/kit/builders/rows.ts';
import { changedConfig } from '../../../test/kit/fakes/changed-config.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { amazonCertificate, awsSms } from '../../../test/kit/vendors/aws-sms.ts';
import { type FrontAnswer, type FrontRequest, startHttpFront } from '../../../test/kit/vendors/http-front.ts';
import { mailgun } from '../../../test/kit/vendors/mailgun.ts';
import { postmark } from '../../../test/kit/vendors/postmark.ts';
import { sendgrid } from '../../../test/kit/vendors/sendgrid.ts';
import { startStubGateways } from '../../../test/kit/vendors/stub-gateways.ts';
import type { ReadMessage, Vendor } from '../../../test/kit/vendors/vendor.ts';
import { vonage } from '../../../test/kit/vendors/vonage.ts';
import { readConfig } from '../../commands/read-config.ts';
import { ownMailHeader, withKeptHeaders } from '../../notifications/sending/over-smtp.ts';
import { newId } from '../../platform/id.ts';
import { isSendGridSignature } from './email/sendgrid.ts';
import { openEmailProviders, openTextProviders } from './settings.ts';

const vendors: Vendor[] = [vonage, awsSms, postmark, sendgrid, mailgun];
const now = '2026-11-15T12:00:00Z';

type Answering = (vendor: Vendor, message: ReadMessage) => Promise<FrontAnswer> | FrontAnswer;

const accept: Answering = (vendor, { reference }) => vendor.accepted(reference).answer;
let answering = accept;
/** Messages in valid requests, by reference. */
const sent = new Map<string, ReadMessage[]>();

/** The API of each vendor, below its name. */
const front = await startHttpFront(async (request) => {
  const [, name, path = ''] = /^\/([\w-]+)(\/.*)$/.exec(request.url) ?? [];
  const vendor = vendors.find((one) => one.name === name);
  if (!vendor) return { status: 404 };
  return answerOf(vendor, { ...request, url: path });
});

async function answerOf(vendor: Vendor, request: FrontRequest): Promise<FrontAnswer> {
  const check = await vendor.checked(request);
  if (check) return check;
  try {
    const message = await vendor.read(request);
    sent.set(message.reference, [...(sent.get(message.reference) ?? []), message]);
    return await answering(vendor, message);
  } catch (answer) {
    if (answer instanceof Error) throw answer;
    return answer as FrontAnswer;
  }
}

afterAll(() => front.close());

const filesOnTheWay = [
  ['Été.csv', 'text/csv', Buffer.from('a,b\n').toString('base64')],
  ['report', 'application/pdf', Buffer.from('%PDF-1.5').toString('base64')],
];

/** Accepts an email with these files. */
async function sendFiles(harness: ReturnType<typeof useHarness>, service: string): Promise<string> {
  const template_id = await aTemplate(harness, service, {
    template_type: 'email',
    subject: 'About engines',
    content: 'Hello',
  });
  const files = filesOnTheWay.map(([filename, , file], index) => [
    `file ${index}`,
    { file, filename, sending_method: 'attach' },
  ]);
  const { body } = await harness.v2('POST', '/v2/notifications/email', await anApiKey(harness, service), {
    email_address: 'ada@example.org',
    template_id,
    personalisation: Object.fromEntries(files),
  });
  return body.id;
}

const kept = { 'In-Reply-To': '<1@a.example>', References: '<0@a.example> <1@a.example>', 'Auto-Submitted': 'no' };

function overSmtp<Fields extends object>(fields: Fields) {
  return { ...fields, personalisation: withKeptHeaders({ name: 'Ada', thing: 'engines' }, kept) };
}

/** The certificate of SNS is at Amazon, and only there. */
const usual = getGlobalDispatcher();
beforeAll(() => {
  const amazon = new MockAgent();
  amazon.disableNetConnect();
  const { host, path, pem } = amazonCertificate;
  amazon.get(host).intercept({ path }).reply(200, pem).persist();
  setGlobalDispatcher(amazon);
});
afterAll(() => setGlobalDispatcher(usual));

beforeEach(() => {
  answering = accept;
});

describe.each(vendors)('$name', (vendor) => {
  const { name, channel } = vendor;
  const harness = useHarness({
    now,
    config: { [channel]: { providers: [name] }, providers: vendor.settings(`${front.url}/${name}`) },
  });
  let service = '';
  beforeAll(async () => {
    service = await aService(harness, { name: 'Ffôn Cymru' });
  });
  // A vendor that refuses a number which has opted out adds it to the list of the service.
  beforeEach(async () => {
    await harness.app.db.deleteFrom('sms_opt_outs').where('service_id', '=', service).execute();
  });

  const fields = {
    notification_type: channel,
    one_click_unsubscribe_url: channel === 'email' ? 'https://example.org/stop' : null,
  };
  /** Sends messages, each with its own answer. */
  async function send(answers: (FrontAnswer | 'accept')[]): Promise<string[]> {
    const ids = await someQueuedMessages(
      harness,
      service,
      answers.map(() => fields),
    );
    answering = (...call) => {
      const answer = answers[ids.indexOf(call[1].reference)] ?? 'accept';
      return answer === 'accept' ? accept(...call) : answer;
    };
    await harness.deliver();
    return ids;
  }
  const sendOne = async (answer: FrontAnswer | 'accept' = 'accept') => (await send([answer]))[0] ?? '';
  const statusOf = async (id: string) => (await messageOf(harness, id)).status;
  const post = async (request: InjectOptions) => (await harness.request(request)).status;
  const reasonsOf = async (id: string) => {
    const { body } = await harness.admin('GET', `/service/${service}/notifications/${id}/attempts`);
    return body.attempts.map(({ reason }: { reason: string }) => reason);
  };
  const secondsUntilDue = async (id: string) =>
    (Date.parse((await queueOf(harness, id))?.due_at ?? '') - harness.clock.now().getTime()) / 1_000;

  it('gets a request in its documented format', async () => {
    const id = await sendOne();
    expect(sent.get(id)).toEqual([{ reference: id, ...vendor.expected(id) }]);
    const { provider_reference } = vendor.accepted(id);
    expect(await messageOf(harness, id)).toMatchObject({ status: 'sending', provider: name, provider_reference });
  });

  if (channel !== 'sms')
    it('gets attachments in its documented format', async () => {
      const id = await sendFiles(harness, service);
      await harness.deliver();
      expect(sent.get(id)).toMatchObject([{ reference: id, attachments: filesOnTheWay }]);
    });

  if (channel !== 'sms')
    it('gets the headers of an email that arrived over SMTP', async () => {
      const [id = ''] = await someQueuedMessages(harness, service, [overSmtp(fields)]);
      await harness.deliver();
      expect(sent.get(id)).toMatchObject([
        { headers: { ...kept, [ownMailHeader]: expect.stringContaining(`${id}.`) } },
      ]);
    });

  it('its webhook reports each kind of event; repeated and later ones change nothing', async () => {
    const ids = await send(vendor.events.map(() => 'accept'));
    const found: [string, string][] = [];
    for (const [index, [what, event]] of vendor.events.entries()) {
      const id = ids[index] ?? '';
      expect([what, await post(vendor.webhook(event(id)))]).toEqual([what, 200]);
      const before = await messageOf(harness, id);
      found.push([what, before.status]);
      expect([what, await post(vendor.webhook(event(id)))]).toEqual([what, 200]);
      if (before.status !== 'sending')
        for (const [, later] of vendor.events.slice(0, 2)) await post(vendor.webhook(later(id)));
      expect(await messageOf(harness, id)).toEqual(before);
    }
    expect(found).toEqual(vendor.events.map(([what, , status]) => [what, status]));
  });

  it('events about unknown messages, and those that make no sense, change nothing', async () => {
    const unknown = newId(harness.clock.now());
    for (const [, event] of vendor.events) expect(await post(vendor.webhook(event(unknown)))).toBe(200);
    for (const event of vendor.oddities) expect([event, await post(vendor.webhook(event))]).toEqual([event, 200]);
    expect(harness.logged.filter((line) => line.includes('ada@example.org'))).toEqual([]);
  });

  it('an event may arrive before the response, or instead of it', async () => {
    const [, event] = vendor.events[0] ?? [];
    const ids = await someQueuedMessages(harness, service, [fields, fields]);
    answering = async (...call) => {
      const { reference } = call[1];
      expect(await post(vendor.webhook(event?.(reference) ?? {}))).toBe(200);
      return reference === ids[0] ? accept(...call) : 'hang up';
    };
    await harness.deliver();
    harness.clock.advance({ minutes: 5 });
    await harness.deliver();
    for (const id of ids) {
      expect(await messageOf(harness, id)).toMatchObject({ status: 'delivered', provider: name });
      expect(sent.get(id)).toHaveLength(1);
    }
  });

  it('a request that is not authenticated is rejected and changes nothing', async () => {
    const id = await sendOne();
    const [, event] = vendor.events[0] ?? [];
    const forgeries = vendor.forgeries(event?.(id) ?? {});
    const statuses: [string, number][] = [];
    for (const [what, request] of forgeries) statuses.push([what, await post(request)]);
    expect(statuses).toEqual(forgeries.map(([what, , status]) => [what, status]));
    expect(await statusOf(id)).toBe('sending');
  });

  if (vendor.complaint)
    it('a complaint is recorded once', async () => {
      const id = await sendOne();
      const event = vendor.complaint?.(id) ?? {};
      for (let time = 0; time < 2; time += 1) expect(await post(vendor.webhook(event))).toBe(200);
      const { body } = await harness.admin('GET', '/complaint');
      const about = body.complaints.filter(
        (complaint: { notification_id: string }) => complaint.notification_id === id,
      );
      expect(about).toMatchObject([{ service_id: service, complaint_date: '2026-11-15T12:00:01.000000Z' }]);
    });

  if (vendor.inbound)
    it('a received text is stored for the service, if the request is authenticated', async () => {
      const receiving = await aService(harness, { permissions: ['sms', 'inbound_sms'] });
      await anInboundNumber(harness, receiving, { number: '07700900444', provider: name });
      const { text, webhook } = vendor.inbound ?? { text: () => ({}), webhook: vendor.webhook };
      const genuine = webhook(text('447700900444'));
      expect(await post({ ...genuine, payload: `${genuine.payload} ` })).toBe(403);
      expect([await post(genuine), await post(webhook(text('447700900999')))]).toEqual([200, 200]);
      expect([await post(webhook({})), await post(webhook({ from: 1, to: 2 }))]).toEqual([400, 200]);
      const key = await anApiKey(harness, receiving);
      const { body } = await harness.v2('GET', '/v2/received-text-messages', key);
      const received = { notify_number: '07700900444', user_number: '447700900111', content: 'Diolch 📩' };
      expect(body.received_text_messages).toMatchObject([received]);
    });

  it('responses that are final for the recipient end the message', async () => {
    const ids = await send(vendor.refusals.map(([answer]) => answer));
    for (const [index, [, status, reason]] of vendor.refusals.entries()) {
      const id = ids[index] ?? '';
      expect([await statusOf(id), await reasonsOf(id)]).toEqual([status, [reason]]);
      expect(sent.get(id)).toHaveLength(1);
    }
  });

  it('responses about the account say what to correct, and the message waits', async () => {
    const ids = await send(vendor.misconfigured.map(([answer]) => answer));
    for (const [index, [, advice]] of vendor.misconfigured.entries()) {
      const id = ids[index] ?? '';
      expect([await statusOf(id), (await reasonsOf(id))[0]]).toEqual(['created', advice]);
      expect(await queueOf(harness, id)).toMatchObject({ outcome_known: true });
    }
    expect(harness.logged.filter((line) => line.includes('ada@example.org'))).toEqual([]);
  });

  it('a throttled request is repeated when the response says', async () => {
    const throttled = vendor.throttled(harness.clock.now());
    const ids = await send(throttled.map(([answer]) => answer));
    for (const [index, [, seconds]] of throttled.entries()) {
      expect(await secondsUntilDue(ids[index] ?? '')).toBe(seconds);
    }
    harness.clock.advance({ minutes: 5 });
    await harness.deliver();
    answering = accept;
    harness.clock.advance({ minutes: 5 });
    await harness.deliver();
    for (const id of ids) expect(await statusOf(id)).toBe('sending');
  });

  it('after nonsense, a gateway error or a closed connection the message may have been sent: one call, then a retry', async () => {
    const ids = await send([...vendor.nonsense, { status: 502 }, { status: 504 }, 'hang up']);
    for (const id of ids) {
      expect(sent.get(id)).toHaveLength(1);
      expect(await queueOf(harness, id)).toMatchObject({ outcome_known: false, provider: name, attempts: 1 });
    }
    answering = accept;
    harness.clock.advance({ minutes: 5 });
    await harness.deliver();
    for (const id of ids) expect([await statusOf(id), sent.get(id)?.length]).toEqual(['sending', 2]);
  });

  it('a slow response counts like any other', async () => {
    answering = async (...call) => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      return accept(...call);
    };
    const [id = ''] = await someQueuedMessages(harness, service, [fields]);
    await harness.deliver();
    expect([await statusOf(id), sent.get(id)?.length]).toEqual(['sending', 1]);
  });

  it('the health check finds wrong settings', async () => {
    const check = async (changes: object) => {
      const config = changedConfig(harness.app.config, { providers: { [name]: changes } });
      const open = channel === 'sms' ? openTextProviders : openEmailProviders;
      const provider = open({ ...harness.app, config }).find((one) => one.name === name);
      return await (provider?.check?.() ?? Promise.reject(new Error('no check'))).finally(() => provider?.close?.());
    };
    await check({});
    for (const [changes, advice] of vendor.wrong) await expect(check(changes)).rejects.toThrow(advice);
  });
});

describe('settings', () => {
  const read = (environment: Record<string, string>) => () =>
    readConfig({
      DATA_DIR: tmpdir(),
      SECRET_KEY: 's'.repeat(32),
      ADMIN_CLIENT_SECRETS: 'a'.repeat(32),
      ...environment,
    });

  it('a key of SendGrid that is none is a problem, but only if SendGrid is used', () => {
    const given = { SENDGRID_API_KEY: 'x', SENDGRID_WEBHOOK_KEY: 'not a key' };
    expect(read({ ...given, EMAIL_PROVIDERS: 'sendgrid' })).toThrow(
      'SENDGRID_WEBHOOK_KEY must be the verification key',
    );
    expect(read(given)).not.toThrow();
  });

  it('so is a private key of Vonage', () => {
    const given = { VONAGE_APPLICATION_ID: 'x', VONAGE_SIGNATURE_SECRET: 'x', VONAGE_PRIVATE_KEY: 'not a key' };
    expect(read({ ...given, SMS_PROVIDERS: 'vonage' })).toThrow('VONAGE_PRIVATE_KEY must be the RSA private key');
  });

  it('AWS End User Messaging needs the topics of its receipts', () => {
    const given = { SMS_PROVIDERS: 'aws-sms', AWS_SMS_CONFIGURATION_SET: 'x', PROVIDER_RATES: 'aws-sms:20' };
    expect(read(given)).toThrow('AWS_SMS_TOPIC_ARNS must be set');
    expect(read({ ...given, AWS_SMS_TOPIC_ARNS: '*' })()).toMatchObject({
      delivery: { providerRates: { 'aws-sms': 20 } },
    });
  });
});

describe('signatures of the documentation', () => {
  it('SendGrid', () => {
    const der =
      'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEEDr2LjtURuePQzplybdC+u4CwrqDqBaWjcMMsTbhdbcwHBcepxo7yAQGhHPTnlvFYPAZFceEu/1FwCM/QmGUhA==';
    const key = createPublicKey({ key: Buffer.from(der, 'base64'), format: 'der', type: 'spki' });
    const signature =
      'MEUCIQCtIHJeH93Y+qpYeWrySphQgpNGNr/U+UyUlBkU6n7RAwIgJTz2C+8a8xonZGi6BpSzoQsbVRamr2nlxFDWYNH2j/0=';
    const event = { category: 'example_payload', event: 'test_event', message_id: 'message_id' };
    const body = Buffer.from(JSON.stringify(event));
    expect(isSendGridSignature(key, signature, '1588788367', body)).toBe(true);
    expect(isSendGridSignature(key, signature, '1588788368', body)).toBe(false);
  });
});

const others = await startStubGateways();
afterAll(() => others.close());

describe('Amazon SES', () => {
  const harness = useHarness({
    now,
    config: {
      email: { providers: ['ses'] },
      providers: { ses: { url: others.url, accessKeyId: 'x', secretAccessKey: 'x' } },
    },
  });

  it('gets attachments in the source of the message, with its other fields as usual', async () => {
    const id = await sendFiles(harness, await aService(harness, { name: 'Permits' }));
    await harness.deliver();
    const [request] = others.sentTo(id);
    const { Content, ...fields } = (request?.fields ?? {}) as { Content: { Raw: { Data: string } } };
    expect(fields).toMatchObject({
      FromEmailAddress: '"Permits" <permits@notifications.example>',
      Destination: { ToAddresses: ['ada@example.org'] },
      EmailTags: [{ Name: 'notification_id', Value: id }],
    });
    expect(Object.keys(Content)).toEqual(['Raw']);
    const email = await PostalMime.parse(Buffer.from(Content.Raw.Data, 'base64'));
    expect([email.subject, email.text?.trim()]).toEqual(['About engines', 'Hello']);
    expect(
      email.attachments.map(({ filename, mimeType, content }) => [
        filename,
        mimeType,
        Buffer.from(content as ArrayBuffer).toString('base64'),
      ]),
    ).toEqual(filesOnTheWay);
  });

  it('gets the headers of an email that arrived over SMTP', async () => {
    const message = overSmtp({ notification_type: 'email' as const });
    const [id = ''] = await someQueuedMessages(harness, await aService(harness), [message]);
    await harness.deliver();
    const [request] = others.sentTo(id);
    const { Content } = (request?.fields ?? {}) as { Content: { Simple: { Headers: object[] } } };
    const expected = { ...kept, [ownMailHeader]: expect.stringContaining(`${id}.`) };
    const named = Object.entries(expected).map(([Name, Value]) => ({ Name, Value }));
    expect(Content.Simple.Headers).toHaveLength(named.length);
    expect(Content.Simple.Headers).toEqual(expect.arrayContaining(named));
  });
});

describe('failover', () => {
  const namesOf = (channel: Vendor['channel']) =>
    vendors.filter((one) => one.channel === channel).map(({ name }) => name);
  const harness = useHarness({
    now,
    config: {
      sms: { providers: [...namesOf('sms'), 'firetext'] },
      email: { providers: [...namesOf('email'), 'ses'] },
      providers: {
        firetext: { url: `${others.url}/firetext`, apiKey: 'x' },
        ses: { url: others.url, accessKeyId: 'x', secretAccessKey: 'x' },
        ...Object.assign({}, ...vendors.map((vendor) => vendor.settings(`${front.url}/${vendor.name}`))),
      },
    },
  });

  it.each(vendors)('while $name fails, other providers get its messages', async ({ name, channel }) => {
    answering = (vendor, message) => (vendor.name === name ? { status: 500 } : accept(vendor, message));
    const messages = Array.from({ length: 60 }, () => ({ notification_type: channel }));
    const ids = await someQueuedMessages(harness, await aService(harness), messages);
    await harness.deliver();
    harness.clock.advance({ minutes: 5 });
    await harness.deliver();
    const { rows } = await harness.app.pool.query(
      `select status, provider = $2 as failing, count(*)::int,
        sum((select count(*) from failed_attempts where notification_id = id and failed_attempts.provider = $2))::int as failed
      from notifications where id = any ($1) group by 1, 2`,
      [ids, name],
    );
    expect(rows).toEqual([{ status: 'sending', failing: false, count: 60, failed: expect.any(Number) }]);
    expect(rows[0].failed).toBeGreaterThan(0);
  });
});
