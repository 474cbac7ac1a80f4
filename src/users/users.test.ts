import { beforeAll, describe, expect, it } from 'vitest';
import { accountMessages, sentBy } from '../../test/kit/account-messages.ts';
import { anOrganisation, aService, aUser } from '../../test/kit/builders.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { inTransaction } from '../platform/db/database.ts';
import { accountTemplates } from './account-messages.ts';
import { addOrganisationMember, addServiceMember } from './permissions.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const unknown = '4f46df42-0000-4cc4-83bb-65ca312f49cc';
const notFound = { result: 'error', message: 'No result found' };
const missing = 'Missing data for required field.';

let made = 0;
function newUser(fields: object = {}) {
  made += 1;
  return {
    name: 'Ada Sender',
    email_address: `new-${made}@example.org`,
    mobile_number: '+4407700900460',
    password: 'correct horse',
    ...fields,
  };
}

describe('POST /user', () => {
  it('201 with a pending user; the password is nowhere', async () => {
    const answer = await harness.admin('POST', '/user', newUser({ email_address: 'First@Example.org' }));
    expect(answer.status).toBe(201);
    expect(answer.body.data).toMatchObject({
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
    expect(Object.keys(answer.body.data)).toHaveLength(20);
    expect(answer.text + harness.logged.join()).not.toMatch(/correct horse|argon2/);
    expect(await accountMessages(harness)).toEqual([]);
  });

  it('201 with what else was sent, and without what is unknown', async () => {
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
    const body = newUser({ ...fields, permissions: ['x'], created_at: 'x', constructor: 1 });
    const answer = await harness.admin('POST', '/user', body);
    expect(answer.status).toBe(201);
    expect(answer.body.data).toMatchObject({ ...fields, permissions: {} });
    expect((await harness.admin('POST', '/user', newUser({ id: fields.id }))).body.message).toEqual({
      id: ['Id already in use'],
    });
  });

  it.each([['email_auth'], ['webauthn_auth']])('201 without a mobile number for %s', async (auth_type) => {
    const answer = await harness.admin('POST', '/user', newUser({ auth_type, mobile_number: null }));
    expect(answer.status).toBe(201);
    expect(answer.body.data).toMatchObject({
      auth_type,
      mobile_number: null,
      can_use_webauthn: auth_type !== 'email_auth',
    });
  });

  it.each([
    [{}, { name: [missing], email_address: [missing], password: [missing] }],
    [null, { name: [missing], email_address: [missing], password: [missing] }],
    [newUser({ name: '' }), { name: ['Invalid name'] }],
    [
      newUser({ name: null, password: null }),
      { name: ['Field may not be null.'], password: ['Field may not be null.'] },
    ],
    [newUser({ name: 5, password: 5 }), { name: ['Not a valid string.'], password: ['Not a valid string.'] }],
    [newUser({ email_address: 'nonsense' }), { email_address: ['Not a valid email address'] }],
    [
      newUser({ email_address: `${'a'.repeat(244)}@example.org` }),
      { email_address: ['Longer than maximum length 255.'] },
    ],
    [newUser({ mobile_number: '' }), { mobile_number: ['Invalid phone number: Not enough digits'] }],
    [newUser({ mobile_number: 7 }), { mobile_number: ['Not a valid string.'] }],
    [newUser({ auth_type: 'guess' }), { auth_type: ['Must be one of: sms_auth, email_auth, webauthn_auth.'] }],
    [newUser({ auth_type: null }), { auth_type: ['Field may not be null.'] }],
    [newUser({ state: 'x' }), { state: ['Must be one of: pending, active, inactive.'] }],
    [
      newUser({ id: 'x', current_session_id: 'x' }),
      { id: ['Not a valid UUID.'], current_session_id: ['Not a valid UUID.'] },
    ],
    [
      newUser({ logged_in_at: 'noon', platform_admin: 'x' }),
      { logged_in_at: ['Not a valid datetime.'], platform_admin: ['Not a valid boolean.'] },
    ],
    [
      newUser({ name: '', email_address: 'x', mobile_number: '020 7946 0123' }),
      {
        name: ['Invalid name'],
        email_address: ['Not a valid email address'],
        mobile_number: ['Invalid phone number: Not a UK mobile number'],
      },
    ],
  ])('400 for %j', async (body, message) => {
    const answer = await harness.admin('POST', '/user', body);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ result: 'error', message });
  });

  it.each([
    [{ mobile_number: null }],
    [{ mobile_number: undefined }],
    [{ mobile_number: null, auth_type: 'sms_auth' }],
  ])('400 when codes by SMS are chosen with %j', async (fields) => {
    const answer = await harness.admin('POST', '/user', newUser(fields));
    expect(answer.status).toBe(400);
    expect(answer.body.message).toBe('Mobile number must be set if auth_type is set to sms_auth');
  });

  it('400 when the email address is taken, in any case', async () => {
    await harness.admin('POST', '/user', newUser({ email_address: 'taken@example.org' }));
    const answer = await harness.admin('POST', '/user', newUser({ email_address: 'TAKEN@example.org' }));
    expect(answer.status).toBe(400);
    expect(answer.body.message).toEqual({ email_address: ['Email address already in use'] });
  });
});

