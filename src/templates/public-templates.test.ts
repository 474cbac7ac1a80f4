import { beforeAll, describe, expect, it } from 'vitest';
import { anApiKey, aReplyTo, aService, aTemplate, aUser } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { channels } from '../protocol/channels.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const unknown = '4f46df42-f795-4cc4-83bb-65ca312f49cd';
let service: string;
let key: string;
let author: string;

beforeAll(async () => {
  service = await aService(harness);
  key = await anApiKey(harness, service);
  author = await aUser(harness, { email_address: 'author@example.org' });
});

function get(url: string) {
  return harness.v2('GET', url, key);
}

function refusal(status: number, error: string, message: string) {
  return { status_code: status, errors: [{ error, message }] };
}

describe('GET /v2/templates', () => {
  it('200 with the templates of the service by name and type, except archived and hidden ones', async () => {
    const own = await aService(harness);
    const ownKey = await anApiKey(harness, own);
    await aTemplate(harness, own, { name: 'b', template_type: 'letter' });
    await aTemplate(harness, own, { name: 'a', template_type: 'email' });
    await aTemplate(harness, own, { name: 'b', template_type: 'sms' });
    await aTemplate(harness, own, { name: 'b', template_type: 'email' });
    await aTemplate(harness, own, { name: 'B' });
    await aTemplate(harness, own, { name: 'gone', archived: true });
    await aTemplate(harness, own, { name: 'Pre-compiled PDF', template_type: 'letter', hidden: true });
    await aTemplate(harness, await aService(harness), { name: 'of another service' });
    const { status, body } = await harness.v2('GET', '/v2/templates', ownKey);
    expect(status).toBe(200);
    expect(body.templates.map((template: { name: string; type: string }) => [template.name, template.type])).toEqual([
      ['B', 'sms'],
      ['a', 'email'],
      ['b', 'sms'],
      ['b', 'email'],
      ['b', 'letter'],
    ]);
  });

  it.each(['sms', 'email', 'letter'])('200 with the templates of type %s', async (type) => {
    const own = await aService(harness);
    const ownKey = await anApiKey(harness, own);
    for (const template_type of channels) await aTemplate(harness, own, { template_type });
    const { body } = await harness.v2('GET', `/v2/templates?type=${type}`, ownKey);
    expect(body.templates.map((template: { type: string }) => template.type)).toEqual([type]);
  });

  it('200 with an empty list for a service without templates', async () => {
    const ownKey = await anApiKey(harness, await aService(harness));
    expect((await harness.v2('GET', '/v2/templates', ownKey)).body).toEqual({ templates: [] });
  });

  it('400 when the type is unknown', async () => {
    const { status, body } = await get('/v2/templates?type=coconut');
    expect(status).toBe(400);
    expect(body).toEqual(refusal(400, 'ValidationError', 'type coconut is not one of [sms, email, letter]'));
  });

  it('400 for an unknown parameter', async () => {
    const { status, body } = await get('/v2/templates?page=2');
    expect(status).toBe(400);
    expect(body).toEqual(
      refusal(400, 'ValidationError', 'Additional properties are not allowed (page was unexpected)'),
    );
  });
});

