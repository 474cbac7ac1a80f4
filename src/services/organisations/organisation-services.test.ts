import { describe, expect, it } from 'vitest';
import { anOrganisation, aService, aUser } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { newId } from '../../platform/id.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const { admin } = harness;
const read = async (id: string) => (await admin('GET', `/organisations/${id}`)).body;
const service = async (id: string) => (await admin('GET', `/service/${id}`)).body.data;
const allowance = async (id: string) =>
  (await admin('GET', `/service/${id}/billing/free-sms-fragment-limit`)).body.free_sms_fragment_limit;

let made = 0;
async function someBrands() {
  made += 1;
  const email = { name: `Brand ${made}`, brand_type: 'org', text: 'x' };
  const letter = { name: `Brand ${made}`, filename: `brand-${made}` };
  return {
    email: (await admin('POST', '/email-branding', email)).body.data.id,
    letter: (await admin('POST', '/letter-branding', letter)).body.id,
  };
}

describe('POST /organisations/{id}', () => {
  it('204; updates every attribute', async () => {
    const id = await anOrganisation(harness);
    const brands = await someBrands();
    const change = {
      name: 'Renamed',
      crown: false,
      organisation_type: 'emergency_service',
      email_branding_id: brands.email,
      letter_branding_id: brands.letter,
      agreement_signed: true,
      agreement_signed_at: '2026-11-01T10:00:00.000000Z',
      agreement_signed_by_id: await aUser(harness),
      agreement_signed_on_behalf_of_name: 'A',
      agreement_signed_on_behalf_of_email_address: 'a@example.org',
      agreement_signed_version: 2.5,
      request_to_go_live_notes: 'r',
      notes: 'n',
      purchase_order_number: 'p',
      billing_contact_names: 'b',
      billing_contact_email_addresses: 'e',
      billing_reference: 'f',
      can_approve_own_go_live_requests: true,
      domains: ['B.example', 'a.example'],
    };
    const before = await read(id);
    expect(await admin('POST', `/organisations/${id}`, change)).toMatchObject({ status: 204, text: '' });
    expect(await read(id)).toEqual({ ...before, ...change, domains: ['a.example', 'b.example'] });
    expect((await admin('GET', `/organisations/${id}/email-branding-pool`)).body.data).toHaveLength(1);
    expect((await admin('GET', `/organisations/${id}/letter-branding-pool`)).body.data).toHaveLength(1);
  });

  it('204; updates only the permissions if they are sent', async () => {
    const id = await anOrganisation(harness, { name: 'Permitted' });
    await admin('POST', `/organisations/${id}`, { permissions: [], name: 'Ignored' });
    expect(await read(id)).toMatchObject({ name: 'Permitted', permissions: [] });
    await admin('POST', `/organisations/${id}`, { permissions: ['can_ask_to_join_a_service'] });
    expect((await read(id)).permissions).toEqual(['can_ask_to_join_a_service']);
  });

  it('204 replaces the domains; `[]` clears them and a missing field keeps them', async () => {
    const id = await anOrganisation(harness, { domains: ['one.example'] });
    await admin('POST', `/organisations/${id}`, { domains: ['two.example'] });
    await admin('POST', `/organisations/${id}`, { notes: 'x' });
    expect((await read(id)).domains).toEqual(['two.example']);
    await admin('POST', `/organisations/${id}`, { domains: [] });
    expect((await read(id)).domains).toEqual([]);
  });

  it('400 when a domain belongs to another organisation; changes nothing', async () => {
    await anOrganisation(harness, { domains: ['taken.example'] });
    const id = await anOrganisation(harness, { name: 'Unlucky', domains: ['own.example'] });
    const change = { name: 'New', domains: ['fresh.example', 'TAKEN.example'] };
    const { status, body } = await admin('POST', `/organisations/${id}`, change);
    expect([status, body]).toEqual([400, { result: 'error', message: 'Domain already exists' }]);
    expect(await read(id)).toMatchObject({ name: 'Unlucky', domains: ['own.example'] });
  });

  it('400 when the name is taken or a field is invalid', async () => {
    await anOrganisation(harness, { name: 'Taken' });
    const id = await anOrganisation(harness);
    const refusal = async (change: object) => (await admin('POST', `/organisations/${id}`, change)).body.message;
    expect(await refusal({ name: 'Taken' })).toBe('Organisation name already exists');
    expect(await refusal({ organisation_type: 'circus', domains: 'x', crown: 1 })).toEqual({
      organisation_type: [
        'Must be one of: central, local, nhs_central, nhs_local, nhs_gp, nhs_notify, emergency_service, school_or_college, other.',
      ],
      domains: ['Not a valid list.'],
      crown: ['Not a valid boolean.'],
    });
    expect(await refusal({ email_branding_id: newId(new Date()) })).toEqual({ email_branding_id: ['No result found'] });
    expect(await refusal({ permissions: ['fly'] })).toEqual({
      permissions: ['Must be one of: can_ask_to_join_a_service.'],
    });
  });

  it('404 for an unknown id', async () => {
    expect((await admin('POST', `/organisations/${newId(new Date())}`, { name: 'x' })).status).toBe(404);
  });

  it('204; its services get the new type, its allowance and a new version', async () => {
    const organisation_id = await anOrganisation(harness, { organisation_type: 'central' });
    const id = await aService(harness, { organisation_id, organisation_type: 'central' });
    const other = await aService(harness, { organisation_type: 'central' });
    expect(await allowance(id)).toBe(20_000);
    await admin('POST', `/organisations/${organisation_id}`, { organisation_type: 'nhs_gp' });
    expect(await service(id)).toMatchObject({ organisation_type: 'nhs_gp', version: 2 });
    expect(await allowance(id)).toBe(0);
    expect(await service(other)).toMatchObject({ organisation_type: 'central', version: 1 });
    await admin('POST', `/organisations/${organisation_id}`, { notes: 'x' });
    expect((await service(id)).version).toBe(2);
  });

  it('204; services without a brand get the new default', async () => {
    const organisation_id = await anOrganisation(harness);
    const [old, fresh] = [await someBrands(), await someBrands()];
    const plain = await aService(harness, { organisation_id });
    const branded = await aService(harness, {
      organisation_id,
      email_branding_id: old.email,
      letter_branding_id: old.letter,
    });
    const half = await aService(harness, { organisation_id, email_branding_id: old.email });
    const change = { email_branding_id: fresh.email, letter_branding_id: fresh.letter };
    await admin('POST', `/organisations/${organisation_id}`, change);
    expect(await service(plain)).toMatchObject({
      email_branding: fresh.email,
      letter_branding: fresh.letter,
      version: 2,
    });
    expect(await service(half)).toMatchObject({ email_branding: old.email, letter_branding: fresh.letter, version: 2 });
    expect(await service(branded)).toMatchObject({
      email_branding: old.email,
      letter_branding: old.letter,
      version: 1,
    });
  });
});

