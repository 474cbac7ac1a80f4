import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { expectedOf, filled, gcCases } from '../../../test/kit/builders/gc-vectors.ts';
import { anApiKey, aService, aTemplate } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import * as examples from './examples.ts';

const harness = useHarness();
let service: string;
let key: string;
let plainKey: string;

const confirmation = '977e2a00-f957-4ff0-92f2-ca3286b24786';
const decision = 'e81678c0-4897-4111-b9d0-172f6b595f89';

beforeAll(async () => {
  service = await aService(harness, { name: 'Libraries', permissions: ['sms', 'email'] });
  key = await anApiKey(harness, service, { name: 'editor', manage_templates: true });
  plainKey = await anApiKey(harness, service);
});

type Method = Parameters<typeof harness.v2>[0];
const call = (method: Method, path = '', body?: unknown, withKey = key) =>
  harness.v2(method, `/v2/manage-template${path}`, withKey, body);
const make = async (fields: object = {}) => (await call('POST', '', { ...examples.newManaged, ...fields })).body;

function refusal(status: number, error: string, message: string) {
  return { status, body: { status_code: status, errors: [{ error, message }] } };
}

async function folder(name: string, of = service): Promise<string> {
  const { body } = await harness.admin('POST', `/service/${of}/template-folder`, { name, parent_id: null });
  return body.data.id;
}

describe('POST /v2/manage-template', () => {
  it('201 with the example; the category sets the process type, and the key is in the audit log', async () => {
    const { status, body } = await call('POST', '', examples.newManaged);
    const { service_id: _, created_by, ...example } = examples.managed;
    expect([status, body]).toMatchObject([201, { ...example, id: expect.any(String), created_at: expect.any(String) }]);
    expect(Object.keys(body).sort()).toEqual(Object.keys(examples.managed).sort());
    expect([body.service_id, body.created_by]).toEqual([service, expect.stringMatching(/@/)]);
    expect(created_by).toMatch(/@/);
    const source = await harness.v2('GET', `/v2/template/${body.id}/source`, key);
    expect(source.body).toMatchObject({ process_type: 'normal', template_category_id: body.template_category_id });
    const priority = await make({ template_category_id: confirmation.toUpperCase(), name: 'Confirmed' });
    expect(priority.template_category_id).toBe(confirmation);
    expect((await harness.v2('GET', `/v2/template/${priority.id}/source`, key)).body.process_type).toBe('priority');
    const { body: log } = await harness.admin('GET', `/platform-admin/audit-log?thing_id=${body.id}`);
    expect(log.data).toMatchObject([{ actor_type: 'api_key', action: 'create', noun: 'template' }]);
  });

  it('201 in a folder, 400 in that of another service', async () => {
    const inside = await folder('Inside');
    expect(await make({ name: 'Filed', parent_folder_id: inside })).toMatchObject({ folder_id: inside });
    expect(await make({ name: 'Not filed', parent_folder_id: null })).toMatchObject({ folder_id: null });
    const outside = await folder('Outside', await aService(harness));
    expect(await call('POST', '', { ...examples.newManaged, parent_folder_id: outside })).toMatchObject(
      refusal(400, 'BadRequestError', 'parent_folder_id not found'),
    );
  });

  it('400 with the categories beside the error, before any other problem', async () => {
    const categories = (await call('GET', '/template-categories')).body.template_categories;
    expect(categories).toHaveLength(9);
    const problems: [unknown, string, string][] = [
      [undefined, 'TemplateCategoryValidationError', 'template_category_id is a required property'],
      ['x', 'TemplateCategoryValidationError', 'template_category_id must be a valid UUID'],
      [null, 'TemplateCategoryValidationError', 'template_category_id must be a valid UUID'],
      [randomUUID(), 'TemplateCategoryNotFoundError', 'template_category_id not found'],
    ];
    for (const [template_category_id, error, message] of problems) {
      const { status, body } = await call('POST', '', { ...examples.newManaged, template_category_id });
      const expected = { status_code: 400, errors: [{ error, message }], template_categories: categories };
      expect([status, body]).toEqual([400, expected]);
    }
    for (const body of [undefined, [], 'x', 1]) {
      expect((await call('POST', '', body)).body.errors[0].error).toMatch(/TemplateCategory|BadRequest/);
    }
    expect((await call('POST', '', { template_category_id: decision })).body.errors).toEqual(
      ['name', 'template_type', 'content'].map((name) => ({
        error: 'ValidationError',
        message: `${name} is a required property`,
      })),
    );
  });

  it('403 for a channel that the service does not have, 400 for a text that is too long', async () => {
    const emailOnly = await aService(harness, { permissions: ['email'] });
    const itsKey = await anApiKey(harness, emailOnly, { manage_templates: true });
    expect(await call('POST', '', examples.newManaged, itsKey)).toMatchObject(
      refusal(403, 'BadRequestError', 'Creating text message templates is not allowed'),
    );
    expect(await call('POST', '', { ...examples.newManaged, content: 'x'.repeat(919) })).toMatchObject(
      refusal(400, 'BadRequestError', 'Content has a character count greater than the limit of 918'),
    );
    expect(await make({ name: 'x'.repeat(255) })).toMatchObject({ version: 1 });
  });
});

