import { beforeAll, describe, expect, it } from 'vitest';
import { aService, aTemplate, aUser } from '../../../test/kit/builders/rows.ts';
import { adminToken, useHarness } from '../../../test/kit/harness.ts';
import { newId } from '../../platform/id.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
let service: string;
let user: string;

beforeAll(async () => {
  user = await aUser(harness, { name: 'Ada Saver' });
  service = await aService(harness, { created_by_id: user });
});

function upload(query: Record<string, string>, payload?: string, of = service) {
  return harness.request({
    method: 'POST',
    url: `/service/${of}/upload?${new URLSearchParams(query)}`,
    headers: {
      authorization: `Bearer ${adminToken(harness.clock)}`,
      ...(payload === undefined ? {} : { 'content-type': 'text/csv' }),
    },
    ...(payload === undefined ? {} : { payload }),
  });
}

const aList = async (text: string) =>
  (await upload({ filename: 'Flood warnings.csv', contact_list: 'true' }, text)).body.data;
const lists = (path = '', of = service) => harness.admin('GET', `/service/${of}/contact-list${path}`);
const save = (id: string, fields: object = {}, of = service) =>
  harness.admin('POST', `/service/${of}/contact-list`, {
    id,
    original_file_name: 'Flood warnings.csv',
    row_count: 2,
    template_type: 'sms',
    created_by: user,
    ...fields,
  });

const numbers = 'Phone number\n07700900460\n+447700900461\n';

