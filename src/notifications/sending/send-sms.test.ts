import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { jwt } from '../../../test/kit/builders/jwt.ts';
import { anApiKey, aReplyTo, aService, aTemplate, aUser } from '../../../test/kit/builders/rows.ts';
import { expectError, storedMessage } from '../../../test/kit/builders/sends.ts';
import { type Answer, useHarness } from '../../../test/kit/harness.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
const url = '/v2/notifications/sms';
const unknown = '4f46df42-f795-4cc4-83bb-65ca312f4900';
const phone_number = '07700900123';
const root = 'http://localhost:80';
let service: string;
let key: string;
let template_id: string;

beforeAll(async () => {
  service = await aService(harness);
  key = await anApiKey(harness, service);
  template_id = await aTemplate(harness, service, { content: 'Hello ((name))' });
});

beforeEach(() => harness.clock.set('2026-11-16T12:00:00Z'));

const good = () => ({ phone_number, template_id, personalisation: { name: 'Ada' } as Record<string, unknown> });

function send(change: Record<string, unknown> = {}, as = key, headers = {}): Promise<Answer> {
  return harness.v2('POST', url, as, { ...good(), ...change }, headers);
}

function errors(response: Answer): [string, string][] {
  return response.body.errors.map(({ error, message }: { error: string; message: string }) => [error, message]);
}

const stored = (id: string) => storedMessage(harness, id);

