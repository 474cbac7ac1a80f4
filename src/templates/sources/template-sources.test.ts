import { beforeAll, describe, expect, it } from 'vitest';
import { anApiKey, aReplyTo, aService, aTemplate } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import * as examples from './examples.ts';

const harness = useHarness();
let service: string;
let key: string;

beforeAll(async () => {
  service = await aService(harness, { permissions: ['sms', 'email'] });
  key = await anApiKey(harness, service, { name: 'repository', manage_templates: true });
});

const post = (path: string, body: unknown, withKey = key) => harness.v2('POST', `/v2/${path}`, withKey, body);
const get = (path: string, withKey = key) => harness.v2('GET', `/v2/${path}`, withKey);

function refusal(status: number, error: string, ...messages: string[]) {
  return { status, body: { status_code: status, errors: messages.map((message) => ({ error, message })) } };
}

async function entries(id: string) {
  const { body } = await harness.admin('GET', `/platform-admin/audit-log?thing_id=${id}`);
  return body.data;
}

describe('POST /v2/template', () => {
  it('201 with the example, with its folders, and an audit entry of the key', async () => {
    const { status, body } = await post('template', examples.newSource);
    expect([status, body]).toEqual([201, { ...examples.source, id: expect.any(String) }]);
    expect((await get('templates/source')).body).toEqual({ templates: [body] });
    expect((await get(`template/${body.id}/source`)).body).toEqual(body);
    const [entry] = await entries(body.id);
    expect(entry).toMatchObject({ actor_type: 'api_key', user_id: null, action: 'create', noun: 'template' });
    expect(entry).toMatchObject({
      request: 'POST /v2/template',
      client: expect.stringMatching(/^repository \([0-9a-f-]{36}\)$/),
    });
    const again = await post('template', { ...examples.newSource, folder: ['Appointments', 'Inner'] });
    expect(again.body.folder).toEqual(['Appointments', 'Inner']);
    const folders = (await harness.admin('GET', `/service/${service}/template-folder`)).body.template_folders;
    expect(folders.map(({ name }: { name: string }) => name)).toEqual(['Appointments', 'Inner']);
  });

  it('200 and nothing stored with dry_run', async () => {
    const before = (await get('templates/source')).body;
    const { status, body } = await post('template?dry_run=true', { ...examples.newSource, folder: ['Never'] });
    expect([status, body.folder]).toEqual([200, ['Never']]);
    expect((await get('templates/source')).body).toEqual(before);
    expect((await harness.admin('GET', `/service/${service}/template-folder`)).text).not.toContain('Never');
    expect(await entries(body.id)).toEqual([]);
  });

  it('400 and 403 with every problem, and nothing is stored', async () => {
    const before = (await get('templates/source')).body;
    const sender = await aReplyTo(harness, await aService(harness), 'email');
    const cases: [object, ReturnType<typeof refusal>][] = [
      [
        {},
        refusal(
          400,
          'ValidationError',
          'name is a required property',
          'type is a required property',
          'body is a required property',
        ),
      ],
      [
        { name: ' ', type: 'fax', body: 1 },
        refusal(
          400,
          'ValidationError',
          'name Invalid template name',
          'type fax is not one of [sms, email, letter]',
          'body 1 is not of type string',
        ),
      ],
      [{ name: 'X', type: 'email', body: '' }, refusal(400, 'ValidationError', 'subject is a required property')],
      [
        { name: 'X', type: 'sms', body: '', colour: 1 },
        refusal(400, 'ValidationError', 'Additional properties are not allowed (colour was unexpected)'),
      ],
      [
        { name: 'X', type: 'letter', body: '', subject: 'X' },
        refusal(403, 'BadRequestError', 'type Creating letter templates is not allowed'),
      ],
      [
        { ...examples.newSource, sender_id: sender },
        refusal(400, 'BadRequestError', `sender_id ${sender} does not exist in database for service id ${service}`),
      ],
      [
        { name: 'X', type: 'sms', body: 'x', letter_welsh_subject: 'y', letter_welsh_body: 'z' },
        refusal(
          400,
          'BadRequestError',
          'letter_welsh_subject Only letters have languages.; letter_welsh_body Only letters have languages.',
        ),
      ],
      [
        { name: 'X', type: 'sms', body: 'x'.repeat(919), folder: ['Never'] },
        refusal(400, 'ValidationError', 'body Content has a character count greater than the limit of 918'),
      ],
    ];
    for (const [body, expected] of cases) expect(await post('template', body)).toMatchObject(expected);
    expect((await get('templates/source')).body).toEqual(before);
    expect((await harness.admin('GET', `/service/${service}/template-folder`)).text).not.toContain('Never');
  });
});