describe('GET /user/{user_id}', () => {
  it('200 with the user', async () => {
    const user = await aUser(harness);
    const answer = await harness.admin('GET', `/user/${user}`);
    expect(answer.status).toBe(200);
    expect(answer.body.data.id).toBe(user);
  });

  it('404 when there is none', async () => {
    const answer = await harness.admin('GET', `/user/${unknown}`);
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual(notFound);
  });

  it('404 when the id is not one', async () => {
    expect((await harness.admin('GET', '/user/nonsense')).status).toBe(404);
  });

  it('401 without credentials', async () => {
    expect((await harness.request({ method: 'GET', url: `/user/${unknown}` })).status).toBe(401);
  });
});

describe('POST /user/{user_id}', () => {
  let user: string;
  let actor: string;
  beforeAll(async () => {
    user = await aUser(harness, { name: 'Before' });
    actor = await aUser(harness, { name: 'Grace Manager' });
  });

  const change = (body: unknown) => harness.admin('POST', `/user/${user}`, body);

  it('200 with what changed', async () => {
    const body = {
      name: 'After',
      current_session_id: unknown,
      email_access_validated_at: '2026-02-03T04:05:06.789012Z',
      take_part_in_research: false,
      receives_new_features_email: false,
      platform_admin: false,
    };
    const answer = await change(body);
    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({ id: user, ...body });
    expect((await change({ current_session_id: null })).body.data.current_session_id).toBeNull();
  });

  it('200 unchanged for an empty object and for no body', async () => {
    const before = (await harness.admin('GET', `/user/${user}`)).body;
    expect((await change({})).body).toEqual(before);
    expect((await change(undefined)).body).toEqual(before);
  });

  it('200 when the number is removed together with codes by SMS', async () => {
    const id = await aUser(harness);
    expect((await harness.admin('POST', `/user/${id}`, { mobile_number: null })).body.message).toBe(
      'Mobile number must be set if auth_type is set to sms_auth',
    );
    const both = { mobile_number: null, auth_type: 'email_auth' };
    const answer = await harness.admin('POST', `/user/${id}`, both);
    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject(both);
  });

  it.each([
    [{ platform_admin: true }, { platform_admin: ['Cannot set platform_admin to True'] }],
    [{ platform_admin: 'junk' }, { platform_admin: ['Not a valid boolean.'] }],
    [{ password: 'x' }, { _schema: ['Unknown field name password'] }],
    [{ state: 'active' }, { _schema: ['Unknown field name state'] }],
    [{ name: '' }, { name: ['Invalid name'] }],
    [
      { email_address: 'x', mobile_number: '' },
      { email_address: ['Not a valid email address'], mobile_number: ['Invalid phone number: Not enough digits'] },
    ],
    [{ current_session_id: 'x' }, { current_session_id: ['Not a valid UUID.'] }],
    [{ email_access_validated_at: 'x' }, { email_access_validated_at: ['Not a valid datetime.'] }],
    [{ take_part_in_research: 'x' }, { take_part_in_research: ['Not a valid boolean.'] }],
  ])('400 for %j', async (body, message) => {
    const answer = await change(body);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ result: 'error', message });
  });

  it('400 when the email address is another’s', async () => {
    const other = await aUser(harness, { email_address: 'other@example.org' });
    const answer = await change({ email_address: 'Other@example.org' });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toEqual({ email_address: ['Email address already in use'] });
    expect((await harness.admin('POST', `/user/${other}`, { email_address: 'OTHER@example.org' })).status).toBe(200);
  });

  it.each([[unknown], ['nonsense'], [null], [5]])(
    '404 when updated_by is %s, before the body is looked at',
    async (by) => {
      const answer = await change({ updated_by: by, name: '' });
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual(notFound);
    },
  );

  it('404 when there is no such user, before the body is looked at', async () => {
    const answer = await harness.admin('POST', `/user/${unknown}`, { name: '' });
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual(notFound);
  });

  describe('with updated_by', () => {
    const changeBy = (body: object) => sentBy(harness, () => change({ ...body, updated_by: actor }));

    it('tells the new address, and the new number', async () => {
      const { answer, sent } = await changeBy({ email_address: 'fresh@example.org', mobile_number: '07700900111' });
      expect(answer.status).toBe(200);
      const personalisation = {
        name: 'After',
        servicemanagername: 'Grace Manager',
        'email address': 'fresh@example.org',
      };
      expect(sent).toMatchObject([
        { template_id: accountTemplates.emailAddressChanged, recipient: 'fresh@example.org', personalisation },
        { template_id: accountTemplates.mobileNumberChanged, recipient: '07700900111', personalisation },
      ]);
    });

    it('tells nothing when nothing really changed', async () => {
      const { answer, sent } = await changeBy({
        name: 'After',
        email_address: 'fresh@example.org',
        mobile_number: '07700900111',
      });
      expect(answer.status).toBe(200);
      expect(sent).toEqual([]);
    });

    it('400 when the number is taken away: nobody could be told', async () => {
      const { answer, sent } = await changeBy({ mobile_number: null, auth_type: 'email_auth' });
      expect(answer.status).toBe(400);
      expect(answer.body.message).toBe("Recipient can't be empty");
      expect(sent).toEqual([]);
      expect((await harness.admin('GET', `/user/${user}`)).body.data.mobile_number).toBe('07700900111');
    });

    it('tells nobody without it', async () => {
      const { sent } = await sentBy(harness, () => change({ email_address: 'quiet@example.org' }));
      expect(sent).toEqual([]);
    });
  });
});