describe('POST /organisations/{id}/service', () => {
  it('204; the service gets the type, its allowance and a new version', async () => {
    const organisation = await anOrganisation(harness, { organisation_type: 'local' });
    const id = await aService(harness, { organisation_type: 'central' });
    await admin('POST', `/service/${id}/billing/free-sms-fragment-limit`, { free_sms_fragment_limit: 3 });
    const { status, text } = await admin('POST', `/organisations/${organisation}/service`, { service_id: id });
    expect([status, text]).toEqual([204, '']);
    expect(await service(id)).toMatchObject({ organisation, organisation_type: 'local', version: 2 });
    expect(await allowance(id)).toBe(10_000);
  });

  it('400 for a service that does not exist, 404 for an unknown organisation', async () => {
    const organisation = await anOrganisation(harness);
    const unknown = newId(new Date());
    const refused = await admin('POST', `/organisations/${organisation}/service`, { service_id: unknown });
    expect([refused.status, refused.body.message]).toEqual([400, { service_id: ['No result found'] }]);
    expect((await admin('POST', `/organisations/${organisation}/service`, {})).body.message).toEqual({
      service_id: ['Missing data for required field.'],
    });
    const id = await aService(harness);
    expect((await admin('POST', `/organisations/${unknown}/service`, { service_id: id })).status).toBe(404);
  });
});

describe('GET /organisations/{id}/services', () => {
  it('200 with a bare array: active ones first, then by name', async () => {
    const organisation_id = await anOrganisation(harness);
    const closed = await aService(harness, { name: 'A closed', organisation_id, active: false });
    const beta = await aService(harness, { name: 'Beta', organisation_id, restricted: true });
    const alpha = await aService(harness, { name: 'Alpha', organisation_id });
    const { status, body } = await admin('GET', `/organisations/${organisation_id}/services`);
    expect(status).toBe(200);
    expect(body).toEqual([
      { id: alpha, name: 'Alpha', active: true, restricted: false },
      { id: beta, name: 'Beta', active: true, restricted: true },
      { id: closed, name: 'A closed', active: false, restricted: false },
    ]);
  });

  it('404 for an unknown organisation', async () => {
    expect((await admin('GET', `/organisations/${newId(new Date())}/services`)).status).toBe(404);
  });
});
