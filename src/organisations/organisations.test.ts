import { describe, expect, it } from 'vitest';
import { anOrganisation, aService, aUser } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { sentBy } from '../../test/kit/world/account-messages.ts';
import { newId } from '../platform/id.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const { admin } = harness;

describe('POST /organisations', () => {
  it('201 with the bare organisation', async () => {
    const request = { name: 'Ministry of Examples', crown: true, organisation_type: 'central' };
    const { status, body } = await admin('POST', '/organisations', request);
    expect(status).toBe(201);
    expect(body).toEqual({
      ...request,
      id: expect.any(String),
      active: true,
      domains: [],
      count_of_live_services: 0,
      email_branding_id: null,
      letter_branding_id: null,
      agreement_signed: null,
      agreement_signed_at: null,
      agreement_signed_by_id: null,
      agreement_signed_on_behalf_of_name: null,
      agreement_signed_on_behalf_of_email_address: null,
      agreement_signed_version: null,
      request_to_go_live_notes: null,
      notes: null,
      purchase_order_number: null,
      billing_contact_names: null,
      billing_contact_email_addresses: null,
      billing_reference: null,
      email_annual_limit: null,
      sms_annual_limit: null,
      letter_annual_limit: null,
      can_approve_own_go_live_requests: false,
      permissions: ['can_ask_to_join_a_service'],
    });
    expect((await admin('GET', `/organisations/${body.id}`)).body).toEqual(body);
  });

  it('201 with an agreement that is already signed; sends no email', async () => {
    const agreement = {
      agreement_signed: true,
      agreement_signed_at: '2026-11-01T10:00:00.000000Z',
      agreement_signed_by_id: await aUser(harness),
      agreement_signed_on_behalf_of_name: 'Olive Other',
      agreement_signed_on_behalf_of_email_address: 'olive@example.org',
      agreement_signed_version: 1.2,
    };
    const request = { name: 'Signed already', crown: false, organisation_type: 'local', ...agreement };
    const { answer, sent } = await sentBy(harness, () => admin('POST', '/organisations', { ...request, notes: 'x' }));
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ ...request, notes: null });
    expect((await admin('GET', `/organisations/${answer.body.id}`)).body).toEqual(answer.body);
    expect(sent).toEqual([]);
  });

  it('400 for an invalid agreement; creates nothing', async () => {
    const request = { name: 'Never made', crown: false, organisation_type: 'local' };
    const wrong = { agreement_signed: 'yes', agreement_signed_version: -1, agreement_signed_at: 'soon' };
    const { status, body } = await admin('POST', '/organisations', { ...request, ...wrong });
    expect(status).toBe(400);
    expect(Object.keys(body.message).sort()).toEqual(Object.keys(wrong).sort());
    const unknown = await admin('POST', '/organisations', { ...request, agreement_signed_by_id: newId(new Date()) });
    expect(unknown.body.message).toEqual({ agreement_signed_by_id: ['No result found'] });
    expect((await admin('GET', '/organisations/search?name=Never%20made')).body.data).toEqual([]);
  });

  it('400 when the name is taken', async () => {
    await anOrganisation(harness, { name: 'Taken' });
    const request = { name: 'Taken', crown: false, organisation_type: 'local' };
    const { status, body } = await admin('POST', '/organisations', request);
    expect(status).toBe(400);
    expect(body).toEqual({ result: 'error', message: 'Organisation name already exists' });
  });

  it('400 with every invalid field', async () => {
    const missing = ['Missing data for required field.'];
    expect((await admin('POST', '/organisations', {})).body.message).toEqual({
      name: missing,
      crown: missing,
      organisation_type: missing,
    });
    const wrong = { name: 7, crown: 'yes', organisation_type: 'circus' };
    expect((await admin('POST', '/organisations', wrong)).body.message).toEqual({
      name: ['Not a valid string.'],
      crown: ['Not a valid boolean.'],
      organisation_type: [
        'Must be one of: central, local, nhs_central, nhs_local, nhs_gp, nhs_notify, emergency_service, school_or_college, other.',
      ],
    });
  });
});

describe('GET /organisations', () => {
  it('200 with a bare array: active ones first, then by name', async () => {
    await anOrganisation(harness, { name: 'A closed one', active: false });
    const id = await anOrganisation(harness, { name: 'A live one', domains: ['live.example', 'alive.example'] });
    await aService(harness, { organisation_id: id });
    await aService(harness, { organisation_id: id, restricted: true });
    await aService(harness, { organisation_id: id, active: false });
    const { status, body } = await admin('GET', '/organisations');
    expect(status).toBe(200);
    expect(body.find((row: { id: string }) => row.id === id)).toEqual({
      id,
      name: 'A live one',
      active: true,
      count_of_live_services: 1,
      domains: ['alive.example', 'live.example'],
      organisation_type: 'central',
    });
    const order = body.map((row: { active: boolean; name: string }) => `${row.active ? 0 : 1}${row.name}`);
    expect(order).toEqual([...order].sort());
  });
});

