import { createServer } from 'node:http';
import { NotifyClient } from 'notifications-node-client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { recordInboundText } from '../../src/inbound/inbound-texts.ts';
import { inTransaction } from '../../src/platform/db/database.ts';
import { anApiKey, aReplyTo, aService, aTemplate } from '../kit/builders/rows.ts';
import { useHarness } from '../kit/harness.ts';
import { firstPage, makePdf } from '../kit/samples/pdf-samples.ts';

/** Every method of the official Node client, unmodified, against a listening server. */

const harness = useHarness();
const letterAddress = { address_line_1: 'Ada Lovelace', address_line_2: '1 High Street', postcode: 'SW1A 1AA' };
let address: string;
let service: string;
let client: NotifyClient;
let testClient: NotifyClient;
let emailTemplate: string;
let smsTemplate: string;
let letterTemplate: string;

beforeAll(async () => {
  address = await harness.http.listen({ port: 0, host: '127.0.0.1' });
  service = await aService(harness, { name: 'Functional Tests', contact_link: 'https://example.org/contact' });
  client = new NotifyClient(address, await anApiKey(harness, service, { name: 'live key' }));
  testClient = new NotifyClient(address, await anApiKey(harness, service, { name: 'test', key_type: 'test' }));
  emailTemplate = await aTemplate(harness, service, {
    template_type: 'email',
    name: 'Client Functional test email template',
    subject: 'Functional Tests are good',
    content: 'Hello ((name))\r\n\r\nFunctional test help make our world a better place',
  });
  smsTemplate = await aTemplate(harness, service, {
    name: 'Client Functional test sms template',
    content: 'Hello ((name))\r\n\r\nFunctional Tests make our world a better place',
  });
  letterTemplate = await aTemplate(harness, service, {
    template_type: 'letter',
    name: 'Client functional letter template',
    subject: 'Main heading',
    content: 'Hello ((address_line_1))',
    reply_to: await aReplyTo(harness, service, 'letter', { text: 'Post Office\nLondon' }),
  });
});