describe('POST /user/{user_id}/archive', () => {
  it('204; the account is closed and its address is free', async () => {
    const user = await aUser(harness, { email_address: 'leaving@example.org' });
    const service = await aService(harness, { created_by_id: user });
    const organisation = await anOrganisation(harness);
    await inTransaction(harness.app.db, (tx) =>
      addOrganisationMember(
        tx,
        { organisation_id: organisation, user_id: user, permissions: ['manage_services'] },
        harness.clock.now(),
      ),
    );
    const answer = await harness.admin('POST', `/user/${user}/archive`);
    expect(answer.status).toBe(204);
    expect(answer.text).toBe('');
    const closed = {
      name: 'Archived user',
      email_address: `_archived_2026-11-15-12:00:00_${user}@notifications.example`,
      mobile_number: null,
      auth_type: 'email_auth',
      platform_admin: false,
      current_session_id: '00000000-0000-0000-0000-000000000000',
      state: 'inactive',
      services: [],
      permissions: {},
      organisations: [],
      organisation_permissions: {},
    };
    expect((await harness.admin('GET', `/user/${user}`)).body.data).toMatchObject(closed);
    expect(service).toBeDefined();
    expect((await harness.admin('POST', '/user', newUser({ email_address: 'leaving@example.org' }))).status).toBe(201);

    harness.clock.advance({ seconds: 1 });
    expect((await harness.admin('POST', `/user/${user}/archive`, null)).status).toBe(204);
    expect((await harness.admin('GET', `/user/${user}`)).body.data.email_address).toContain('_2026-11-15-12:00:01_');
  });

  it('404 when there is none', async () => {
    expect((await harness.admin('POST', `/user/${unknown}/archive`)).body).toEqual(notFound);
  });
});

describe('POST /user/{user_id}/activate', () => {
  it.each([['pending'], ['inactive']] as const)('200 from %s', async (state) => {
    const user = await aUser(harness, { state });
    const answer = await harness.admin('POST', `/user/${user}/activate`);
    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({ id: user, state: 'active' });
  });

  it('400 when active already', async () => {
    const answer = await harness.admin('POST', `/user/${await aUser(harness)}/activate`);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ result: 'error', message: 'User already active' });
  });

  it('404 when there is none', async () => {
    expect((await harness.admin('POST', `/user/${unknown}/activate`)).body).toEqual(notFound);
  });
});

