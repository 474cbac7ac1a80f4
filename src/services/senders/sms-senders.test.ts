import { describe, expect, it } from 'vitest';
import { aService, aUser } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { newId } from '../../platform/id.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const { admin } = harness;
const now = '2026-11-15T12:00:00.000000Z';

async function senders(service: string) {
  const path = `/service/${service}/sms-sender`;
  const list = async () => (await admin('GET', path)).body;
  const add = async (sms_sender: string, is_default: boolean) =>
    (await admin('POST', path, { sms_sender, is_default })).body;
  return { path, list, add, first: (await list())[0] };
}

let made = 0;
async function aNumber(): Promise<{ id: string; number: string }> {
  made += 1;
  const number = `07700900${String(made).padStart(3, '0')}`;
  return (await admin('POST', '/inbound-number', { number, provider: 'mmg' })).body.data;
}

describe('GET and POST /service/{id}/sms-sender', () => {
  it('201 with the bare sender; 200 lists the default first', async () => {
    const service = await aService(harness);
    const { path, list, first } = await senders(service);
    const { status, body } = await admin('POST', path, { sms_sender: 'Second', is_default: false });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      sms_sender: 'Second',
      service_id: service,
      is_default: false,
      archived: false,
      inbound_number_id: null,
      created_at: now,
      updated_at: null,
    });
    expect(await list()).toEqual([first, body]);
    const third = (await admin('POST', path, { sms_sender: 'Third', is_default: true })).body;
    expect(await list()).toEqual([third, { ...first, is_default: false, updated_at: now }, body]);
    expect((await admin('GET', `${path}/${third.id}`)).body).toEqual(third);
  });

  it.each([
    [{}, { sms_sender: ['Missing data for required field.'], is_default: ['Missing data for required field.'] }],
    [
      { sms_sender: 'Twelve chars', is_default: 'no' },
      {
        sms_sender: ['Longer than maximum length 11.'],
        is_default: ['Not a valid boolean.'],
      },
    ],
    [{ sms_sender: '', is_default: true }, { sms_sender: ['Shorter than minimum length 1.'] }],
  ])('400 for %o', async (request, message) => {
    const { status, body } = await admin('POST', `/service/${await aService(harness)}/sms-sender`, request);
    expect([status, body.message]).toEqual([400, message]);
  });

  it('404 for an unknown service, an unknown sender and another service’s sender', async () => {
    const unknown = newId(new Date());
    const { path } = await senders(await aService(harness));
    const { first } = await senders(await aService(harness));
    expect((await admin('GET', `/service/${unknown}/sms-sender`)).status).toBe(404);
    const request = { sms_sender: 'x', is_default: true };
    expect((await admin('POST', `/service/${unknown}/sms-sender`, request)).status).toBe(404);
    for (const id of [unknown, first.id]) {
      expect((await admin('GET', `${path}/${id}`)).status).toBe(404);
      expect((await admin('POST', `${path}/${id}`, request)).status).toBe(404);
      expect((await admin('POST', `${path}/${id}/archive`)).status).toBe(404);
    }
  });

  it('keeps exactly one default when several are added concurrently', async () => {
    const { path, list } = await senders(await aService(harness));
    const requests = ['A', 'B', 'C', 'D'].map((sms_sender) => ({ sms_sender, is_default: true }));
    const responses = await Promise.all(requests.map((request) => admin('POST', path, request)));
    expect(responses.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect((await list()).filter(({ is_default }: { is_default: boolean }) => is_default)).toHaveLength(1);
  });
});

describe('POST /service/{id}/sms-sender/{sender_id}', () => {
  it('200 with updated name and default', async () => {
    const { path, add, list, first } = await senders(await aService(harness));
    const second = await add('Second', false);
    const { status, body } = await admin('POST', `${path}/${second.id}`, { sms_sender: 'Other', is_default: true });
    expect(status).toBe(200);
    expect(body).toEqual({ ...second, sms_sender: 'Other', is_default: true, updated_at: now });
    expect(await list()).toEqual([body, { ...first, is_default: false, updated_at: now }]);
  });

  it('400 when unsetting the only default', async () => {
    const { path, first } = await senders(await aService(harness));
    const { status, body } = await admin('POST', `${path}/${first.id}`, { sms_sender: 'x', is_default: false });
    expect([status, body.message]).toEqual([400, 'You must have at least one SMS sender as the default.']);
  });

  it('400 when renaming an inbound number', async () => {
    const service = await aService(harness);
    await aNumber();
    const sender = (await admin('POST', `/inbound-number/service/${service}`)).body;
    const { path } = await senders(service);
    const refused = await admin('POST', `${path}/${sender.id}`, { sms_sender: 'x', is_default: true });
    expect([refused.status, refused.body.message]).toEqual([
      400,
      `You can not change the inbound number for service ${service}`,
    ]);
    const request = { sms_sender: sender.sms_sender, is_default: true };
    expect((await admin('POST', `${path}/${sender.id}`, request)).status).toBe(200);
  });
});

