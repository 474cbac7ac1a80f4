import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { ca } from '../src/countries/ca.ts';
import { jwt } from './kit/builders/jwt.ts';
import { anApiKey, aService, aTemplate, aUser } from './kit/builders/rows.ts';
import { expectError, storedMessage } from './kit/builders/sends.ts';
import { type Harness, useHarness } from './kit/harness.ts';

// What clients of GC Notify see: its errors, its way to write numbers, its simulated recipients and its routes.

const now = '2026-11-16T12:00:00Z';
const canadian = useHarness({ now, country: ca, config: { api: { dialect: 'gc', keyPrefix: 'example-' } } });
const british = useHarness({ now });
const unknownId = '0b6f1f5e-3c1d-4a53-9d0e-5a1f2c3b4d5e';

type Body = Record<string, unknown>;

function sendAs(harness: Harness, channel: string, authorization: string, body: Body) {
  const url = `/v2/notifications/${channel}`;
  return harness.request({ method: 'POST', url, headers: { authorization }, body });
}

async function aSender(
  harness: Harness,
  fields: Parameters<typeof aService>[1] = {},
  key: Parameters<typeof anApiKey>[2] = {},
) {
  const service = await aService(harness, fields);
  const apiKey = await anApiKey(harness, service, key);
  const sms = await aTemplate(harness, service, { content: 'Hello' });
  const email = await aTemplate(harness, service, { template_type: 'email', subject: 'Hi', content: 'Hello' });
  const authorization = `ApiKey-v1 ${apiKey}`;
  const sendSms = (body: Body = {}) =>
    sendAs(harness, 'sms', authorization, { phone_number: '+16132532235', template_id: sms, ...body });
  const sendEmail = (body: Body = {}) =>
    sendAs(harness, 'email', authorization, { email_address: 'a@example.ca', template_id: email, ...body });
  return { service, apiKey, authorization, sms, email, sendSms, sendEmail };
}

let sender: Awaited<ReturnType<typeof aSender>>;

beforeAll(async () => {
  sender = await aSender(canadian);
});