describe('POST /user/{user_id}/update-password', () => {
  it('200; the moment is recorded, the failures are not forgiven', async () => {
    const { data } = (await harness.admin('POST', '/user', newUser({ failed_login_count: 3 }))).body;
    harness.clock.advance({ seconds: 1 });
    const answer = await harness.admin('POST', `/user/${data.id}/update-password`, { _password: 'another' });
    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({ id: data.id, name: data.name, failed_login_count: 3 });
    expect(answer.body.data.password_changed_at > data.password_changed_at).toBe(true);
  });

  it.each([
    [{}, { _password: [missing] }],
    [{ _password: null }, { _password: ['Field may not be null.'] }],
    [{ _password: 5 }, { _password: ['Not a valid string.'] }],
    [{ _password: 'x', name: 'y' }, { _schema: ['Unknown field name name'] }],
  ])('400 for %j', async (body, message) => {
    const answer = await harness.admin('POST', `/user/${await aUser(harness)}/update-password`, body);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ result: 'error', message });
  });

  it('404 when there is none', async () => {
    expect((await harness.admin('POST', `/user/${unknown}/update-password`, {})).body).toEqual(notFound);
  });
});

describe('POST /user/email', () => {
  it('200 in any case', async () => {
    const user = await aUser(harness, { email_address: 'Exact@example.org' });
    const answer = await harness.admin('POST', '/user/email', { email: 'eXACT@example.org', extra: 1 });
    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({ id: user, email_address: 'Exact@example.org' });
  });

  it.each([
    [{}, missing],
    [{ email: null }, 'Field may not be null.'],
    [{ email: 5 }, 'Not a valid string.'],
    [{ email: 'x' }, 'Not a valid email address'],
  ])('400 for %j', async (body, text) => {
    const answer = await harness.admin('POST', '/user/email', body);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ result: 'error', message: { email: [text] } });
  });

  it('404 when nobody has it', async () => {
    const answer = await harness.admin('POST', '/user/email', { email: 'nobody@example.org' });
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual(notFound);
  });
});

describe('POST /user/find-users-by-email', () => {
  const find = async (email: unknown) => harness.admin('POST', '/user/find-users-by-email', { email });

  it('200 with every address that contains the text, ignoring case', async () => {
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
    expect((await find('')).body.data.length).toBeGreaterThan(10);
  });

  it('400 unless it is a text', async () => {
    expect((await find(1)).body).toEqual({ result: 'error', message: { email: ['Not a valid string.'] } });
    expect((await find(undefined)).body).toEqual({ result: 'error', message: { email: [missing] } });
  });
});

describe('GET /user/{user_id}/organisations-and-services', () => {
  it('200 with the active ones', async () => {
    const user = await aUser(harness);
    const organisation = await anOrganisation(harness, { name: 'Org' });
    const shut = await anOrganisation(harness, { active: false });
    const trial = await aService(harness, { name: 'A trial', restricted: true, organisation_id: shut });
    const live = await aService(harness, { name: 'B live', organisation_id: organisation });
    await aService(harness, { organisation_id: organisation });
    await aService(harness, { organisation_id: organisation, restricted: true });
    const closed = await aService(harness, { organisation_id: organisation, active: false });
    const now = harness.clock.now();
    await inTransaction(harness.app.db, async (tx) => {
      for (const service_id of [trial, live, closed]) {
        await addServiceMember(tx, { service_id, user_id: user, permissions: [] }, now);
      }
      for (const organisation_id of [organisation, shut]) {
        await addOrganisationMember(tx, { organisation_id, user_id: user, permissions: [] }, now);
      }
    });
    const answer = await harness.admin('GET', `/user/${user}/organisations-and-services`);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      organisations: [{ id: organisation, name: 'Org', count_of_live_services: 2 }],
      services: [
        { id: trial, name: 'A trial', restricted: true, organisation: shut },
        { id: live, name: 'B live', restricted: false, organisation },
      ],
    });
  });

  it('404 when there is none', async () => {
    expect((await harness.admin('GET', `/user/${unknown}/organisations-and-services`)).body).toEqual(notFound);
  });
});