describe('POST /v2/notifications/sms', () => {
  it('201 with a reference of 1,000 characters of any script, which finds the message', async () => {
    // Random, so that it does not compress below the size limit of an index entry.
    const drawn = (last: string) =>
      String.fromCodePoint(...Array.from({ length: 999 }, () => 0x4e00 + Math.floor(Math.random() * 20_000))) + last;
    const reference = drawn('x');
    const responses = await Promise.all([
      send({ reference }),
      send({ reference: `${reference.slice(0, -1)}y` }),
      send(),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([201, 201, 201]);
    const found = await harness.v2('GET', `/v2/notifications?reference=${encodeURIComponent(reference)}`, key);
    expect(found.body.notifications.map(({ id }: { id: string }) => id)).toEqual([responses[0]?.body.id]);
    expect((await send({ reference: drawn('xx') })).status).toBe(400);
  });

  it('201 returns every key, stores and queues the message', async () => {
    const response = await send({ reference: 'mine', phone_number: ' +44 (0)7700 900-123\u200b' });
    expect(response.status).toBe(201);
    const { id } = response.body;
    expect(response.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      reference: 'mine',
      uri: `${root}/v2/notifications/${id}`,
      template: { id: template_id, version: 1, uri: `${root}/services/${service}/templates/${template_id}` },
      scheduled_for: null,
      content: { body: 'Hello Ada', from_number: 'TESTING' },
    });
    expect(await stored(id)).toMatchObject({
      service_id: service,
      template_id,
      template_version: 1,
      notification_type: 'sms',
      key_type: 'normal',
      status: 'created',
      client_reference: 'mine',
      recipient: '+44 (0)7700 900-123',
      normalised_recipient: '447700900123',
      personalisation: { name: 'Ada' },
      reply_to_text: 'TESTING',
      international: false,
      rate_multiplier: 1,
      billable_units: 0,
      created_at: '2026-11-16T12:00:00.000000Z',
    });
    const queue = await harness.app.db
      .selectFrom('delivery_queue')
      .selectAll()
      .where('notification_id', '=', id)
      .executeTakeFirst();
    expect(queue).toMatchObject({ service_id: service, lane: 1, due_at: '2026-11-16T12:00:00.000000Z', attempts: 0 });
    expect((await harness.v2('GET', `/v2/notifications/${id}`, key)).body).toMatchObject({ id, body: 'Hello Ada' });
  });

  it('201 with a JWT and any content type', async () => {
    const token = jwt({ iss: service, iat: harness.clock.now().getTime() / 1000 }, key.slice(-36));
    const response = await harness.request({
      method: 'POST',
      url: '//v2/notifications//sms/',
      headers: { authorization: `bearer ${token}`, 'content-type': 'text/plain' },
      payload: `\ufeff${JSON.stringify(good())}`,
    });
    expect(response.status).toBe(201);
  });

  it.each([
    ['priority', 0],
    ['normal', 1],
    ['bulk', 2],
  ] as const)('queues in the lane of its template: %s', async (process_type, lane) => {
    const template = await aTemplate(harness, service, { process_type });
    const { body } = await send({ template_id: template });
    const queued = await harness.app.db
      .selectFrom('delivery_queue')
      .select('lane')
      .where('notification_id', '=', body.id)
      .executeTakeFirst();
    expect(queued).toEqual({ lane });
  });

  it('201 without prefix, with normalised whitespace and characters that phones support', async () => {
    const content = '  Hello ((name)) ,\r\n\r\n\r\n\r\n“you” – ☃';
    const template = await aTemplate(harness, service, { content });
    const { body } = await send({ template_id: template });
    expect(body.content.body).toBe('Hello Ada,\n\n"you" - ?');
  });

  it('201 with lists, numbers, booleans, objects and conditions filled in', async () => {
    const template = await aTemplate(harness, service, { content: '((a)) ((b)) ((c)) ((d??shown)) ((E f)) ((g))' });
    const personalisation = { a: ['x', 'y', 'z'], b: 5, c: true, d: 'yes', e_F: '', g: { k: 1 } };
    const { body } = await send({ template_id: template, personalisation });
    expect(body.content.body).toBe('x, y and z 5 true shown {"k":1}');
  });

  it('201 renders numbers as written in the request', async () => {
    const payload = JSON.stringify(good()).replace('"Ada"', '[10.50,12345678901234567890]');
    const headers = { authorization: `Bearer ${key}` };
    const { body } = await harness.request({ method: 'POST', url, headers, payload });
    expect(body.content.body).toBe('Hello 10.50 and 12345678901234567890');
    const read = await harness.v2('GET', `/v2/notifications/${body.id}`, key);
    expect(read.body.body).toBe('Hello 10.50 and 12345678901234567890');
  });

  it('400 for values nested too deeply', async () => {
    const payload = JSON.stringify(good()).replace('"Ada"', `${'['.repeat(20_000)}${']'.repeat(20_000)}`);
    const headers = { authorization: `Bearer ${key}` };
    const response = await harness.request({ method: 'POST', url, headers, payload });
    expectError(response, 400, 'BadRequestError', 'The request is nested too deeply');
  });

  it('201 drops values that the template does not use', async () => {
    const { body } = await send({ personalisation: { 'N-a_m e': 'Ada', other: 1, __proto__: 'x', constructor: 'y' } });
    expect((await stored(body.id))?.personalisation).toEqual({ 'N-a_m e': 'Ada' });
  });

  it('201 without personalisation when the template has no placeholders', async () => {
    const template = await aTemplate(harness, service, { content: 'Hello' });
    expect((await harness.v2('POST', url, key, { phone_number, template_id: template })).status).toBe(201);
  });

  describe('sender', () => {
    it('201 uses the requested one and normalises a number', async () => {
      const chosen = await aReplyTo(harness, service, 'sms', { text: '07123123123' });
      const { body } = await send({ sms_sender_id: chosen });
      expect(body.content.from_number).toBe('447123123123');
      expect((await stored(body.id))?.reply_to_text).toBe('07123123123');
    });

    it('201 prefers the template’s over the service’s', async () => {
      const own = await aReplyTo(harness, service, 'sms', { text: 'OWN' });
      const template = await aTemplate(harness, service, { reply_to: own });
      expect((await send({ template_id: template })).body.content.from_number).toBe('OWN');
      const chosen = await aReplyTo(harness, service, 'sms', { text: '12345' });
      const response = await send({ template_id: template, sms_sender_id: chosen.toUpperCase() });
      expect(response.body.content.from_number).toBe('12345');
    });

    it('400 when it is unknown, archived or belongs to another service', async () => {
      const archived = await aReplyTo(harness, service, 'sms', { archived: true });
      const foreign = await aReplyTo(harness, await aService(harness), 'sms');
      for (const id of [unknown, archived, foreign]) {
        const text = `sms_sender_id ${id} does not exist in database for service id ${service}`;
        expectError(await send({ sms_sender_id: id }), 400, 'BadRequestError', text);
      }
    });
  });

  describe('schema', () => {
    const additional = (names: string) => `Additional properties are not allowed (${names} unexpected)`;
    it.each<[unknown, string[]]>([
      [{}, ['phone_number is a required property', 'template_id is a required property']],
      [null, ['phone_number is a required property', 'template_id is a required property']],
      [[], ['phone_number is a required property', 'template_id is a required property']],
      [0, ['phone_number is a required property', 'template_id is a required property']],
      [[1], ['[1] is not of type object']],
      ['abc', ['abc is not of type object']],
      [{ a: 1 }, ['phone_number is a required property', 'template_id is a required property', additional('a was')]],
      [
        {
          b: 1,
          a: 1,
          phone_number: 5,
          template_id: 'x',
          reference: null,
          personalisation: 'not_a_dict',
          scheduled_for: true,
          sms_sender_id: null,
        },
        [
          'reference None is not of type string',
          'phone_number 5 is not of type string',
          'id is not a valid UUID',
          'personalisation not_a_dict is not of type object',
          'scheduled_for True is not of type string, null',
          'sms_sender_id is not a valid UUID',
          additional('a, b were'),
        ],
      ],
    ])('400 for the body %j', async (body, messages) => {
      const response = await harness.v2('POST', url, key, body);
      expect(response.status).toBe(400);
      expect(errors(response)).toEqual(messages.map((message) => ['ValidationError', message]));
    });

    it.each<[Record<string, unknown>, string]>([
      [{ template_id: 5 }, 'id is not a valid UUID'],
      [{ template_id: `${unknown} ` }, 'id is not a valid UUID'],
      [{ personalisation: null }, 'personalisation None is not of type object'],
      [{ personalisation: ['a', 'b'] }, 'personalisation [a, b] is not of type object'],
      [{ reference: 'a'.repeat(1001) }, `reference ${'a'.repeat(1001)} is too long`],
      [{ phone_number: { a: [null, false] } }, 'phone_number {a: [None, False]} is not of type string'],
      [{ email_reply_to_id: unknown }, additional('email_reply_to_id was')],
    ])('400 for %j', async (change, message) => {
      expectError(await send(change), 400, 'ValidationError', message);
    });

    it('201 with a reference of 1,000 characters', async () => {
      expect((await send({ reference: 'é'.repeat(1000) })).status).toBe(201);
    });

    it.each(['', '{"phone_number":', '   ', 'not json', '{"a":1}}'])(
      '400 for the body %j, which is not JSON',
      async (payload) => {
        const response = await harness.request({
          method: 'POST',
          url,
          headers: { authorization: `Bearer ${key}` },
          payload,
        });
        expectError(response, 400, 'BadRequestError', 'Invalid JSON supplied in POST data');
      },
    );

    it('400 for a body that is not UTF-8', async () => {
      const headers = { authorization: `Bearer ${key}` };
      const response = await harness.request({ method: 'POST', url, headers, payload: Buffer.from([0x7b, 0xff]) });
      expectError(response, 400, 'BadRequestError', 'Invalid JSON supplied in POST data');
    });

    it('413 for a body over 20 MiB', async () => {
      const response = await harness.request({
        method: 'POST',
        url,
        headers: { authorization: `Bearer ${key}` },
        payload: Buffer.alloc(20 * 1024 * 1024 + 1, 0x20),
      });
      expectError(response, 413, 'BadRequestError', 'Request body is too large');
    });

    it.each(['nul \u0000 byte', 'half \ud800 a character'])('400 for text that cannot be stored: %j', async (name) => {
      const response = await send({ personalisation: { name } });
      expectError(response, 400, 'BadRequestError', 'A value in the request cannot be stored');
    });

    it('201 for text that only looks like such an escape', async () => {
      const response = await send({ personalisation: { name: 'C:\\u0000 \\\\ud800' } });
      expect(response.status).toBe(201);
      expect((await stored(response.body.id))?.personalisation).toEqual({ name: 'C:\\u0000 \\\\ud800' });
    });
  });

  describe('number', () => {
    it.each(['', '0770090012', '077009001234567', '07700 90012x', '+850 192 123 4567', '0900 123 4567'])(
      '400 for %j',
      async (number) => {
        expectError(await send({ phone_number: number }), 400, 'InvalidPhoneError', 'Not a valid phone number');
      },
    );

    it('400 lists it after the problems of the schema', async () => {
      expect(errors(await send({ phone_number: 'x', template_id: 'x', extra: 1 }))).toEqual([
        ['ValidationError', 'id is not a valid UUID'],
        ['ValidationError', 'Additional properties are not allowed (extra was unexpected)'],
        ['InvalidPhoneError', 'Not a valid phone number'],
      ]);
    });

    it('201 abroad, with the rate of the country; Jersey needs no permission', async () => {
      const { body } = await send({ phone_number: '+1 202 555 0104' });
      expect(await stored(body.id)).toMatchObject({
        international: true,
        rate_multiplier: 1,
        normalised_recipient: '12025550104',
      });
      const home = await aService(harness, { permissions: ['sms'] });
      const response = await send(
        { template_id: await aTemplate(harness, home), phone_number: '07797 711111' },
        await anApiKey(harness, home),
      );
      expect(response.status).toBe(201);
      expect(await stored(response.body.id)).toMatchObject({ international: true, rate_multiplier: 2 });
    });

    it('400 abroad and for landlines without the permission', async () => {
      const home = await aService(harness, { permissions: ['sms'] });
      const homeKey = await anApiKey(harness, home);
      const template = await aTemplate(harness, home);
      expectError(
        await send({ template_id: template, phone_number: '+1 202 555 0104' }, homeKey),
        400,
        'BadRequestError',
        'Cannot send to international mobile numbers',
      );
      expectError(
        await send({ template_id: template, phone_number: '020 7946 0000' }, homeKey),
        400,
        'InvalidPhoneError',
        'Not a UK mobile number',
      );
    });

    it('201 to a landline with the permission', async () => {
      const able = await aService(harness, { permissions: ['sms', 'sms_to_uk_landlines'] });
      const response = await send(
        { template_id: await aTemplate(harness, able), phone_number: '020 7946 0000' },
        await anApiKey(harness, able),
      );
      expect(response.status).toBe(201);
    });
  });

  describe('template', () => {
    it('404 when it does not exist', async () => {
      expectError(await send({ template_id: unknown }), 404, 'NoResultFound', 'No result found');
    });

    it('403 when it belongs to another service', async () => {
      const foreign = await aTemplate(harness, await aService(harness));
      expectError(await send({ template_id: foreign }), 403, 'AuthError', 'Invalid token: service not found');
    });

    it('400 when it is of another type', async () => {
      const email = await aTemplate(harness, service, { template_type: 'email' });
      const text = 'email template is not suitable for sms notification';
      expectError(await send({ template_id: email }), 400, 'BadRequestError', text);
    });

    it('400 when it was deleted', async () => {
      const archived = await aTemplate(harness, service, { archived: true });
      expectError(await send({ template_id: archived }), 400, 'BadRequestError', 'Template has been deleted');
    });

    it('400 when values are missing, in the order of the template', async () => {
      const template = await aTemplate(harness, service, { content: '((b)) ((A a)) ((c??x)) ((b))' });
      const response = await send({ template_id: template, personalisation: { c: 'no', b: null } });
      expectError(response, 400, 'BadRequestError', 'Missing personalisation: b, A a');
    });

    it('400 when the rendered message is empty', async () => {
      const template = await aTemplate(harness, service, { content: '((a))' });
      const response = await send({ template_id: template, personalisation: { a: ' \n ' } });
      expectError(response, 400, 'BadRequestError', 'Your message is empty.');
    });

    it('400 for a file', async () => {
      const response = await send({ personalisation: { name: 'x', other: { file: 'aGk=' } } });
      expectError(response, 400, 'BadRequestError', 'Can only send a file by email');
    });

    it('201 with 918 characters, 400 with 919; the service name prefix does not count', async () => {
      const long = await aService(harness, { prefix_sms: true });
      const longKey = await anApiKey(harness, long);
      const template = await aTemplate(harness, long, { content: '((a))' });
      const withText = (a: string) => send({ template_id: template, personalisation: { a } }, longKey);
      expect((await withText(`€${'x'.repeat(917)}`)).status).toBe(201);
      expectError(
        await withText('x'.repeat(919)),
        400,
        'BadRequestError',
        'Content for template has a character count greater than the limit of 918',
      );
    });
  });

  describe('service', () => {
    it('403 when it may not send text messages', async () => {
      const emails = await aService(harness, { permissions: ['email'] });
      const response = await send({ template_id: unknown }, await anApiKey(harness, emails));
      expectError(response, 403, 'BadRequestError', 'Service is not allowed to send sms');
    });

    it('401 and 403 for bad credentials before any other check', async () => {
      expect((await harness.request({ method: 'POST', url, payload: 'x' })).status).toBe(401);
      expect((await harness.v2('POST', url, 'nonsense', 'x')).status).toBe(403);
    });
  });

  describe('trial mode and team keys', () => {
    const trial =
      'Can’t send to this recipient when service is in trial mode – see https://www.notifications.service.gov.uk/trial-mode';
    const team = 'Can’t send to this recipient using a team-only API key';
    let restricted: string;
    let restrictedTemplate: string;

    beforeAll(async () => {
      const member = await aUser(harness, { mobile_number: '+44 7700 900777' });
      restricted = await aService(harness, { restricted: true, created_by_id: member });
      restrictedTemplate = await aTemplate(harness, restricted);
      await harness.app.db
        .insertInto('service_guest_list')
        .values({ service_id: restricted, recipient_type: 'mobile', position: 0, recipient: '+1 (202) 555-0104' })
        .execute();
    });

    it('400 for other recipients, 201 for members and guests in any format', async () => {
      const restrictedKey = await anApiKey(harness, restricted);
      const to = (number: string) => send({ template_id: restrictedTemplate, phone_number: number }, restrictedKey);
      expectError(await to(phone_number), 400, 'BadRequestError', trial);
      expect((await to('07700 900 777')).status).toBe(201);
      expect((await to('001 202 5550104')).status).toBe(201);
    });

    it('400 for other recipients with a team key, even of a live service', async () => {
      expectError(await send({}, await anApiKey(harness, service, { key_type: 'team' })), 400, 'BadRequestError', team);
      const teamKey = await anApiKey(harness, restricted, { key_type: 'team' });
      const to = (number: string) => send({ template_id: restrictedTemplate, phone_number: number }, teamKey);
      expectError(await to(phone_number), 400, 'BadRequestError', team);
      expect((await to('07700900777')).status).toBe(201);
    });

    it('201 for any recipient with a test key', async () => {
      const testKey = await anApiKey(harness, restricted, { key_type: 'test' });
      const response = await send({ template_id: restrictedTemplate }, testKey);
      expect(response.status).toBe(201);
      expect((await stored(response.body.id))?.key_type).toBe('test');
    });

    it('404 for an unknown template before the recipient is checked', async () => {
      const response = await send({ template_id: unknown }, await anApiKey(harness, restricted));
      expect(response.status).toBe(404);
    });

    it('201 for a new guest at once', async () => {
      const own = await aService(harness, { restricted: true });
      const ownKey = await anApiKey(harness, own);
      const template = await aTemplate(harness, own);
      expect((await send({ template_id: template }, ownKey)).status).toBe(400);
      await harness.admin('PUT', `/service/${own}/guest-list`, { email_addresses: [], phone_numbers: [phone_number] });
      expect((await send({ template_id: template }, ownKey)).status).toBe(201);
    });
  });

  describe('simulated recipients', () => {
    it.each(['07700900000', '+44 7700 900 111', '447700900222'])('201 and nothing stored for %s', async (number) => {
      const before = await harness.app.db
        .selectFrom('notifications')
        .select((n) => n.fn.countAll().as('n'))
        .execute();
      const response = await send({ phone_number: number });
      expect(response.status).toBe(201);
      expect(response.body.content.body).toBe('Hello Ada');
      expect((await harness.v2('GET', `/v2/notifications/${response.body.id}`, key)).status).toBe(404);
      const after = await harness.app.db
        .selectFrom('notifications')
        .select((n) => n.fn.countAll().as('n'))
        .execute();
      expect(after).toEqual(before);
    });

    it('400 when a rule is broken', async () => {
      expect((await send({ phone_number: '07700900000', personalisation: {} })).status).toBe(400);
    });
  });

  describe('scheduling', () => {
    it.each([
      ['2026-11-16T14:30', '2026-11-16T14:30:00.000000Z'],
      ['2026-11-16 14:30:15.25', '2026-11-16T14:30:15.250000Z'],
      ['2026-11-16T14:30:15.123456', '2026-11-16T14:30:15.123456Z'],
      ['2026-11-16T14:30:00+02:00', '2026-11-16T12:30:00.000000Z'],
      ['20261116T233000Z', '2026-11-16T23:30:00.000000Z'],
      ['2026-11-17', '2026-11-17T00:00:00.000000Z'],
      ['2026-11-17T12:00:00Z', '2026-11-17T12:00:00.000000Z'],
    ])('201 for %s: created and due at that time', async (scheduled_for, expected) => {
      const { status, body } = await send({ scheduled_for });
      expect(status).toBe(201);
      expect(body.scheduled_for).toBe(expected);
      expect(await stored(body.id)).toMatchObject({ status: 'created', scheduled_for: expected });
      const queued = await harness.app.db
        .selectFrom('delivery_queue')
        .select('due_at')
        .where('notification_id', '=', body.id)
        .executeTakeFirst();
      expect(queued?.due_at).toBe(expected);
      expect((await harness.v2('GET', `/v2/notifications/${body.id}`, key)).body.scheduled_for).toBe(expected);
    });

    it('201 without schedule for null', async () => {
      expect((await send({ scheduled_for: null })).body.scheduled_for).toBeNull();
    });

    it.each([
      [
        '',
        'datetime format is invalid. It must be a valid ISO8601 date time format, https://en.wikipedia.org/wiki/ISO_8601',
      ],
      [
        'tomorrow',
        'datetime format is invalid. It must be a valid ISO8601 date time format, https://en.wikipedia.org/wiki/ISO_8601',
      ],
      [
        '2026-02-30T12:00',
        'datetime format is invalid. It must be a valid ISO8601 date time format, https://en.wikipedia.org/wiki/ISO_8601',
      ],
      ['2026-11-16T11:59:59', 'datetime can not be in the past'],
      ['2026-11-16', 'datetime can not be in the past'],
      ['2026-11-17T12:00:01', 'datetime can only be 24 hours in the future'],
    ])('400 for %j', async (scheduled_for, text) => {
      expectError(await send({ scheduled_for }), 400, 'ValidationError', `scheduled_for ${text}`);
    });

    it('400 in the order of the fields', async () => {
      expect(errors(await send({ scheduled_for: 'x', template_id: 'x', sms_sender_id: 'x' }))).toEqual([
        ['ValidationError', 'id is not a valid UUID'],
        ['ValidationError', expect.stringContaining('scheduled_for datetime format is invalid')],
        ['ValidationError', 'sms_sender_id is not a valid UUID'],
      ]);
    });
  });
});

describe('POST /v2/notifications/{something else}', () => {
  it('404 in the format of this API', async () => {
    const response = await harness.v2('POST', '/v2/notifications/pigeon', key, {});
    expect(response.status).toBe(404);
    expect(response.body.errors[0].error).toBe('NotFoundError');
  });

  it('405 for another method on the list', async () => {
    const response = await harness.request({ method: 'DELETE', url: '/v2/notifications' });
    expect(response.status).toBe(405);
    expect(response.body.errors[0].error).toBe('MethodNotAllowedError');
  });
});
