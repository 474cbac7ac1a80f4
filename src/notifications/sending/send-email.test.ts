import { beforeAll, describe, expect, it } from 'vitest';
import { anApiKey, aReplyTo, aService, aTemplate, aUser } from '../../../test/kit/builders/rows.ts';
import { expectError, storedMessage } from '../../../test/kit/builders/sends.ts';
import { type Answer, useHarness } from '../../../test/kit/harness.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
const url = '/v2/notifications/email';
const unknown = '4f46df42-f795-4cc4-83bb-65ca312f4900';
const root = 'http://localhost:80';
let service: string;
let key: string;
let template_id: string;

beforeAll(async () => {
  service = await aService(harness, { name: 'The Post Office' });
  key = await anApiKey(harness, service);
  template_id = await aTemplate(harness, service, {
    template_type: 'email',
    subject: "It's about ((thing)) -  ((name))",
    content: 'Hello ((name))\r\n\r\n* ((thing))',
  });
});

const good = () => ({
  email_address: 'Ada@Example.org',
  template_id,
  personalisation: { name: 'Ada', thing: 'tea' } as Record<string, unknown>,
});

function send(change: Record<string, unknown> = {}, as = key): Promise<Answer> {
  return harness.v2('POST', url, as, { ...good(), ...change });
}

const stored = (id: string) => storedMessage(harness, id);