describe('POST /service/{service_id}/contact-list', () => {
  it('201 with the record of the list, which is kept', async () => {
    const { id, valid } = await aList(numbers);
    expect(valid).toBe(true);
    const { status, body } = await save(id, { row_count: 99 });
    expect(status).toBe(201);
    expect(body).toEqual({
      id,
      original_file_name: 'Flood warnings.csv',
      row_count: 2,
      recent_job_count: 0,
      has_jobs: false,
      template_type: 'sms',
      service_id: service,
      created_by: 'Ada Saver',
      created_at: '2026-11-16T12:00:00.000000Z',
    });
    expect((await lists(`/${id}`)).body).toEqual(body);
    harness.clock.set('2026-12-16T12:00:00Z');
    await harness.addTask('delete-old-uploads');
    await harness.runTasks();
    expect((await lists(`/${id}/original.csv`)).status).toBe(200);
    harness.clock.set('2026-11-16T12:00:00Z');
  });

  it('400 for a file that cannot be one, one that was not uploaded as one, and one that is saved', async () => {
    const invalid = { result: 'error', message: "File is not valid, can't create contact list" };
    for (const text of ['phone number,name\n07700900460,A\n', 'phone number\nabc\n', 'phone number\n']) {
      const { id, valid } = await aList(text);
      expect(valid).toBe(false);
      expect(await save(id)).toMatchObject({ status: 400, body: invalid });
    }
    const plain = (await upload({ filename: 'a.csv' }, numbers)).body.data;
    expect(await save(plain.id)).toMatchObject({ status: 400, body: invalid });
    const { id } = await aList(numbers);
    expect(await save(id, { template_type: 'email' })).toMatchObject({
      status: 400,
      body: { message: { template_type: ['The file has recipients of the type sms'] } },
    });
    const answers = await Promise.all([1, 2, 3].map(() => save(id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
    expect(await save(id)).toMatchObject({ status: 400, body: { message: 'This upload has already been saved' } });
  });

  it('4xx for wrong fields, an unknown upload and one of another service', async () => {
    const { id } = await aList(numbers);
    const unknown = newId(harness.clock.now());
    expect((await save(id, { template_type: 'letter' })).status).toBe(400);
    expect((await save(id, { original_file_name: undefined })).status).toBe(400);
    expect((await save(id, { row_count: 'two' })).status).toBe(400);
    expect(await save(id, { created_by: unknown })).toMatchObject({
      status: 400,
      body: { result: 'error', message: { created_by: ['No result found'] } },
    });
    expect((await save(unknown)).status).toBe(404);
    expect((await save(id, {}, await aService(harness))).status).toBe(404);
    expect((await lists(`/${id}`)).status).toBe(404);
  });
});

describe('GET /service/{service_id}/contact-list', () => {
  it('200 newest first, without deleted ones, with the jobs of each', async () => {
    const own = await aService(harness, { created_by_id: user });
    const make = async (text: string, fields: object) => {
      const { id } = (await upload({ filename: 'l.csv', contact_list: 'true' }, text, own)).body.data;
      await save(id, fields, own);
      harness.clock.advance({ seconds: 1 });
      return id as string;
    };
    const first = await make(numbers, {});
    const second = await make('email address\na@example.com\n', { template_type: 'email' });
    const gone = await make(numbers, {});
    expect((await harness.admin('DELETE', `/service/${own}/contact-list/${gone}`)).status).toBe(204);
    const job = (created_at: string, contact_list_id: string) => ({
      id: newId(harness.clock.now()),
      service_id: own,
      template_id: first,
      template_version: 1,
      notification_type: 'sms' as const,
      original_file_name: 'l.csv',
      status: 'pending' as const,
      key_type: 'normal' as const,
      row_count: 2,
      contact_list_id,
      created_at,
    });
    await harness.app.db
      .insertInto('jobs')
      .values([
        job('2026-11-08T23:59:59Z', first),
        job('2026-11-09T00:00:00Z', first),
        job('2026-11-16T00:00:00Z', first),
        job('2026-10-01T00:00:00Z', second),
      ])
      .execute();
    const { body } = await lists('', own);
    expect(body.map(({ id, recent_job_count, has_jobs }: never) => [id, recent_job_count, has_jobs])).toEqual([
      [second, 0, true],
      [first, 2, true],
    ]);
    expect((await lists('', newId(harness.clock.now()))).status).toBe(404);
    expect((await lists(`/${first}`)).status).toBe(404);
  });
});

describe('GET /service/{service_id}/contact-list/{contact_list_id}/original.csv', () => {
  it('200 with the cells as they were uploaded', async () => {
    const { id } = await aList(numbers);
    await save(id);
    const { text, headers } = await lists(`/${id}/original.csv`);
    expect(text).toBe('Phone number\r\n07700900460\r\n+447700900461\r\n');
    expect(headers['content-disposition']).toBe('attachment; filename="Flood warnings.csv"');
    expect((await lists(`/${id}/original.csv`, await aService(harness))).status).toBe(404);
  });
});

describe('DELETE /service/{service_id}/contact-list/{contact_list_id}', () => {
  it('204, with its rows', async () => {
    const { id } = await aList(numbers);
    await save(id);
    const remove = (of = service) => harness.admin('DELETE', `/service/${of}/contact-list/${id}`);
    expect((await remove(await aService(harness))).status).toBe(404);
    expect((await remove()).status).toBe(204);
    expect((await remove()).status).toBe(404);
    const { rows } = await harness.app.pool.query('select from upload_chunks where upload_id = $1', [id]);
    expect(rows).toEqual([]);
  });
});

describe('POST /service/{service_id}/upload?contact_list_id', () => {
  it('201 with a copy of the list, checked with the template', async () => {
    const { id } = await aList(`phone number\n${'07700900460\n'.repeat(700)}`);
    await save(id);
    const template_id = await aTemplate(harness, service, { content: 'Flood!' });
    const { status, body } = await upload({ contact_list_id: id, template_id });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({
      contact_list: false,
      contact_list_id: id,
      original_file_name: 'Flood warnings.csv',
      template_id,
      row_count: 700,
      valid: true,
      state: 'checked',
      column_headers: ['phone number'],
    });
    expect(body.data.id).not.toBe(id);
    const again = await upload({ contact_list_id: id, template_id: await aTemplate(harness, service) });
    expect(again.body.data).toMatchObject({ first_problem: 'missing-columns', missing_column_headers: ['name'] });
    expect((await lists(`/${id}`)).status).toBe(200);
  });

  it('404 for a list of another service or a deleted one; a wrong template leaves nothing', async () => {
    const { id } = await aList(numbers);
    await save(id);
    const count = async () =>
      (await harness.app.pool.query('select count(*) from uploads where contact_list_id = $1', [id])).rows[0].count;
    expect((await upload({ contact_list_id: id }, undefined, await aService(harness))).status).toBe(404);
    expect((await upload({ contact_list_id: id, template_id: newId(harness.clock.now()) })).status).toBe(404);
    expect(await count()).toBe(0);
    await harness.admin('DELETE', `/service/${service}/contact-list/${id}`);
    expect((await upload({ contact_list_id: id })).status).toBe(404);
    expect((await upload({})).body).toEqual({
      result: 'error',
      message: { filename: ['Missing data for required field.'] },
    });
  });
});