describe('errors for a request with ApiKey-v1', () => {
  it('400 with every wrong property in the order of the schema', async () => {
    const { body } = await sender.sendSms({ phone_number: '12345', template_id: 'x', foo: 1 });
    expect(body.errors).toEqual([
      { error: 'ValidationError', message: 'phone_number Not a valid international number' },
      { error: 'ValidationError', message: 'template_id is not a valid UUID' },
      { error: 'ValidationError', message: 'Additional properties are not allowed (foo was unexpected)' },
    ]);
  });

  it('400 for the template of nobody and of another service, on sends and bulk', async () => {
    const other = await aTemplate(canadian, await aService(canadian), { content: 'Hello' });
    for (const template_id of [unknownId, other]) {
      const response = await sender.sendSms({ template_id });
      expectError(response, 400, 'BadRequestError', 'Template not found');
      const rows = [['phone number'], ['6132532235']];
      const bulk = await sendAs(canadian, 'bulk', sender.authorization, { name: 'x', template_id, rows });
      expectError(bulk, 400, 'BadRequestError', 'Template not found');
    }
    const headers = { authorization: sender.authorization };
    const read = await canadian.request({ method: 'GET', url: `/v2/template/${unknownId}`, headers });
    expectError(read, 404, 'NoResultFound', 'No result found');
  });

  it('400 for a deleted template, for missing values and for nothing to send', async () => {
    const archived = await aTemplate(canadian, sender.service, { content: 'Hello', archived: true });
    const filled = await aTemplate(canadian, sender.service, { content: '((name)) ((ref))' });
    const empty = await aTemplate(canadian, sender.service, { content: '((name))' });
    const send = (template_id: string, personalisation: Body = {}) => sender.sendSms({ template_id, personalisation });
    expectError(await send(archived), 400, 'BadRequestError', `Template ${archived} has been deleted`);
    const missing = `Missing personalisation for template ID ${filled}: name, ref`;
    expectError(await send(filled), 400, 'BadRequestError', missing);
    expectError(await send(empty, { name: ' ' }), 400, 'BadRequestError', 'Message is empty or just whitespace');
  });

  it('400 for a channel that the service may not use, on sends and bulk', async () => {
    const one = await aSender(canadian, { permissions: ['letter'] });
    expectError(await one.sendSms(), 400, 'BadRequestError', 'Service is not allowed to send text messages');
    expectError(await one.sendEmail(), 400, 'BadRequestError', 'Service is not allowed to send emails');
    const rows = [['email address'], ['a@example.ca']];
    const bulk = await sendAs(canadian, 'bulk', one.authorization, { name: 'x', template_id: one.email, rows });
    expectError(bulk, 400, 'BadRequestError', 'Service is not allowed to send emails');
  });

  it.each([
    ['LiveService', false],
    ['TrialService', true],
  ])('429 of a %s for a daily limit', async (mode, restricted) => {
    const one = await aSender(canadian, { restricted, sms_message_limit: 0, email_message_limit: 0 });
    const texts = 'Exceeded SMS daily sending limit of 0 fragments';
    expectError(await one.sendSms(), 429, `${mode}TooManySMSRequestsError`, texts);
    const emails = await one.sendEmail();
    expectError(emails, 429, `${mode}TooManyEmailRequestsError`, 'Exceeded email daily sending limit of 0 messages');
    expect(emails.headers['retry-after']).toBeDefined();
  });

  it('400 for a schedule in the past or more than 96 hours ahead; 201 until then, with the offset applied', async () => {
    const at = (scheduled_for: string) => sender.sendSms({ scheduled_for });
    const past = 'scheduled_for datetime cannot be in the past';
    expectError(await at('2016-01-01T10:00:00'), 400, 'ValidationError', past);
    const late = 'scheduled_for datetime can only be up to 96 hours in the future';
    expectError(await at('2026-11-20T12:00:01'), 400, 'ValidationError', late);
    expect((await at('2026-11-20T08:00:00-04:00')).body.scheduled_for).toBe('2026-11-20T12:00:00.000000Z');
  });
});

describe('the dialect of a request', () => {
  it('is that of the service for a bearer, and that of the scheme for ApiKey-v1', async () => {
    const gc = await aSender(british, { api_dialect: 'gc' });
    const govuk = await aSender(british);
    const asked = async ({ sms }: typeof gc, authorization: string) =>
      (await sendAs(british, 'sms', authorization, { phone_number: '1', template_id: sms })).body.errors[0].error;
    const token = ({ service, apiKey }: typeof gc) =>
      `Bearer ${jwt({ iss: service, iat: Date.parse(now) / 1000 }, apiKey.slice(-36))}`;
    expect(await asked(gc, `Bearer ${gc.apiKey}`)).toBe('ValidationError');
    expect(await asked(gc, token(gc))).toBe('ValidationError');
    expect(await asked(govuk, `Bearer ${govuk.apiKey}`)).toBe('InvalidPhoneError');
    expect(await asked(govuk, token(govuk))).toBe('InvalidPhoneError');
    expect(await asked(govuk, `ApiKey-v1 ${govuk.apiKey}`)).toBe('ValidationError');
    expect(await asked(govuk, `Bearer ${govuk.apiKey}`)).toBe('InvalidPhoneError');
  });

  it('changes with the service at once', async () => {
    const one = await aSender(british);
    const error = async () =>
      (await sendAs(british, 'sms', `Bearer ${one.apiKey}`, { phone_number: '1', template_id: one.sms })).body
        .errors[0];
    expect((await error()).error).toBe('InvalidPhoneError');
    await british.admin('POST', `/service/${one.service}`, { api_dialect: 'gc' });
    expect((await error()).message).toBe('phone_number Not a valid international number');
  });

  it('is API_DIALECT for a new service', async () => {
    const user_id = await aUser(canadian);
    const create = (harness: Harness, body: Body) => harness.admin('POST', '/service', body);
    expect((await create(canadian, { name: 'Canadian', user_id })).body.data.api_dialect).toBe('gc');
    const other = { name: 'Other', user_id, api_dialect: 'govuk' };
    expect((await create(canadian, other)).body.data.api_dialect).toBe('govuk');
  });
});