describe('PATCH /v2/manage-template/{id}', () => {
  it('200 with one version for all changes, and the same version for none', async () => {
    const { id } = await make({ template_type: 'email', subject: 'One' });
    const inside = await folder('For changes');
    const change = { name: 'Two', content: 'Text', subject: 'Two', template_category_id: decision };
    const { status, body } = await call('PATCH', `/${id}`, { ...change, parent_folder_id: inside });
    const { content, ...fields } = change;
    expect([status, body]).toMatchObject([200, { ...fields, body: content, folder_id: inside, version: 2 }]);
    expect(body).toMatchObject({ template_category_name: 'Decision', updated_at: expect.any(String) });
    expect((await harness.v2('GET', `/v2/template/${id}/source`, key)).body.process_type).toBe('bulk');
    expect((await call('PATCH', `/${id}`, change)).body.version).toBe(2);
    expect((await call('PATCH', `/${id}`, {})).body).toMatchObject({ version: 2, folder_id: inside });
    expect((await call('PATCH', `/${id}`, { parent_folder_id: null })).body).toMatchObject({ folder_id: null });
    expect((await call('GET', `/${id}`)).body).toMatchObject({ name: 'Two', folder_id: null, version: 2 });
  });

  it('400 for wrong values, 404 for a template of nobody and of another service', async () => {
    const { id } = await make();
    expect(await call('PATCH', `/${id}`, { parent_folder_id: randomUUID(), name: 'Never' })).toMatchObject(
      refusal(400, 'BadRequestError', 'parent_folder_id not found'),
    );
    expect(await call('PATCH', `/${id}`, { name: 'x'.repeat(256) })).toMatchObject(
      refusal(400, 'BadRequestError', 'Template name must be less than 255 characters'),
    );
    expect((await call('PATCH', `/${id}`, { template_category_id: null })).body.template_categories).toHaveLength(9);
    expect((await call('GET', `/${id}`)).body).toMatchObject({ name: examples.newManaged.name, version: 1 });
    const other = await aTemplate(harness, await aService(harness));
    for (const [method, body] of [['GET'], ['PATCH', { name: 'x' }], ['DELETE']] as [Method, object?][]) {
      for (const unknown of [other, randomUUID()]) {
        expect(await call(method, `/${unknown}`, body)).toMatchObject(refusal(404, 'NoResultFound', 'No result found'));
      }
      expect(await call(method, '/x', body)).toMatchObject(refusal(400, 'ValidationError', 'id is not a valid UUID'));
    }
  });
});

describe('DELETE /v2/manage-template/{id}', () => {
  it('200 with the archived template, which can still be read; then 400', async () => {
    const { id } = await make();
    expect(await call('DELETE', `/${id}`)).toMatchObject({ status: 200, body: { archived: true, version: 2 } });
    expect(await call('GET', `/${id}`)).toMatchObject({ status: 200, body: { archived: true } });
    expect(await call('DELETE', `/${id}`)).toMatchObject(
      refusal(400, 'BadRequestError', 'Template is already archived.'),
    );
  });
});

it('403 for a key without the permission on every route, whatever the request says', async () => {
  const forbidden = refusal(403, 'ForbiddenError', 'This API key does not have permission to manage templates.');
  const requests: [Method, string][] = [
    ['GET', '/template-categories'],
    ['POST', ''],
    ['GET', '/x'],
    ['PATCH', '/x'],
    ['DELETE', '/x'],
  ];
  for (const [method, path] of requests) {
    const body = method === 'POST' || method === 'PATCH' ? { wrong: 1 } : undefined;
    expect(await call(method, path, body, plainKey)).toMatchObject(forbidden);
  }
});

describe('further examples', () => {
  const cases = gcCases('templates');
  it.each(cases)('$id $what', async (example) => {
    const words = {
      template: await aTemplate(harness, service, { content: 'Hello ((name))' }),
      archived_template: await aTemplate(harness, service, { archived: true }),
      random_uuid: randomUUID(),
    };
    const { method, path, body } = filled(example.request, words);
    const withKey = example.setup === 'key may manage templates' ? key : plainKey;
    const expected = filled(expectedOf(example), words);
    const authorization = `ApiKey-v1 gcntfy-${withKey}`;
    const response = await harness.v2(method, path, withKey, body, { authorization });
    expect(response.status).toBe(expected.status);
    if (expected.errors) expect(response.body.errors).toEqual(expected.errors);
    for (const name of expected.body_has ?? []) expect(response.body).toHaveProperty(name);
    const { keys, item_keys, ...fields } = expected.body ?? {};
    expect(response.body).toMatchObject(fields);
    const allKeys = (expected.keys ?? keys) as string[] | undefined;
    if (allKeys) expect(Object.keys(response.body).sort()).toEqual(allKeys);
    for (const item of item_keys ? response.body.template_categories : [])
      expect(Object.keys(item).sort()).toEqual(item_keys);
    if (expected.ids) {
      const ids = response.body.template_categories.map((item: Record<string, string>) => item.template_category_id);
      expect(ids).toEqual(expected.ids);
    }
  });
});