// The client signs its tokens with the real time.
beforeEach(() => harness.clock.set(new Date()));

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-7][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The error that the client throws, as its users see it. */
async function failureOf(call: Promise<unknown>): Promise<{ status?: number; errors?: unknown }> {
  const error = await call.then(
    () => undefined,
    (thrown) => thrown,
  );
  return { status: error?.response?.status, errors: error?.response?.data?.errors };
}

describe('constructor', () => {
  it('accepts a base URL with a trailing slash, a separate service id, or a key with spaces in its name', async () => {
    const key = await anApiKey(harness, service, { name: 'a key - with spaces' });
    for (const made of [
      new NotifyClient(`${address}/`, key),
      new NotifyClient(address, service, key.slice(-36)),
      new NotifyClient(address, key),
    ]) {
      expect((await made.getAllTemplates()).status).toBe(200);
    }
  });

  it('403 for an unknown key', async () => {
    const stranger = new NotifyClient(address, `x-${service}-00000000-0000-4000-8000-000000000000`);
    expect(await failureOf(stranger.getAllTemplates())).toEqual({
      status: 403,
      errors: [{ error: 'AuthError', message: 'Invalid token: API key not found' }],
    });
  });
});

describe('sendEmail', () => {
  it('sends with all of its options', async () => {
    const emailReplyToId = await aReplyTo(harness, service, 'email', { text: 'reply@example.org' });
    const { status, data } = await client.sendEmail(emailTemplate, 'ada@example.org', {
      personalisation: { name: 'Foo' },
      reference: 'my reference',
      emailReplyToId,
      oneClickUnsubscribeURL: 'https://example.org/unsubscribe',
    });
    expect(status).toBe(201);
    expect(data).toMatchObject({
      id: expect.stringMatching(uuid),
      reference: 'my reference',
      content: {
        subject: 'Functional Tests are good',
        body: 'Hello Foo\r\n\r\nFunctional test help make our world a better place',
        from_email: expect.stringMatching(/^functional\.tests@/),
        one_click_unsubscribe_url: 'https://example.org/unsubscribe',
      },
      sanitised_content: {},
      uri: `${address}/v2/notifications/${data.id}`,
      template: { id: emailTemplate, version: 1 },
    });
  });

  it('sanitises', async () => {
    const { data } = await client.sendEmail(emailTemplate, 'ada@example.org', {
      personalisation: { name: 'User, [click here](https://evil.link)' },
      sanitiseContentFor: ['name'],
    });
    expect(data.content.body).toContain('Hello User, \\[click here\\]\\(\\)');
    expect(data.sanitised_content).toEqual({
      name: { sanitised: 'User, \\[click here\\]\\(\\)', unsanitised: 'User, [click here](https://evil.link)' },
    });
  });

  it('400 without the personalisation', async () => {
    expect(await failureOf(client.sendEmail(emailTemplate, 'ada@example.org', {}))).toEqual({
      status: 400,
      errors: [{ error: 'BadRequestError', message: 'Missing personalisation: name' }],
    });
  });
});

describe('prepareUpload', () => {
  it.each([
    ['a PDF', '%PDF-1.5 testpdf', undefined],
    ['a named file', 'a,b', { filename: 'report.csv', confirmEmailBeforeDownload: false, retentionPeriod: '4 weeks' }],
  ])('makes %s part of an email', async (_what, content, options) => {
    const file = client.prepareUpload(Buffer.from(content), options);
    const { status } = await client.sendEmail(emailTemplate, 'ada@example.org', {
      personalisation: { name: 'Foo', documents: file },
    });
    expect(status).toBe(201);
  });

  it('links to a file that can be downloaded', async () => {
    const file = client.prepareUpload(Buffer.from('foo-bar-baz'), { confirmEmailBeforeDownload: false });
    const { data } = await client.sendEmail(emailTemplate, 'ada@example.org', { personalisation: { name: file } });
    const link = /https?:\S+/.exec(data.content.body)?.[0] ?? '';
    const page = await fetch(`${address}${new URL(link).pathname}${new URL(link).search}`);
    const download = new URL(
      /href="([^"]*documents[^"]*)"/.exec(await page.text())?.[1]?.replaceAll('&amp;', '&') ?? '',
    );
    expect(await (await fetch(`${address}${download.pathname}${download.search}`)).text()).toBe('foo-bar-baz');
  });
});

describe('sendSms', () => {
  it('sends with all of its options', async () => {
    const smsSenderId = await aReplyTo(harness, service, 'sms', { text: 'func tests' });
    const { status, data } = await client.sendSms(smsTemplate, '07700900003', {
      personalisation: { name: 'Foo' },
      reference: 'my reference',
      smsSenderId,
    });
    expect(status).toBe(201);
    expect(data).toMatchObject({
      id: expect.stringMatching(uuid),
      reference: 'my reference',
      content: {
        body: 'Hello Foo\n\nFunctional Tests make our world a better place',
        from_number: 'func tests',
      },
      template: { id: smsTemplate, version: 1 },
    });
  });

  it('400 for an invalid number', async () => {
    expect(await failureOf(client.sendSms(smsTemplate, '123', { personalisation: { name: 'x' } }))).toEqual({
      status: 400,
      errors: [{ error: 'InvalidPhoneError', message: 'Not a valid phone number' }],
    });
  });
});

describe('sendLetter', () => {
  it('sends', async () => {
    const { status, data } = await testClient.sendLetter(letterTemplate, {
      personalisation: letterAddress,
      reference: 'my letter',
    });
    expect(status).toBe(201);
    expect(data).toMatchObject({
      id: expect.stringMatching(uuid),
      reference: 'my letter',
      content: { subject: 'Main heading', body: 'Hello Ada Lovelace' },
      scheduled_for: null,
    });
  });

  it('400 without personalisation', async () => {
    expect(await failureOf(testClient.sendLetter(letterTemplate))).toEqual({
      status: 400,
      errors: [{ error: 'ValidationError', message: 'personalisation is a required property' }],
    });
  });
});

describe('letters as PDF', () => {
  it('sendPrecompiledLetter and getPdfForLetterNotification: a test key gets back what it sent', async () => {
    const pdf = Buffer.from(await makePdf([firstPage()]));
    const { status, data } = await testClient.sendPrecompiledLetter('my letter', pdf, 'first');
    expect(status).toBe(201);
    expect(data).toEqual({ id: expect.stringMatching(uuid), reference: 'my letter', postage: 'first' });
    const early = await testClient.getPdfForLetterNotification(data.id).catch((error) => error.response.data);
    expect(early.errors[0].error).toBe('PDFNotReadyError');
    await harness.runTasks();
    const read = await testClient.getNotificationById(data.id);
    expect(read.data).toMatchObject({ status: 'received', reference: 'my letter', postage: 'first' });
    expect(Buffer.compare(await testClient.getPdfForLetterNotification(data.id), pdf)).toBe(0);
  });

  it('getPdfForLetterNotification: a letter from a template', async () => {
    const { data } = await testClient.sendLetter(letterTemplate, { personalisation: letterAddress });
    await harness.runTasks();
    const pdf = await testClient.getPdfForLetterNotification(data.id);
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
    expect((await testClient.getNotificationById(data.id)).data.status).toBe('received');
  });

  it('sendPrecompiledLetter itself rejects more than 5 MB', async () => {
    expect(() => testClient.sendPrecompiledLetter('x', Buffer.alloc(5 * 1024 * 1024 + 1))).toThrow();
  });
});

describe('getNotificationById and getNotifications', () => {
  it('have every key that the client’s own tests check', async () => {
    const { data } = await client.sendSms(smsTemplate, '07700900123', { personalisation: { name: 'Foo' } });
    const read = await client.getNotificationById(data.id);
    expect(read.status).toBe(200);
    expect(read.data).toMatchObject({
      id: data.id,
      phone_number: '07700900123',
      email_address: null,
      type: 'sms',
      status: 'created',
      body: data.content.body,
      created_by_name: null,
      sent_at: null,
      completed_at: null,
    });
  });

  it('filter and page', async () => {
    await client.sendEmail(emailTemplate, 'ada@example.org', {
      personalisation: { name: 'x' },
      reference: 'filter me',
    });
    const { data } = await client.getNotifications('email', 'created', 'filter me');
    expect(data.notifications).toHaveLength(1);
    const next = await client.getNotifications('email', undefined, undefined, data.notifications[0]?.id);
    expect(next.data.notifications.every(({ type }: { type: string }) => type === 'email')).toBe(true);
    const all = await client.getNotifications();
    expect(all.data.links.next).toContain('older_than=');
  });

  it('400 and 404 as errors the client understands', async () => {
    expect((await failureOf(client.getNotificationById('nonsense'))).status).toBe(400);
    expect((await failureOf(client.getNotificationById(emailTemplate))).status).toBe(404);
    expect((await failureOf(client.getNotifications(undefined, 'elephant'))).status).toBe(400);
  });
});

describe('templates', () => {
  it('getTemplateById and getTemplateByIdAndVersion', async () => {
    const { data } = await client.getTemplateById(letterTemplate);
    expect(data).toMatchObject({
      id: letterTemplate,
      type: 'letter',
      name: 'Client functional letter template',
      version: 1,
      body: 'Hello ((address_line_1))',
      subject: 'Main heading',
      letter_contact_block: 'Post Office\nLondon',
      postage: 'second',
    });
    const first = await client.getTemplateByIdAndVersion(smsTemplate, 1);
    expect(first.data).toMatchObject({ version: 1, letter_contact_block: null });
    expect((await failureOf(client.getTemplateByIdAndVersion(smsTemplate, 99))).status).toBe(404);
  });

  it('getAllTemplates', async () => {
    const all = await client.getAllTemplates();
    expect(all.data.templates).toHaveLength(3);
    const emails = await client.getAllTemplates('email');
    expect(emails.data.templates.map(({ id }: { id: string }) => id)).toEqual([emailTemplate]);
  });

  it('previewTemplateById', async () => {
    const sms = await client.previewTemplateById(smsTemplate, { name: 'Foo' });
    expect(sms.data).toMatchObject({
      body: 'Hello Foo\n\nFunctional Tests make our world a better place',
      subject: null,
    });
    const email = await client.previewTemplateById(emailTemplate, { name: 'Foo' });
    expect(email.data).toMatchObject({ subject: 'Functional Tests are good', type: 'email', version: 1 });
    expect((await failureOf(client.previewTemplateById(emailTemplate))).errors).toEqual([
      { error: 'BadRequestError', message: 'Missing personalisation: name' },
    ]);
  });
});

describe('getReceivedTexts', () => {
  it('lists and pages', async () => {
    const text = { service_id: service, notify_number: '07700900500', user_number: '07700900111', provider: 'mmg' };
    for (const content of ['one', 'two']) {
      await inTransaction(harness.app.db, (tx) =>
        recordInboundText(tx, harness.app.country.phone, { ...text, content }, harness.clock.now()),
      );
    }
    const { data } = await client.getReceivedTexts();
    expect(data.received_text_messages.map(({ content }: { content: string }) => content)).toEqual(['two', 'one']);
    const older = await client.getReceivedTexts(data.received_text_messages[0]?.id);
    expect(older.data.received_text_messages.map(({ content }: { content: string }) => content)).toEqual(['one']);
  });
});

describe('setProxy and setClient', () => {
  const proxy = createServer((request, response) => {
    void harness
      .request({ method: 'GET', url: new URL(request.url ?? '').pathname, headers: request.headers })
      .then((answer) => response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.text));
  });
  afterAll(() => proxy.close());

  it('the client works through a proxy', async () => {
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const { port } = proxy.address() as { port: number };
    const behind = new NotifyClient(address, await anApiKey(harness, service));
    behind.setProxy({ host: '127.0.0.1', port });
    expect((await behind.getTemplateById(smsTemplate)).data.id).toBe(smsTemplate);
  });

  it('another HTTP client works, too', async () => {
    const own = new NotifyClient(address, await anApiKey(harness, service));
    const usual = own.apiClient.restClient;
    const calls: string[] = [];
    own.setClient(
      Object.assign((options: { method: string; url: string }) => {
        calls.push(`${options.method} ${new URL(options.url).pathname}`);
        return usual(options);
      }, usual),
    );
    await own.getTemplateById(smsTemplate);
    expect(calls).toEqual([`get /v2/template/${smsTemplate}`]);
  });
});