describe('numbers as clients of GC Notify write them', () => {
  it.each([
    ['613 253 2235', '16132532235'],
    ['(613) 253-2235', '16132532235'],
    ['613.253.2235', '16132532235'],
    ['(613).253.2235', '16132532235'],
    ['+1.613.253.2235', '16132532235'],
    ['1 613 253 2235', '16132532235'],
    ['+1 212 736 5000', '12127365000'],
    ['07912345678', '447912345678'],
  ])('201 in the United Kingdom for %s, without a permission', async (phone_number, normalised) => {
    const one = await aSender(british, { permissions: ['sms'] });
    const { status, body } = await one.sendSms({ phone_number });
    expect(status).toBe(201);
    expect(await storedMessage(british, body.id)).toMatchObject({ normalised_recipient: normalised });
  });

  it.each([
    ['+18005551234', 'ValidationError', 'phone_number Not a valid international number'],
    ['5555555555', 'ValidationError', 'phone_number Not a valid international number'],
    ['613.253.2235.', 'ValidationError', 'phone_number Not a valid international number'],
    ['613..253.2235', 'ValidationError', 'phone_number Not a valid international number'],
    ['call 6132532235', 'ValidationError', 'phone_number Not a valid international number'],
    ['6132532235;ext=5', 'ValidationError', 'phone_number Not a valid number'],
    ['+249912345678', 'ValidationError', 'phone_number Country code 249 is not supported'],
    ['+29022158', 'ValidationError', 'phone_number Country code 290 is not supported'],
    ['876 210 1234', 'BadRequestError', 'Cannot send to international mobile numbers'],
    ['+33612345678', 'BadRequestError', 'Cannot send to international mobile numbers'],
  ])('400 in the United Kingdom for %s', async (phone_number, error, message) => {
    const one = await aSender(british, { permissions: ['sms'] });
    expectError(await one.sendSms({ phone_number }), 400, error, message);
  });

  it('costs what the country of the installation says', async () => {
    const one = await aSender(british);
    const { body } = await one.sendSms({ phone_number: '6132532235' });
    const stored = await storedMessage(british, body.id);
    expect(stored).toMatchObject({ international: true });
    expect(stored?.rate_multiplier).toBeGreaterThanOrEqual(1);
  });

  it('are read so in a file of a service that follows GC Notify', async () => {
    const send = async (api_dialect: 'gc' | 'govuk') => {
      const one = await aSender(british, { api_dialect, permissions: ['sms'] });
      const rows = [['phone number'], ['613 253 2235']];
      return sendAs(british, 'bulk', `Bearer ${one.apiKey}`, { name: 'x', template_id: one.sms, rows });
    };
    expect((await send('gc')).status).toBe(201);
    expect((await send('govuk')).status).toBe(400);
  });
});

describe('simulated recipients of GC Notify', () => {
  it.each([
    ['with a live key', {}, {}],
    ['with a team key', {}, { key_type: 'team' as const }],
    ['in trial mode', { restricted: true }, { key_type: 'team' as const }],
    ['without a permission for numbers abroad', { permissions: ['sms', 'email'] }, {}],
  ])('201 %s in every country and dialect; nothing is stored', async (_what, fields, key) => {
    const one = await aSender(british, fields, key);
    for (const authorization of [one.authorization, `Bearer ${one.apiKey}`]) {
      const phone = { phone_number: '+16132532222', template_id: one.sms };
      const email = { email_address: 'simulate-delivered-2@notification.canada.ca', template_id: one.email };
      const responses = [
        await sendAs(british, 'sms', authorization, phone),
        await sendAs(british, 'email', authorization, email),
      ];
      expect(responses.map(({ status }) => status)).toEqual([201, 201]);
      for (const { body } of responses) expect(await storedMessage(british, body.id)).toBeUndefined();
    }
  });

  it('end a message of a test key', async () => {
    const one = await aSender(british, {}, { key_type: 'test' });
    const ids: string[] = [];
    for (const phone_number of ['+15149301633', '+15149301632', '+15149301631']) {
      ids.push((await one.sendSms({ phone_number })).body.id);
    }
    await british.deliver();
    const statuses = await Promise.all(ids.map(async (id) => (await storedMessage(british, id))?.status));
    expect(statuses).toEqual(['temporary-failure', 'permanent-failure', 'delivered']);
  });
});

