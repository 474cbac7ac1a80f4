import { describe, expect, it } from 'vitest';
import { aNewUser, anOrganisation, aService, aUser } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { accountMessages } from '../../test/kit/world/account-messages.ts';
import { inTransaction } from '../platform/db/database.ts';
import { addOrganisationMember, addServiceMember } from './members/permissions.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const unknown = '4f46df42-0000-4cc4-83bb-65ca312f49cc';
const notFound = { result: 'error', message: 'No result found' };
const missing = 'Missing data for required field.';

describe('POST /user', () => {
  it('201 with a pending user, without the password', async () => {
    const response = await harness.admin('POST', '/user', aNewUser({ email_address: 'First@Example.org' }));
    expect(response.status).toBe(201);
    expect(response.body.data).toMatchObject({
      name: 'Ada Sender',
      email_address: 'First@Example.org',
      mobile_number: '+4407700900460',
      state: 'pending',
      auth_type: 'sms_auth',
      failed_login_count: 0,
      created_at: '2026-11-15T12:00:00.000000Z',
      password_changed_at: '2026-11-15T12:00:00.000000Z',
      email_access_validated_at: '2026-11-15T12:00:00.000000Z',
      logged_in_at: null,
      permissions: {},
    });
    expect(Object.keys(response.body.data)).toHaveLength(20);
    expect(response.text + harness.logged.join()).not.toMatch(/correct horse|argon2/);
    expect(await accountMessages(harness)).toEqual([]);
  });

  it('201 with the optional fields; ignores unknown ones', async () => {
    const fields = {
      id: '6af522d0-0000-4e52-83a3-3690455a5fe6',
      state: 'active',
      platform_admin: true,
      failed_login_count: 3,
      logged_in_at: '2026-01-02T03:04:05.678901Z',
      current_session_id: unknown,
      take_part_in_research: false,
      receives_new_features_email: false,
    };
    const body = aNewUser({ ...fields, permissions: ['x'], created_at: 'x', constructor: 1 });
    const response = await harness.admin('POST', '/user', body);
    expect(response.status).toBe(201);
    expect(response.body.data).toMatchObject({ ...fields, permissions: {} });
    expect((await harness.admin('POST', '/user', aNewUser({ id: fields.id }))).body.message).toEqual({
      id: ['Id already in use'],
    });
  });

  it.each([['email_auth'], ['webauthn_auth']])('201 without a mobile number for %s', async (auth_type) => {
    const response = await harness.admin('POST', '/user', aNewUser({ auth_type, mobile_number: null }));
    expect(response.status).toBe(201);
    expect(response.body.data).toMatchObject({
      auth_type,
      mobile_number: null,
      can_use_webauthn: auth_type !== 'email_auth',
    });
  });

  it.each([
    [{}, { name: [missing], email_address: [missing], password: [missing] }],
    [null, { name: [missing], email_address: [missing], password: [missing] }],
    [aNewUser({ name: '' }), { name: ['Invalid name'] }],
    [
      aNewUser({ name: null, password: null }),
      { name: ['Field may not be null.'], password: ['Field may not be null.'] },
    ],
    [aNewUser({ name: 5, password: 5 }), { name: ['Not a valid string.'], password: ['Not a valid string.'] }],
    [aNewUser({ email_address: 'nonsense' }), { email_address: ['Not a valid email address'] }],
    [
      aNewUser({ email_address: `${'a'.repeat(244)}@example.org` }),
      { email_address: ['Longer than maximum length 255.'] },
    ],
    [aNewUser({ mobile_number: '' }), { mobile_number: ['Invalid phone number: Not enough digits'] }],
    [aNewUser({ mobile_number: 7 }), { mobile_number: ['Not a valid string.'] }],
    [aNewUser({ auth_type: 'guess' }), { auth_type: ['Must be one of: sms_auth, email_auth, webauthn_auth.'] }],
    [aNewUser({ auth_type: null }), { auth_type: ['Field may not be null.'] }],
    [aNewUser({ state: 'x' }), { state: ['Must be one of: pending, active, inactive.'] }],
    [
      aNewUser({ id: 'x', current_session_id: 'x' }),
      { id: ['Not a valid UUID.'], current_session_id: ['Not a valid UUID.'] },
    ],
    [
      aNewUser({ logged_in_at: 'noon', platform_admin: 'x' }),
      { logged_in_at: ['Not a valid datetime.'], platform_admin: ['Not a valid boolean.'] },
    ],
    [
      aNewUser({ name: '', email_address: 'x', mobile_number: '020 7946 0123' }),
      {
        name: ['Invalid name'],
        email_address: ['Not a valid email address'],
        mobile_number: ['Invalid phone number: Not a UK mobile number'],
      },
    ],
  ])('400 for %j', async (body, message) => {
    const response = await harness.admin('POST', '/user', body);
    expect(response.status).toBe(400);
    expect(response.body).toEqual({ result: 'error', message });
  });

  it.each([
    [{ mobile_number: null }],
    [{ mobile_number: undefined }],
    [{ mobile_number: null, auth_type: 'sms_auth' }],
  ])('400 for SMS authentication with %j', async (fields) => {
    const response = await harness.admin('POST', '/user', aNewUser(fields));
    expect(response.status).toBe(400);
    expect(response.body.message).toBe('Mobile number must be set if auth_type is set to sms_auth');
  });

  it('400 when the email address is taken, ignoring case', async () => {
    await harness.admin('POST', '/user', aNewUser({ email_address: 'taken@example.org' }));
    const response = await harness.admin('POST', '/user', aNewUser({ email_address: 'TAKEN@example.org' }));
    expect(response.status).toBe(400);
    expect(response.body.message).toEqual({ email_address: ['Email address already in use'] });
  });
});