describe('GET /v2/template/{id}', () => {
  it('200 with every field', async () => {
    const id = await aTemplate(harness, service, {
      name: 'Reminder',
      template_type: 'email',
      subject: 'Your ((appointment type))',
      content: 'Dear ((First name)), come on ((date)) ((late??late))',
      created_by_id: author,
    });
    expect((await get(`/v2/template/${id}`)).body).toEqual({
      id,
      type: 'email',
      name: 'Reminder',
      created_at: '2026-11-15T12:00:00.000000Z',
      updated_at: null,
      created_by: 'author@example.org',
      version: 1,
      body: 'Dear ((First name)), come on ((date)) ((late??late))',
      subject: 'Your ((appointment type))',
      personalisation: {
        'appointment type': { required: true },
        'First name': { required: true },
        date: { required: true },
        late: { required: true },
      },
      postage: null,
      letter_contact_block: null,
    });
  });

  it('200 with an archived template', async () => {
    const id = await aTemplate(harness, service, { archived: true });
    expect((await get(`/v2/template/${id}`)).status).toBe(200);
  });

  it('200 with the postage and the contact block of a letter', async () => {
    const reply_to = await aReplyTo(harness, service, 'letter', { text: 'Room ((room))' });
    const id = await aTemplate(harness, service, { template_type: 'letter', postage: 'first', reply_to });
    const { body } = await get(`/v2/template/${id}`);
    expect(body).toMatchObject({ type: 'letter', subject: 'About ((thing))', postage: 'first' });
    expect(body.letter_contact_block).toBe('Room ((room))');
    expect(Object.keys(body.personalisation)).toEqual(['room', 'thing', 'name']);
  });

  it('200 for an id in upper case', async () => {
    const id = await aTemplate(harness, service);
    expect((await get(`/v2/template/${id.toUpperCase()}`)).body.id).toBe(id);
  });

  it('200 with a placeholder named like a property of Object.prototype', async () => {
    const id = await aTemplate(harness, service, { content: '((__proto__)) ((constructor))' });
    const { text } = await get(`/v2/template/${id}`);
    expect(text).toContain('"personalisation":{"__proto__":{"required":true},"constructor":{"required":true}}');
  });

  it('400 when the id is not a UUID', async () => {
    const { status, body } = await get('/v2/template/not-an-id');
    expect(status).toBe(400);
    expect(body).toEqual(refusal(400, 'ValidationError', 'id is not a valid UUID'));
  });

  it('403 when it belongs to another service', async () => {
    const id = await aTemplate(harness, await aService(harness));
    const { status, body } = await get(`/v2/template/${id}`);
    expect(status).toBe(403);
    expect(body).toEqual(refusal(403, 'AuthError', 'Invalid token: service not found'));
  });

  it('404 when it does not exist', async () => {
    const { status, body } = await get(`/v2/template/${unknown}`);
    expect(status).toBe(404);
    expect(body).toEqual(refusal(404, 'NoResultFound', 'No result found'));
  });

  it('404 when it is hidden', async () => {
    const id = await aTemplate(harness, service, { template_type: 'letter', hidden: true });
    expect((await get(`/v2/template/${id}`)).status).toBe(404);
  });

  it('401 without a key, whatever the id', async () => {
    expect((await harness.request({ method: 'GET', url: '/v2/template/not-an-id' })).status).toBe(401);
  });
});

describe('GET /v2/template/{id}/version/{version}', () => {
  it('200 with that version', async () => {
    const id = await aTemplate(harness, service, { name: 'Old', content: 'Old ((text))', created_by_id: author });
    const editor = await aUser(harness, { email_address: 'editor@example.org' });
    const change = { name: 'New', content: 'New', created_by: editor };
    await harness.admin('POST', `/service/${service}/template/${id}`, change);
    const { status, body } = await get(`/v2/template/${id}/version/1`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id,
      version: 1,
      name: 'Old',
      body: 'Old ((text))',
      personalisation: { text: { required: true } },
      created_by: 'author@example.org',
      updated_at: null,
    });
    expect((await get(`/v2/template/${id}/version/2`)).body).toMatchObject({
      version: 2,
      name: 'New',
      personalisation: {},
      created_by: 'editor@example.org',
      updated_at: '2026-11-15T12:00:00.000000Z',
    });
  });

  it('400 when the version is 0', async () => {
    const id = await aTemplate(harness, service);
    const { status, body } = await get(`/v2/template/${id}/version/0`);
    expect(status).toBe(400);
    expect(body).toEqual(refusal(400, 'ValidationError', 'version 0 is less than the minimum of 1'));
  });

  it.each(['one', '-1', '1.5'])('404 when the version is %s', async (version) => {
    const id = await aTemplate(harness, service);
    const { status, body } = await get(`/v2/template/${id}/version/${version}`);
    expect(status).toBe(404);
    expect(body.errors[0].error).toBe('NotFoundError');
  });

  it.each(['2', '99999999999999999999'])('404 when there is no version %s', async (version) => {
    const id = await aTemplate(harness, service);
    const { status, body } = await get(`/v2/template/${id}/version/${version}`);
    expect(status).toBe(404);
    expect(body).toEqual(refusal(404, 'NoResultFound', 'No result found'));
  });

  it('400 when the id is not a UUID', async () => {
    const { body } = await get('/v2/template/not-an-id/version/1');
    expect(body).toEqual(refusal(400, 'ValidationError', 'id is not a valid UUID'));
  });

  it('403 when it belongs to another service', async () => {
    const id = await aTemplate(harness, await aService(harness));
    expect((await get(`/v2/template/${id}/version/1`)).status).toBe(403);
  });
});