describe('GET /v2/notifications', () => {
  const list = (authorization: string, query: string) =>
    canadian.request({ method: 'GET', url: `/v2/notifications${query}`, headers: { authorization } });

  it('describes the status of every message, to every client', async () => {
    const { body } = await sender.sendEmail();
    for (const authorization of [sender.authorization, `Bearer ${sender.apiKey}`]) {
      const read = await list(authorization, `/${body.id}`);
      expect(read.body).toMatchObject({ status: 'created', status_description: 'In transit', provider_response: null });
    }
  });

  it('shows what the provider said of a failure', async () => {
    const { body } = await sender.sendEmail();
    await canadian.app.db
      .updateTable('notifications')
      .set({ status: 'permanent-failure' })
      .where('id', '=', body.id)
      .execute();
    const read = async () => (await list(sender.authorization, `/${body.id}`)).body;
    expect(await read()).toMatchObject({ status_description: 'No such address', provider_response: null });
    const failure = { notification_id: body.id, outcome: 'refused' as const, failed_at: now };
    await canadian.app.db
      .insertInto('failed_attempts')
      .values([
        { ...failure, attempt: 1, reason: '451 try later' },
        { ...failure, attempt: 2, reason: 'on the suppression list' },
      ])
      .execute();
    const told = { status_description: 'Blocked', provider_response: 'on the suppression list' };
    expect(await read()).toMatchObject(told);
  });

  it('200 for the statuses and values of GC Notify, and keeps them in links', async () => {
    const one = await aSender(canadian);
    const { id } = (await one.sendSms()).body;
    const found = async (query: string) => (await list(one.authorization, query)).body.notifications.length;
    expect(await found('?status=in-transit')).toBe(1);
    expect(await found('?status=provider-failure')).toBe(0);
    expect(await found('?status=pii-check-failed')).toBe(0);
    const { body } = await list(one.authorization, '?include_jobs=False&status=in-transit');
    expect(body.links.current).toMatch(/\/v2\/notifications\?include_jobs=False&status=in-transit$/);
    expect(body.links.next).toMatch(new RegExp(`^https?://.*\\?older_than=${id}&`));
  });

  it('400 for other values, and for those of GC Notify in the other dialect', async () => {
    const jobs = 'include_jobs 1 is not one of [true, True, false, False]';
    expectError(await list(sender.authorization, '?include_jobs=1'), 400, 'ValidationError', jobs);
    expect((await list(sender.authorization, '?status=elephant')).status).toBe(400);
    const ofGovuk = `Bearer ${sender.apiKey}`;
    const message = 'include_jobs false is not one of [true, True]';
    expectError(await list(ofGovuk, '?include_jobs=false'), 400, 'ValidationError', message);
    expect((await list(ofGovuk, '?status=in-transit')).status).toBe(400);
  });
});

describe('routes of GC Notify', () => {
  const get = (url: string, headers: Record<string, string> = {}, method: 'GET' | 'POST' = 'GET') =>
    british.request({ method, url, headers });

  it('200 for POST /_status, and for / where only JSON is accepted', async () => {
    expect((await get('/_status', {}, 'POST')).body).toMatchObject({ status: 'ok' });
    expect((await get('/_status?simple=true')).body).toMatchObject({ status: 'ok' });
    expect((await get('/', { accept: 'application/json' })).body).toMatchObject({ status: 'ok' });
    expect((await get('/', { accept: 'text/html,application/json' })).status).toBe(303);
    expect((await get('/', { accept: '*/*' })).status).toBe(404);
  });

  it.each(['en', 'fr'])('200 for /v2/openapi-%s, as YAML', async (language) => {
    const response = await get(`/v2/openapi-${language}`);
    expect([response.status, response.headers['content-type']]).toEqual([200, 'application/yaml']);
    expect(response.text).toMatch(/^openapi: 3\.1\.0$/m);
    expect(response.text).toMatch(/^ {2}\/v2\/notifications\/sms:$/m);
    expect(response.text).not.toContain('/platform-stats');
  });
});