describe('POST /v2/template/{id}', () => {
  it('200 with one version for all changes of a request, and the same version for none', async () => {
    const sender = await aReplyTo(harness, service, 'sms');
    const { body: made } = await post('template', { name: 'Text', type: 'sms', body: 'One' });
    const change = { version: 1, name: 'New', body: 'Two', sender_id: sender, folder: ['Texts'], process_type: 'bulk' };
    const { status, body } = await post(`template/${made.id}`, change);
    expect([status, body]).toEqual([200, { ...made, ...change, version: 2 }]);
    expect((await post(`template/${made.id}`, { ...change, version: 2 })).body.version).toBe(2);
    expect((await post(`template/${made.id}?dry_run=true`, { body: 'Three' })).body).toMatchObject({
      body: 'Three',
      version: 3,
    });
    expect(await post(`template/${made.id}`, change)).toMatchObject(
      refusal(409, 'ConflictError', 'Somebody has changed the template in the meantime: version 2 is the newest'),
    );
    expect((await post(`template/${made.id}`, { archived: true })).body).toMatchObject({
      archived: true,
      version: 3,
      folder: [],
    });
    expect((await get(`template/${made.id}/source`)).body.archived).toBe(true);
    expect((await post(`template/${made.id}`, { archived: false, folder: [] })).body).toMatchObject({
      version: 4,
      body: 'Two',
    });
    expect((await entries(made.id)).map(({ actor_type }: { actor_type: string }) => actor_type)).toEqual(
      // Moving is an entry of its own.
      Array(5).fill('api_key'),
    );
  });

  it('404 for an unknown template, 403 for that of another service', async () => {
    const other = await aTemplate(harness, await aService(harness));
    expect(await post(`template/${service}`, {})).toMatchObject(refusal(404, 'NoResultFound', 'No result found'));
    expect(await post(`template/${other}`, { body: 'X' })).toMatchObject(
      refusal(403, 'AuthError', 'Invalid token: service not found'),
    );
    expect(await get(`template/${other}/source`)).toMatchObject({ status: 403 });
    expect(await post('template/x', {})).toMatchObject(refusal(400, 'ValidationError', 'id is not a valid UUID'));
  });
});

describe('a key without the permission', () => {
  it('403 on every endpoint, also after its service has one with it', async () => {
    const plain = await anApiKey(harness, service);
    const id = await aTemplate(harness, service, { content: 'Mine' });
    const expected = refusal(403, 'BadRequestError', 'This API key may not manage templates');
    for (const path of ['templates/source', `template/${id}/source`])
      expect(await get(path, plain)).toMatchObject(expected);
    expect(await post('template', examples.newSource, plain)).toMatchObject(expected);
    expect(await post(`template/${id}`, { body: 'Stolen' }, plain)).toMatchObject(expected);
    expect((await get(`template/${id}`)).body).toMatchObject({ body: 'Mine', version: 1 });
    const { body } = await harness.admin('GET', `/service/${service}/api-keys`);
    expect(body.apiKeys.map(({ manage_templates }: { manage_templates?: boolean }) => manage_templates)).toEqual([
      true,
      undefined,
    ]);
  });
});