describe('POST /v2/notifications/email', () => {
  it('201 returns every key', async () => {
    const response = await send({ reference: 'mine' });
    expect(response.status).toBe(201);
    const { id } = response.body;
    expect(response.body).toEqual({
      id,
      reference: 'mine',
      uri: `${root}/v2/notifications/${id}`,
      template: { id: template_id, version: 1, uri: `${root}/services/${service}/templates/${template_id}` },
      scheduled_for: null,
      content: {
        from_email: 'the.post.office@notifications.example',
        subject: 'It’s about tea – Ada',
        body: 'Hello Ada\r\n\r\n* tea',
        one_click_unsubscribe_url: null,
      },
      sanitised_content: {},
    });
    expect(await stored(id)).toMatchObject({
      notification_type: 'email',
      status: 'created',
      recipient: 'Ada@Example.org',
      normalised_recipient: 'ada@example.org',
      reply_to_text: null,
      postage: null,
    });
  });

  it('201 renders lists as bullets', async () => {
    const { body } = await send({ personalisation: { name: ['a', 'b'], thing: 'x' } });
    expect(body.content.body).toBe('Hello \n\n* a\n* b\r\n\r\n* x');
  });

  describe('schema', () => {
    it.each<[unknown, string[]]>([
      [{}, ['email_address is a required property', 'template_id is a required property']],
      [
        {
          email_address: 'x',
          template_id: null,
          one_click_unsubscribe_url: 'http://example.org',
          sanitise_content_for: 'a',
          email_reply_to_id: 5,
          sms_sender_id: unknown,
        },
        [
          'email_address Not a valid email address',
          'id is not a valid UUID',
          'email_reply_to_id is not a valid UUID',
          'one_click_unsubscribe_url is not a valid https url',
          'sanitise_content_for a is not of type array, null',
          'Additional properties are not allowed (sms_sender_id was unexpected)',
        ],
      ],
    ])('400 for the body %j', async (body, messages) => {
      const response = await harness.v2('POST', url, key, body);
      expect(response.status).toBe(400);
      expect(response.body.errors).toEqual(messages.map((message) => ({ error: 'ValidationError', message })));
    });

    it.each([null, 5, 'example.org', 'https', 'ftp://example.org', 'https://'])(
      '400 for the unsubscribe URL %j',
      async (one_click_unsubscribe_url) => {
        const text = 'one_click_unsubscribe_url is not a valid https url';
        expectError(await send({ one_click_unsubscribe_url }), 400, 'ValidationError', text);
      },
    );

    it.each(['', 'ada', 'ada@example', 'ada@@example.org', 'a..b@example.org', `${'a'.repeat(320)}@example.org`])(
      '400 for the address %j',
      async (email_address) => {
        const text = 'email_address Not a valid email address';
        expectError(await send({ email_address }), 400, 'ValidationError', text);
      },
    );

    it('201 with white space around the address', async () => {
      const { body } = await send({ email_address: ' Ada@Example.org\n' });
      expect((await stored(body.id))?.recipient).toBe('Ada@Example.org');
    });
  });

  describe('reply-to', () => {
    it('201 uses the requested one, else the template’s, else the service’s', async () => {
      const own = await aService(harness);
      const ownKey = await anApiKey(harness, own);
      await aReplyTo(harness, own, 'email', { text: 'default@example.org', is_default: true });
      const second = await aReplyTo(harness, own, 'email', { text: 'second@example.org' });
      const plain = await aTemplate(harness, own, { template_type: 'email' });
      const special = await aTemplate(harness, own, { template_type: 'email', reply_to: second });
      const replyTo = async (change: object) =>
        (await stored((await send({ ...change }, ownKey)).body.id))?.reply_to_text;
      expect(await replyTo({ template_id: plain })).toBe('default@example.org');
      expect(await replyTo({ template_id: special })).toBe('second@example.org');
      expect(await replyTo({ template_id: plain, email_reply_to_id: second })).toBe('second@example.org');
    });

    it('400 when it is unknown, archived or belongs to another service', async () => {
      const archived = await aReplyTo(harness, service, 'email', { archived: true });
      const foreign = await aReplyTo(harness, await aService(harness), 'email');
      for (const id of [unknown, archived, foreign]) {
        const text = `email_reply_to_id ${id} does not exist in database for service id ${service}`;
        expectError(await send({ email_reply_to_id: id }), 400, 'BadRequestError', text);
      }
    });
  });

  it('403 when the service may not send emails', async () => {
    const other = await aService(harness, { permissions: ['sms'] });
    const response = await send({}, await anApiKey(harness, other));
    expectError(response, 403, 'BadRequestError', 'Service is not allowed to send email');
  });

  it('400 when the template is for text messages, values are missing or the body is empty', async () => {
    const sms = await aTemplate(harness, service);
    const text = 'sms template is not suitable for email notification';
    expectError(await send({ template_id: sms }), 400, 'BadRequestError', text);
    const missing = 'Missing personalisation: thing, name';
    expectError(await send({ personalisation: {} }), 400, 'BadRequestError', missing);
    const empty = await aTemplate(harness, service, { template_type: 'email', content: '((a))', subject: 's' });
    const response = await send({ template_id: empty, personalisation: { a: '' } });
    expectError(response, 400, 'BadRequestError', 'Your message is empty.');
  });

  it('400 over 2,000,000 bytes', async () => {
    const template = await aTemplate(harness, service, { template_type: 'email', content: '((a))', subject: 's' });
    const sent = (length: number) => send({ template_id: template, personalisation: { a: 'é'.repeat(length / 2) } });
    expect((await sent(2_000_000)).status).toBe(201);
    const text = 'Your message is too long. Emails cannot be longer than 2000000 bytes. Your message is 2000002 bytes.';
    expectError(await sent(2_000_002), 400, 'BadRequestError', text);
  });

  it('trial mode: allows only members and guests, ignoring case', async () => {
    const member = await aUser(harness, { email_address: 'Grace@Example.org' });
    const trial = await aService(harness, { restricted: true, created_by_id: member });
    const trialKey = await anApiKey(harness, trial);
    const template = await aTemplate(harness, trial, { template_type: 'email' });
    const to = (email_address: string) => send({ template_id: template, email_address }, trialKey);
    expect((await to('grace@EXAMPLE.org')).status).toBe(201);
    expect((await to('ada@example.org')).body.errors[0].message).toMatch(/^Can’t send to this recipient when service/);
  });

  it.each(['simulate-delivered', 'SIMULATE-delivered-2', 'simulate-delivered-3'])(
    '201 and nothing stored for %s',
    async (name) => {
      const { status, body } = await send({ email_address: `${name}@notifications.service.gov.uk` });
      expect(status).toBe(201);
      expect(await stored(body.id)).toBeUndefined();
    },
  );

  it('201 with a scheduled time', async () => {
    const { body } = await send({ scheduled_for: '2026-11-16T13:00' });
    expect(body.scheduled_for).toBe('2026-11-16T13:00:00.000000Z');
  });

  describe('sanitising', () => {
    it('201 removes links and Markdown from the listed values', async () => {
      const evil = 'Amala, please [click this evil link](https://evil.link)';
      const { body } = await send({ personalisation: { name: evil, thing: 'x*y' }, sanitise_content_for: ['NA-ME'] });
      expect(body.content.body).toBe('Hello Amala, please \\[click this evil link\\]\\(\\)\r\n\r\n* x*y');
      expect(body.sanitised_content).toEqual({
        name: { unsanitised: evil, sanitised: 'Amala, please \\[click this evil link\\]\\(\\)' },
      });
      const read = await harness.v2('GET', `/v2/notifications/${body.id}`, key);
      expect(read.body.body).toBe(body.content.body);
    });

    it('201 with an empty object when nothing was changed', async () => {
      expect((await send({ sanitise_content_for: ['name', 5, 'other'] })).body.sanitised_content).toEqual({});
      expect((await send({ sanitise_content_for: null })).body.sanitised_content).toEqual({});
    });
  });

  describe('unsubscribing', () => {
    const own = 'https://example.org/unsubscribe?me';
    let withLink: string;

    beforeAll(async () => {
      withLink = await aTemplate(harness, service, { template_type: 'email', has_unsubscribe_link: true });
    });

    const read = async (id: string) =>
      (await harness.v2('GET', `/v2/notifications/${id}`, key)).body.one_click_unsubscribe_url;

    it('201 with the caller’s own URL', async () => {
      const { body } = await send({ one_click_unsubscribe_url: own, template_id: withLink });
      expect(body.content.one_click_unsubscribe_url).toBe(own);
      expect(await read(body.id)).toBe(own);
    });

    it('201 encodes characters that would end the email header', async () => {
      const odd = 'https://example.org/a\r\nBcc: <eve@example.org>, b';
      const { body } = await send({ one_click_unsubscribe_url: odd });
      expect(body.content.one_click_unsubscribe_url).toBe(odd);
      expect(await read(body.id)).toBe('https://example.org/aBcc:%20%3Ceve@example.org%3E,%20b');
    });

    it('201 without the generated URL, which only the notification shows', async () => {
      const { body } = await send({ template_id: withLink });
      expect(body.content.one_click_unsubscribe_url).toBeNull();
      expect(await read(body.id)).toMatch(new RegExp(`^http://localhost:6011/unsubscribe/${body.id}/[\\w-]+$`));
    });
  });
});