describe('the Go client of GC Notify', () => {
  /** The bytes that it writes: its headers in the order of Go, and a body without spaces. */
  async function exchange(method: 'GET' | 'POST', path: string, key: string, body?: string) {
    const { port } = canadian.http.server.address() as { port: number };
    const lines = [
      `${method} ${path} HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      'User-Agent: Go-http-client/1.1',
      ...(body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
      `Authorization: ApiKey-v1 ${key}`,
      ...(body === undefined ? [] : ['Content-Type: application/json']),
      'Accept-Encoding: gzip',
    ];
    const socket = connect(port, '127.0.0.1');
    socket.write(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`);
    let text = '';
    for await (const part of socket.setEncoding('utf8')) {
      text += part;
      const length = Number(/^content-length: (\d+)/im.exec(text)?.[1]);
      if (Buffer.byteLength(text.split('\r\n\r\n')[1] ?? '') >= length) break;
    }
    const [head = '', content = ''] = text.split('\r\n\r\n');
    return { status: Number(head.split(' ')[1]), body: JSON.parse(content), host: `http://127.0.0.1:${port}` };
  }

  beforeAll(async () => {
    await canadian.http.listen({ port: 0, host: '127.0.0.1' });
  });

  it('sends, reads and pages', async () => {
    const one = await aSender(canadian);
    const key = `gcntfy-${one.apiKey}`;
    const email = `{"email_address":"a@example.ca","template_id":"${one.email}","personalisation":{"name":"\\u003cb\\u003e"},"reference":"r"}`;
    const sent = await exchange('POST', '/v2/notifications/email', key, email);
    expect(sent.status).toBe(201);
    // The client reads `content` as a map of strings, which takes null as an empty one.
    expect(Object.values(sent.body.content).every((value) => value === null || typeof value === 'string')).toBe(true);
    const sms = `{"phone_number":"6132532235","template_id":"${one.sms}"}`;
    expect((await exchange('POST', '/v2/notifications/sms', key, sms)).status).toBe(201);
    const bulk = `{"name":"b","template_id":"${one.email}","rows":[["email address"],["a@example.ca"]]}`;
    const job = await exchange('POST', '/v2/notifications/bulk', key, bulk);
    expect(job.body.data).toMatchObject({
      job_status: 'pending',
      notification_count: 1,
      api_key: { key_type: 'normal' },
    });
    const read = await exchange('GET', `/v2/notifications/${sent.body.id}`, key);
    expect(read.body).toMatchObject({ reference: 'r', status_description: 'In transit' });
    expect(Number.isNaN(Date.parse(read.body.created_at))).toBe(false);
    const page = await exchange('GET', '/v2/notifications?reference=r&template_type=email', key);
    expect(page.body.notifications.map(({ id }: { id: string }) => id)).toEqual([sent.body.id]);
    // The client takes its host away from the link and asks for the rest.
    const next = page.body.links.next.replace(page.host, '');
    expect(next).toMatch(/^\/v2\/notifications\?/);
    expect((await exchange('GET', next, key)).body.notifications).toEqual([]);
    const all = await exchange('GET', '/v2/notifications?', key);
    expect(all.body.notifications).toHaveLength(2);
  });

  it('reads errors', async () => {
    const { status, body } = await exchange('POST', '/v2/notifications/sms', 'x'.repeat(72), '{}');
    const errors = [{ error: 'AuthError', message: 'Invalid token: Enter your full API key' }];
    expect([status, body]).toEqual([403, { status_code: 403, errors }]);
  });
});