describe('POST /service/{id}/sms-sender/{sender_id}/archive', () => {
  it('200 with the archived sender, which is no longer in the list and in templates', async () => {
    const service = await aService(harness);
    const { path, add, list, first } = await senders(service);
    const second = await add('Second', false);
    const created_by = await aUser(harness);
    const template = { name: 't', template_type: 'sms', content: 'c', created_by, reply_to: second.id };
    const { id } = (await admin('POST', `/service/${service}/template`, template)).body.data;
    const { status, body } = await admin('POST', `${path}/${second.id}/archive`);
    expect(status).toBe(200);
    expect(body).toEqual({ data: { ...second, archived: true, updated_at: now } });
    expect(await list()).toEqual([first]);
    const row = await harness.app.db
      .selectFrom('templates')
      .select(['reply_to', 'version'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(row).toEqual({ reply_to: null, version: 2 });
  });

  it('400 for the default', async () => {
    const { path, first } = await senders(await aService(harness));
    const { status, body } = await admin('POST', `${path}/${first.id}/archive`);
    expect([status, body.message]).toEqual([400, 'You cannot delete a default sms sender']);
  });

  it('400 for an inbound number', async () => {
    const service = await aService(harness);
    const { path, add } = await senders(service);
    await add('Second', false);
    const { id: inbound_number_id, number } = await aNumber();
    const request = { sms_sender: number, is_default: false, inbound_number_id };
    const sender = (await admin('POST', path, request)).body;
    expect(sender).toMatchObject({ sms_sender: number, is_default: false, inbound_number_id });
    const { status, body } = await admin('POST', `${path}/${sender.id}/archive`);
    expect([status, body.message]).toEqual([400, 'You cannot delete an inbound number']);
  });
});

describe('/inbound-number', () => {
  it('POST 201 adds a number; GET lists all and the available ones', async () => {
    const number = await aNumber();
    expect(number).toEqual({
      id: expect.any(String),
      number: expect.stringMatching(/^07700900/),
      provider: 'mmg',
      service: null,
      active: true,
      created_at: now,
      updated_at: null,
    });
    expect((await admin('GET', '/inbound-number')).body.data).toContainEqual(number);
    expect((await admin('GET', '/inbound-number/available')).body.data).toContainEqual(number);
    const again = await admin('POST', '/inbound-number', { number: number.number, provider: 'mmg' });
    expect([again.status, again.body.message]).toEqual([400, { number: ['Inbound number already exists'] }]);
    expect((await admin('POST', '/inbound-number', {})).body.message).toEqual({
      number: ['Missing data for required field.'],
      provider: ['Missing data for required field.'],
    });
  });

  it('POST /inbound-number/service/{id} 201 replaces the only sender', async () => {
    const service = await aService(harness, { name: 'Receiver' });
    const { first, list } = await senders(service);
    const { id: inbound_number_id, number } = await aNumber();
    expect((await admin('GET', `/inbound-number/service/${service}`)).body).toEqual({ data: {} });
    const { status, body } = await admin('POST', `/inbound-number/service/${service}`, { inbound_number_id });
    expect(status).toBe(201);
    expect(body).toEqual({ ...first, sms_sender: number, inbound_number_id, updated_at: now });
    expect(await list()).toEqual([body]);
    expect((await admin('GET', `/inbound-number/service/${service}`)).body.data).toMatchObject({
      id: inbound_number_id,
      number,
      service: { id: service, name: 'Receiver' },
    });
    const available = (await admin('GET', '/inbound-number/available')).body.data;
    expect(available.map(({ id }: { id: string }) => id)).not.toContain(inbound_number_id);
  });

  it('POST /inbound-number/service/{id} 201 adds a new default beside several senders', async () => {
    const service = await aService(harness);
    const { add, list } = await senders(service);
    await add('Second', false);
    const { id: inbound_number_id } = await aNumber();
    const { body } = await admin('POST', `/inbound-number/service/${service}`, { inbound_number_id });
    expect(body).toMatchObject({ is_default: true, inbound_number_id });
    expect(await list()).toHaveLength(3);
  });

  it('POST .../off 204 disables it; assigning it again enables it', async () => {
    const service = await aService(harness);
    const { id: inbound_number_id } = await aNumber();
    await admin('POST', `/inbound-number/service/${service}`, { inbound_number_id });
    const active = async () => (await admin('GET', `/inbound-number/service/${service}`)).body.data.active;
    expect((await admin('POST', `/inbound-number/service/${service}/off`)).status).toBe(204);
    expect(await active()).toBe(false);
    expect((await admin('POST', `/inbound-number/service/${service}`)).body).toMatchObject({ inbound_number_id });
    expect(await active()).toBe(true);
  });

  it('POST /service/{id}/inbound-sms/remove 200 releases the number; another sender becomes the default', async () => {
    const service = await aService(harness, { permissions: ['sms', 'inbound_sms'] });
    const { list, add, first } = await senders(service);
    await add('Second', false);
    const { id: inbound_number_id } = await aNumber();
    await admin('POST', `/inbound-number/service/${service}`, { inbound_number_id });
    const { status, body } = await admin('POST', `/service/${service}/inbound-sms/remove`, { archive: false });
    expect([status, body]).toEqual([200, {}]);
    expect((await admin('GET', `/inbound-number/service/${service}`)).body).toEqual({ data: {} });
    const available = (await admin('GET', '/inbound-number/available')).body.data;
    expect(available.map(({ id }: { id: string }) => id)).toContain(inbound_number_id);
    expect(await list()).toEqual([
      { ...first, is_default: true, updated_at: now },
      expect.objectContaining({ sms_sender: 'Second', is_default: false }),
    ]);
    expect((await admin('GET', `/service/${service}`)).body.data.permissions).toEqual(['sms']);
  });

  it('POST /service/{id}/inbound-sms/remove 200 archives the number; the only sender is replaced', async () => {
    const service = await aService(harness);
    const { id: inbound_number_id } = await aNumber();
    await admin('POST', `/inbound-number/service/${service}`, { inbound_number_id });
    await admin('POST', `/service/${service}/inbound-sms/remove`, { archive: true });
    const numbers = (await admin('GET', '/inbound-number')).body.data;
    expect(numbers.find(({ id }: { id: string }) => id === inbound_number_id)).toMatchObject({
      active: false,
      service: null,
    });
    const { list } = await senders(service);
    expect(await list()).toMatchObject([{ sms_sender: harness.app.config.sms.defaultSender, is_default: true }]);
    expect((await admin('POST', `/service/${service}/inbound-sms/remove`, { archive: true })).status).toBe(200);
    const missing = await admin('POST', `/service/${service}/inbound-sms/remove`, {});
    expect([missing.status, missing.body.message]).toEqual([400, { archive: ['Missing data for required field.'] }]);
    const unknown = newId(new Date());
    expect((await admin('POST', `/service/${unknown}/inbound-sms/remove`, { archive: true })).status).toBe(404);
  });

  it('400 when the number is taken or none is left, 404 for unknown services', async () => {
    const { id: inbound_number_id } = await aNumber();
    await admin('POST', `/inbound-number/service/${await aService(harness)}`, { inbound_number_id });
    const service = await aService(harness);
    const taken = await admin('POST', `/inbound-number/service/${service}`, { inbound_number_id });
    expect([taken.status, taken.body.message]).toEqual([400, { inbound_number_id: ['No result found'] }]);
    await harness.app.db.updateTable('inbound_numbers').set({ active: false }).execute();
    const none = await admin('POST', `/inbound-number/service/${service}`);
    expect([none.status, none.body.message]).toEqual([400, 'There are no available inbound numbers']);
    const unknown = newId(new Date());
    expect((await admin('GET', `/inbound-number/service/${unknown}`)).status).toBe(404);
    expect((await admin('POST', `/inbound-number/service/${unknown}`)).status).toBe(404);
    expect((await admin('POST', `/inbound-number/service/${service}/off`)).status).toBe(404);
  });
});