describe('GET /user/{user_id}', () => {
  it('200 with the user', async () => {
    const user = await aUser(harness);
    const response = await harness.admin('GET', `/user/${user}`);
    expect(response.status).toBe(200);
    expect(response.body.data.id).toBe(user);
  });

  it('404 for an unknown user', async () => {
    const response = await harness.admin('GET', `/user/${unknown}`);
    expect(response.status).toBe(404);
    expect(response.body).toEqual(notFound);
  });

  it('404 for an invalid id', async () => {
    expect((await harness.admin('GET', '/user/nonsense')).status).toBe(404);
  });

  it('401 without credentials', async () => {
    expect((await harness.request({ method: 'GET', url: `/user/${unknown}` })).status).toBe(401);
  });
});

describe('POST /user/email', () => {
  it('200, ignoring case', async () => {
    const user = await aUser(harness, { email_address: 'Exact@example.org' });
    const response = await harness.admin('POST', '/user/email', { email: 'eXACT@example.org', extra: 1 });
    expect(response.status).toBe(200);
    expect(response.body.data).toMatchObject({ id: user, email_address: 'Exact@example.org' });
  });

  it.each([
    [{}, missing],
    [{ email: null }, 'Field may not be null.'],
    [{ email: 5 }, 'Not a valid string.'],
    [{ email: 'x' }, 'Not a valid email address'],
  ])('400 for %j', async (body, text) => {
    const response = await harness.admin('POST', '/user/email', body);
    expect(response.status).toBe(400);
    expect(response.body).toEqual({ result: 'error', message: { email: [text] } });
  });

  it('404 for an unknown address', async () => {
    const response = await harness.admin('POST', '/user/email', { email: 'nobody@example.org' });
    expect(response.status).toBe(404);
    expect(response.body).toEqual(notFound);
  });
});

describe('POST /user/find-users-by-email', () => {
  const find = async (email: unknown) => harness.admin('POST', '/user/find-users-by-email', { email });

  it('200 with the users whose address contains the text, ignoring case', async () => {
    const user = await aUser(harness, { name: 'Finn', email_address: 'Finn.per_cent%a/b@example.org' });
    const row = {
      id: user,
      name: 'Finn',
      email_address: 'Finn.per_cent%a/b@example.org',
      mobile_number: '07700900460',
    };
    for (const part of ['finn', 'PER_', '%a', 'a/b', 'Finn.per_cent%a/b@example.org']) {
      expect((await find(part)).body, part).toEqual({ data: [row] });
    }
    expect((await find('per\\')).body).toEqual({ data: [] });
    const everybody = await harness.app.db.selectFrom('users').select('id').execute();
    expect((await find('')).body.data).toHaveLength(everybody.length);
  });

  it('400 unless it is a string', async () => {
    expect((await find(1)).body).toEqual({ result: 'error', message: { email: ['Not a valid string.'] } });
    expect((await find(undefined)).body).toEqual({ result: 'error', message: { email: [missing] } });
  });
});

describe('GET /user/{user_id}/organisations-and-services', () => {
  it('200 with active organisations and services', async () => {
    const user = await aUser(harness);
    const organisation = await anOrganisation(harness, { name: 'Org' });
    const inactive = await anOrganisation(harness, { active: false });
    const trial = await aService(harness, { name: 'A trial', restricted: true, organisation_id: inactive });
    const live = await aService(harness, { name: 'B live', organisation_id: organisation });
    await aService(harness, { organisation_id: organisation });
    await aService(harness, { organisation_id: organisation, restricted: true });
    const closed = await aService(harness, { organisation_id: organisation, active: false });
    const now = harness.clock.now();
    await inTransaction(harness.app.db, async (tx) => {
      for (const service_id of [trial, live, closed]) {
        await addServiceMember(tx, { service_id, user_id: user, permissions: [] }, now);
      }
      for (const organisation_id of [organisation, inactive]) {
        await addOrganisationMember(tx, { organisation_id, user_id: user, permissions: [] }, now);
      }
    });
    const response = await harness.admin('GET', `/user/${user}/organisations-and-services`);
    expect(response.status).toBe(200);
    expect(response.body).toEqual({
      organisations: [{ id: organisation, name: 'Org', count_of_live_services: 2 }],
      services: [
        { id: trial, name: 'A trial', restricted: true, organisation: inactive },
        { id: live, name: 'B live', restricted: false, organisation },
      ],
    });
  });

  it('404 for an unknown user', async () => {
    expect((await harness.admin('GET', `/user/${unknown}/organisations-and-services`)).body).toEqual(notFound);
  });
});
