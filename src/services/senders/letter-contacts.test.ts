import { describe, expect, it } from 'vitest';
import { aService, aUser } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { newId } from '../../platform/id.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const { admin } = harness;
const now = '2026-11-15T12:00:00.000000Z';

async function contacts() {
  const service = await aService(harness);
  const path = `/service/${service}/letter-contact`;
  const list = async () => (await admin('GET', path)).body;
  const add = async (contact_block: string, is_default: boolean) =>
    (await admin('POST', path, { contact_block, is_default })).body.data;
  return { service, path, list, add };
}

describe('/service/{id}/letter-contact', () => {
  it('POST 201 in data, no default needed; GET lists the default first', async () => {
    const { service, path, list, add } = await contacts();
    const { status, body } = await admin('POST', path, { contact_block: '1 Road\nTown', is_default: false });
    expect(status).toBe(201);
    expect(body).toEqual({
      data: {
        id: expect.any(String),
        service_id: service,
        contact_block: '1 Road\nTown',
        is_default: false,
        archived: false,
        created_at: now,
        updated_at: null,
      },
    });
    const second = await add('2 Road', true);
    expect(await list()).toEqual([second, body.data]);
    const third = await add('3 Road', true);
    expect(await list()).toEqual([third, body.data, { ...second, is_default: false, updated_at: now }]);
    expect((await admin('GET', `${path}/${third.id}`)).body).toEqual(third);
  });

  it('POST {id} 200 updates it; the default can be unset', async () => {
    const { path, add } = await contacts();
    const contact = await add('1 Road', true);
    const change = { contact_block: '2 Road', is_default: false };
    const { status, body } = await admin('POST', `${path}/${contact.id}`, change);
    expect(status).toBe(200);
    expect(body).toEqual({ data: { ...contact, ...change, updated_at: now } });
  });

  it('archive 200 for the default too; removes it from templates', async () => {
    const { service, path, list, add } = await contacts();
    const contact = await add('1 Road', true);
    const created_by = await aUser(harness);
    const fields = { name: 't', template_type: 'letter', subject: 's', content: 'c', created_by, reply_to: contact.id };
    const template = (await admin('POST', `/service/${service}/template`, fields)).body.data;
    expect(template.service_letter_contact_id).toBe(contact.id);
    const { status, body } = await admin('POST', `${path}/${contact.id}/archive`);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ id: contact.id, archived: true });
    expect(await list()).toEqual([]);
    const { data } = (await admin('GET', `/service/${service}/template/${template.id}`)).body;
    expect(data).toMatchObject({ service_letter_contact_id: null, version: 2 });
  });

  it('400 for invalid fields, 404 for unknown ids', async () => {
    const { path } = await contacts();
    const missing = ['Missing data for required field.'];
    expect((await admin('POST', path, {})).body.message).toEqual({ contact_block: missing, is_default: missing });
    expect((await admin('POST', path, { contact_block: '', is_default: null })).body.message).toEqual({
      contact_block: ['Shorter than minimum length 1.'],
      is_default: ['Field may not be null.'],
    });
    const unknown = newId(new Date());
    const request = { contact_block: 'x', is_default: false };
    expect((await admin('GET', `${path}/${unknown}`)).status).toBe(404);
    expect((await admin('POST', `${path}/${unknown}`, request)).status).toBe(404);
    expect((await admin('POST', `${path}/${unknown}/archive`)).status).toBe(404);
    expect((await admin('GET', `/service/${unknown}/letter-contact`)).status).toBe(404);
    expect((await admin('POST', `/service/${unknown}/letter-contact`, request)).status).toBe(404);
  });
});