describe('GET /organisations/{id}', () => {
  it('404 for an unknown id', async () => {
    const { status, body } = await admin('GET', `/organisations/${newId(new Date())}`);
    expect(status).toBe(404);
    expect(body).toEqual({ result: 'error', message: 'No result found' });
  });
});

describe('GET /organisations/search', () => {
  it('200 with the organisations whose name contains the text', async () => {
    await anOrganisation(harness, { name: 'Port Authority 100%' });
    const search = async (name: string) => (await admin('GET', `/organisations/search?name=${name}`)).body.data;
    expect(await search('port%20auth')).toMatchObject([{ name: 'Port Authority 100%' }]);
    expect(await search('100%25')).toHaveLength(1);
    expect(await search('_ort')).toEqual([]);
  });

  it.each(['/organisations/search', '/organisations/search?name='])('400 at %s', async (url) => {
    const { status, body } = await admin('GET', url);
    expect(status).toBe(400);
    expect(body.message).toEqual({ name: ['Missing data for required field.'] });
  });
});

describe('GET /organisations/by-domain', () => {
  it('200 with the owner of the longest matching domain', async () => {
    const wide = await anOrganisation(harness, { domains: ['wide.gov.uk'] });
    const narrow = await anOrganisation(harness, { domains: ['narrow.wide.gov.uk'] });
    const owner = async (domain: string) => (await admin('GET', `/organisations/by-domain?domain=${domain}`)).body.id;
    expect(await owner('wide.gov.uk')).toBe(wide);
    expect(await owner('other.wide.gov.uk')).toBe(wide);
    expect(await owner('deep.narrow.wide.gov.uk')).toBe(narrow);
    expect(await owner('NARROW.wide.gov.uk')).toBe(narrow);
    expect(await owner('wide.gsi.gov.uk')).toBe(wide);
  });

  it('404 when no organisation owns it', async () => {
    await anOrganisation(harness, { domains: ['mouse.example'] });
    expect((await admin('GET', '/organisations/by-domain?domain=dormouse.example')).status).toBe(404);
  });

  it('400 without a domain, or for an address', async () => {
    expect((await admin('GET', '/organisations/by-domain')).status).toBe(400);
    expect((await admin('GET', '/organisations/by-domain?domain=a@b.example')).status).toBe(400);
  });
});

describe('POST /organisations/{id}/archive', () => {
  it('204; renames it and clears its brands and domains, once only', async () => {
    const brand = await admin('POST', '/letter-branding', { name: 'Crest', filename: 'crest' });
    const id = await anOrganisation(harness, {
      name: 'Short lived',
      letter_branding_id: brand.body.id,
      domains: ['short.example'],
    });
    const { status, text } = await admin('POST', `/organisations/${id}/archive`);
    expect([status, text]).toEqual([204, '']);
    expect((await admin('GET', `/organisations/${id}`)).body).toMatchObject({
      name: '_archived_2026-11-15-12:00:00_Short lived',
      active: false,
      letter_branding_id: null,
      domains: [],
    });
    expect((await admin('POST', `/organisations/${id}/archive`)).status).toBe(204);
    expect((await admin('GET', `/organisations/${id}`)).body.name).toBe('_archived_2026-11-15-12:00:00_Short lived');
  });

  it('400 with active services', async () => {
    const id = await anOrganisation(harness);
    await aService(harness, { organisation_id: id });
    const { status, body } = await admin('POST', `/organisations/${id}/archive`);
    expect(status).toBe(400);
    expect(body).toEqual({ result: 'error', message: 'Cannot archive an organisation with active services' });
  });

  it.each(['a member', 'an invitation'])('400 with %s', async (who) => {
    const organisation_id = await anOrganisation(harness);
    const user_id = await aUser(harness);
    if (who === 'a member') {
      await admin('POST', `/organisations/${organisation_id}/users/${user_id}`, { permissions: [] });
    } else {
      const invite = { id: newId(new Date()), organisation_id, email_address: 'x@example.org', invited_by_id: user_id };
      const values = { ...invite, permissions: [], created_at: '2026-11-15T12:00:00Z' };
      await harness.app.db.insertInto('organisation_invites').values(values).execute();
    }
    const { status, body } = await admin('POST', `/organisations/${organisation_id}/archive`);
    expect(status).toBe(400);
    expect(body.message).toBe('Cannot archive an organisation with team members or invited team members');
  });

  it('404 for an unknown id', async () => {
    expect((await admin('POST', `/organisations/${newId(new Date())}/archive`)).status).toBe(404);
  });
});

describe('GET /service/{id}/organisation', () => {
  it('200 with the organisation, or an empty object', async () => {
    const organisation_id = await anOrganisation(harness, { name: 'Owner' });
    const owned = await aService(harness, { organisation_id });
    expect((await admin('GET', `/service/${owned}/organisation`)).body).toEqual(
      (await admin('GET', `/organisations/${organisation_id}`)).body,
    );
    const free = await aService(harness);
    expect(await admin('GET', `/service/${free}/organisation`)).toMatchObject({ status: 200, text: '{}' });
  });

  it('404 for an unknown service', async () => {
    expect((await admin('GET', `/service/${newId(new Date())}/organisation`)).status).toBe(404);
  });
});