describe('POST /v2/template/{id}/preview', () => {
  function preview(id: string, body?: unknown) {
    return harness.v2('POST', `/v2/template/${id}/preview`, key, body);
  }

  it('200 for a text message, without the name of the service', async () => {
    const prefixing = await aService(harness, { prefix_sms: true });
    const prefixingKey = await anApiKey(harness, prefixing);
    const id = await aTemplate(harness, prefixing, { content: 'Hello ((name)) …\r\n\r\n\r\nbye ' });
    const { status, body } = await harness.v2('POST', `/v2/template/${id}/preview`, prefixingKey, {
      personalisation: { name: 'Zoë' },
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      id,
      type: 'sms',
      version: 1,
      body: 'Hello Zoë ...\n\nbye',
      subject: null,
      html: null,
      postage: null,
    });
  });

  it('200 for an email, with a Markdown body and an HTML fragment', async () => {
    const id = await aTemplate(harness, service, {
      template_type: 'email',
      subject: 'Hello ((name))',
      content: 'Dear ((name)) & ((list))',
    });
    const { status, body } = await preview(id, { personalisation: { name: '<Ada>', list: ['a', 'b'] } });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id,
      type: 'email',
      version: 1,
      subject: 'Hello <Ada>',
      body: 'Dear <Ada> & \n\n* a\n* b',
      postage: null,
    });
    expect(body.html).toMatch(
      /^<p style="Margin: 0 0 20px 0; font-size: 19px; line-height: 25px; color: #0B0C0C;">Dear &lt;Ada&gt; &amp;/,
    );
    expect(body.html).not.toContain('<html');
  });

  it('200 for a letter, without subject and HTML', async () => {
    const id = await aTemplate(harness, service, { template_type: 'letter', postage: 'economy' });
    const { status, body } = await preview(id, { personalisation: { name: 'Ada', thing: 'x' } });
    expect(status).toBe(200);
    expect(body).toEqual({
      id,
      type: 'letter',
      version: 1,
      body: 'Hello Ada',
      subject: null,
      html: null,
      postage: 'economy',
    });
  });

  it.each([
    ['no body', undefined],
    ['null', 'null'],
    ['an empty object', '{}'],
    ['an empty list', '[]'],
    ['empty personalisation', '{"personalisation":{}}'],
    ['unknown keys', '{"other":1}'],
  ])('200 with %s when the template has no placeholders', async (_what, payload) => {
    const id = await aTemplate(harness, service, { content: 'Hello' });
    const { status, body } = await harness.request({
      method: 'POST',
      url: `/v2/template/${id}/preview`,
      headers: { authorization: `Bearer ${key}` },
      payload,
    });
    expect(status).toBe(200);
    expect(body.body).toBe('Hello');
  });

  it('200 with more values than placeholders', async () => {
    const id = await aTemplate(harness, service);
    expect((await preview(id, { personalisation: { NAME: 'Ada', age: 36 } })).body.body).toBe('Hello Ada');
  });

  it('200 with values of every type', async () => {
    const id = await aTemplate(harness, service, { content: '((a)) ((b)) ((c)) ((d)) ((e??shown))' });
    const personalisation = { a: 1.5, b: true, c: ['x', 'y', 'z'], d: '', e: 'yes' };
    expect((await preview(id, { personalisation })).body.body).toBe('1.5 true x, y and z shown');
  });

  it('200 for an archived template, and when the service may not send at all', async () => {
    const limited = await aService(harness, { permissions: [] });
    const limitedKey = await anApiKey(harness, limited);
    const id = await aTemplate(harness, limited, { content: 'Hello', archived: true });
    expect((await harness.v2('POST', `/v2/template/${id}/preview`, limitedKey)).status).toBe(200);
  });

  it('200 for a message that is too long to send', async () => {
    const id = await aTemplate(harness, service);
    expect((await preview(id, { personalisation: { name: 'x'.repeat(2000) } })).body.body).toHaveLength(2006);
  });

  it.each([
    ['brackets', '('.repeat(1_000_000)],
    ['open placeholders', '((a'.repeat(300_000)],
    ['Markdown', '[*_`#^>'.repeat(140_000)],
  ])(
    '200 in linear time for a million characters of %s',
    async (_what, content) => {
      const id = await aTemplate(harness, service, { template_type: 'email', subject: '((x))', content });
      const { status, body } = await preview(id, { personalisation: { x: content } });
      expect(status).toBe(200);
      expect(body.body).toHaveLength(content.length);
    },
    10_000,
  );

  it('200 without the markup in templates and values', async () => {
    const hostile = '<script>alert(1)</script> [x](javascript:alert(1)) <img src=x onerror=alert(1)>';
    const id = await aTemplate(harness, service, { template_type: 'email', content: `((x)) ${hostile}` });
    const { body } = await preview(id, { personalisation: { thing: hostile, x: hostile } });
    expect(body.html).not.toMatch(/<script|<img|href="javascript/i);
  });

  it('200 with the newest version, right after an edit', async () => {
    const id = await aTemplate(harness, service, { content: 'Old' });
    expect((await preview(id)).body).toMatchObject({ version: 1, body: 'Old' });
    await harness.admin('POST', `/service/${service}/template/${id}`, { content: 'New' });
    expect((await preview(id)).body).toMatchObject({ version: 2, body: 'New' });
  });

  it.each(['test', 'team'] as const)('200 with a %s key', async (key_type) => {
    const id = await aTemplate(harness, service, { content: 'Hello' });
    const other = await anApiKey(harness, service, { key_type });
    expect((await harness.v2('POST', `/v2/template/${id}/preview`, other)).status).toBe(200);
  });

  it('400 with the missing values in template order', async () => {
    const id = await aTemplate(harness, service, {
      template_type: 'email',
      subject: '((subject line))',
      content: '((b)) ((a)) ((B)) ((c??x))',
    });
    for (const personalisation of [undefined, {}, { a: null, 'subject line': null }]) {
      const { status, body } = await preview(id, { personalisation });
      expect(status).toBe(400);
      expect(body).toEqual(refusal(400, 'BadRequestError', 'Missing personalisation: subject line, b, a, c'));
    }
  });

  it.each([
    ['a list', ['a', 'b'], 'personalisation [a, b] is not of type object'],
    ['null', null, 'personalisation None is not of type object'],
    ['a text', 'x', 'personalisation x is not of type object'],
    ['a boolean', true, 'personalisation True is not of type object'],
  ])('400 when the personalisation is %s', async (_what, personalisation, message) => {
    const id = await aTemplate(harness, service);
    const { status, body } = await preview(id, { personalisation });
    expect(status).toBe(400);
    expect(body).toEqual(refusal(400, 'ValidationError', message));
  });

  it('400 when the body is not an object', async () => {
    const id = await aTemplate(harness, service);
    expect((await preview(id, [1])).body).toEqual(refusal(400, 'ValidationError', '[1] is not of type object'));
  });

  it.each(['{', 'name=Ada', '{"personalisation": {,}}'])('400 when the body is %s', async (payload) => {
    const id = await aTemplate(harness, service);
    const { status, body } = await harness.request({
      method: 'POST',
      url: `/v2/template/${id}/preview`,
      headers: { authorization: `Bearer ${key}` },
      payload,
    });
    expect(status).toBe(400);
    expect(body).toEqual(refusal(400, 'ValidationError', 'Invalid JSON'));
  });

  it('400 when the id is not a UUID', async () => {
    const { status, body } = await preview('not-an-id', {});
    expect(status).toBe(400);
    expect(body).toEqual(refusal(400, 'ValidationError', 'id is not a valid UUID'));
  });

  it('401 without a key, whatever the id and the body', async () => {
    const url = '/v2/template/not-an-id/preview';
    expect((await harness.request({ method: 'POST', url, payload: '{' })).status).toBe(401);
  });

  it('403 when the template belongs to another service', async () => {
    const id = await aTemplate(harness, await aService(harness));
    const { status, body } = await preview(id, {});
    expect(status).toBe(403);
    expect(body).toEqual(refusal(403, 'AuthError', 'Invalid token: service not found'));
  });

  it('404 when it does not exist or is hidden', async () => {
    const own = await aService(harness);
    const itsKey = await anApiKey(harness, own);
    const hidden = await aTemplate(harness, own, { template_type: 'letter', hidden: true });
    for (const id of [unknown, hidden]) {
      const { status, body } = await harness.v2('POST', `/v2/template/${id}/preview`, itsKey, {});
      expect(status).toBe(404);
      expect(body).toEqual(refusal(404, 'NoResultFound', 'No result found'));
    }
  });
});
