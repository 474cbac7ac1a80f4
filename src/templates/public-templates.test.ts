import { beforeAll, describe, expect, it } from 'vitest';
import { anApiKey, aService, aTemplate, aUser } from '../../test/kit/builders.ts';
import { useHarness } from '../../test/kit/harness.ts';

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
  it('200 with the templates of the service by name and type, neither archived nor hidden', async () => {
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

  it.each(['sms', 'email', 'letter'])('200 with those of type %s', async (type) => {
    const own = await aService(harness);
    const ownKey = await anApiKey(harness, own);
    for (const template_type of ['sms', 'email', 'letter'] as const) await aTemplate(harness, own, { template_type });
    const { body } = await harness.v2('GET', `/v2/templates?type=${type}`, ownKey);
    expect(body.templates.map((template: { type: string }) => template.type)).toEqual([type]);
  });

  it('200 and an empty list for a service without templates', async () => {
    const ownKey = await anApiKey(harness, await aService(harness));
    expect((await harness.v2('GET', '/v2/templates', ownKey)).body).toEqual({ templates: [] });
  });

  it('400 when the type is unknown', async () => {
    const { status, body } = await get('/v2/templates?type=coconut');
    expect(status).toBe(400);
    expect(body).toEqual(refusal(400, 'ValidationError', 'type coconut is not one of [sms, email, letter]'));
  });

  it('400 when there is another parameter', async () => {
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

  it('200 with an archived one', async () => {
    const id = await aTemplate(harness, service, { archived: true });
    expect((await get(`/v2/template/${id}`)).status).toBe(200);
  });

  it('200 when the id is written in capitals', async () => {
    const id = await aTemplate(harness, service);
    expect((await get(`/v2/template/${id.toUpperCase()}`)).body.id).toBe(id);
  });

  it('200 with a placeholder called like a property of every object', async () => {
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
