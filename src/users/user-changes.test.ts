import { beforeAll, describe, expect, it } from 'vitest';
import { aNewUser, anOrganisation, aService, aUser } from '../../test/kit/builders/rows.ts';
import { adminToken, useHarness } from '../../test/kit/harness.ts';
import { sentBy } from '../../test/kit/world/account-messages.ts';
import { inTransaction } from '../platform/db/database.ts';
import { accountTemplates } from './account-messages/account-messages.ts';
import { addOrganisationMember } from './members/permissions.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z', config: { urls: { admin: 'https://admin.example' } } });
const unknown = '4f46df42-0000-4cc4-83bb-65ca312f49cc';
const notFound = { result: 'error', message: 'No result found' };
const missing = 'Missing data for required field.';

describe('POST /user/{user_id}', () => {
  let user: string;
  let actor: string;
  beforeAll(async () => {
    user = await aUser(harness, { name: 'Before' });
    actor = await aUser(harness, { name: 'Grace Manager' });
  });

  const change = (body: unknown) => harness.admin('POST', `/user/${user}`, body);

  it('200 with the updated fields', async () => {
    const body = {
      name: 'After',
      current_session_id: unknown,
      email_access_validated_at: '2026-02-03T04:05:06.789012Z',
      take_part_in_research: false,
      receives_new_features_email: false,
      platform_admin: false,
      read_only_operator: true,
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

  it('200 when the number is deleted together with SMS authentication', async () => {
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
    [{ email_access_validated_at: '2026-02-30T00:00:00Z' }, { email_access_validated_at: ['Not a valid datetime.'] }],
    [{ take_part_in_research: 'x' }, { take_part_in_research: ['Not a valid boolean.'] }],
  ])('400 for %j', async (body, message) => {
    const answer = await change(body);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ result: 'error', message });
  });

  it('400 when the email address is taken', async () => {
    const other = await aUser(harness, { email_address: 'other@example.org' });
    const answer = await change({ email_address: 'Other@example.org' });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toEqual({ email_address: ['Email address already in use'] });
    expect((await harness.admin('POST', `/user/${other}`, { email_address: 'OTHER@example.org' })).status).toBe(200);
  });

  it.each([[unknown], ['nonsense'], [null], [5]])(
    '404 when updated_by is %s, before validating the body',
    async (by) => {
      const answer = await change({ updated_by: by, name: '' });
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual(notFound);
    },
  );

  it('404 for an unknown user, before validating the body', async () => {
    const answer = await harness.admin('POST', `/user/${unknown}`, { name: '' });
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual(notFound);
  });

  describe('with updated_by', () => {
    const changeBy = (body: object) => sentBy(harness, () => change({ ...body, updated_by: actor }));

    it('notifies the new and the previous address and number', async () => {
      const before = (await harness.admin('GET', `/user/${user}`)).body.data;
      const { answer, sent } = await changeBy({ email_address: 'fresh@example.org', mobile_number: '07700900111' });
      expect(answer.status).toBe(200);
      const personalisation = {
        name: 'After',
        servicemanagername: 'Grace Manager',
        'email address': 'fresh@example.org',
      };
      const forPrevious = {
        name: 'After',
        servicemanagername: 'Grace Manager',
        support_url: 'https://admin.example/support',
      };
      const { previousEmailAddress, previousMobileNumber } = accountTemplates;
      expect(
        sent.map(({ template_id, recipient, personalisation }) => [template_id, recipient, personalisation]),
      ).toEqual([
        [accountTemplates.emailAddressChanged, 'fresh@example.org', personalisation],
        [previousEmailAddress, before.email_address, forPrevious],
        [accountTemplates.mobileNumberChanged, '07700900111', personalisation],
        [previousMobileNumber, before.mobile_number, forPrevious],
      ]);
    });

    it('notifies only the affected address or number', async () => {
      const withoutNumber = await aUser(harness);
      await harness.admin('POST', `/user/${withoutNumber}`, { auth_type: 'email_auth', mobile_number: null });
      const first = { mobile_number: '07700900222', updated_by: actor };
      const { sent } = await sentBy(harness, () => harness.admin('POST', `/user/${withoutNumber}`, first));
      expect(sent).toMatchObject([{ recipient: '07700900222' }]);
    });

    it('notifies no one when the change is rejected', async () => {
      await aUser(harness, { email_address: 'occupied@example.org' });
      const { answer, sent } = await changeBy({ email_address: 'occupied@example.org', mobile_number: '07700900333' });
      expect(answer.status).toBe(400);
      expect(sent).toEqual([]);
    });

    it('notifies no one when nothing changed', async () => {
      const { answer, sent } = await changeBy({
        name: 'After',
        email_address: 'fresh@example.org',
        mobile_number: '07700900111',
      });
      expect(answer.status).toBe(200);
      expect(sent).toEqual([]);
    });

    it('400 when the number is deleted, because no notification could be sent', async () => {
      const { answer, sent } = await changeBy({ mobile_number: null, auth_type: 'email_auth' });
      expect(answer.status).toBe(400);
      expect(answer.body.message).toBe("Recipient can't be empty");
      expect(sent).toEqual([]);
      expect((await harness.admin('GET', `/user/${user}`)).body.data.mobile_number).toBe('07700900111');
    });

    it('notifies no one without it', async () => {
      const { sent } = await sentBy(harness, () => change({ email_address: 'quiet@example.org' }));
      expect(sent).toEqual([]);
    });
  });
});

describe('POST /user/{user_id}/archive', () => {
  it('204; closes the account and frees its address', async () => {
    const user = await aUser(harness, { email_address: 'leaving@example.org' });
    await harness.admin('POST', `/user/${user}`, { read_only_operator: true });
    await aService(harness, { created_by_id: user });
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
    const { data } = (await harness.admin('GET', `/user/${user}`)).body;
    expect(data).toMatchObject(closed);
    expect(data).not.toHaveProperty('read_only_operator');
    expect((await harness.admin('POST', '/user', aNewUser({ email_address: 'leaving@example.org' }))).status).toBe(201);

    harness.clock.advance({ seconds: 1 });
    expect((await harness.admin('POST', `/user/${user}/archive`, null)).status).toBe(204);
    expect((await harness.admin('GET', `/user/${user}`)).body.data.email_address).toContain('_2026-11-15-12:00:01_');
  });

  it('204 for a JSON request without a body', async () => {
    const headers = {
      authorization: `Bearer ${adminToken(harness.clock)}`,
      'content-type': 'application/json',
      'content-length': '0',
    };
    const url = `/user/${await aUser(harness)}/archive`;
    expect((await harness.request({ method: 'POST', url, headers })).status).toBe(204);
  });

  it('404 for an unknown user', async () => {
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

  it('400 when already active', async () => {
    const answer = await harness.admin('POST', `/user/${await aUser(harness)}/activate`);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ result: 'error', message: 'User already active' });
  });

  it('404 for an unknown user', async () => {
    expect((await harness.admin('POST', `/user/${unknown}/activate`)).body).toEqual(notFound);
  });
});

describe('POST /user/{user_id}/update-password', () => {
  it('200; records the time and does not reset the failures', async () => {
    const { data } = (await harness.admin('POST', '/user', aNewUser({ failed_login_count: 3 }))).body;
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

  it('404 for an unknown user', async () => {
    expect((await harness.admin('POST', `/user/${unknown}/update-password`, {})).body).toEqual(notFound);
  });
});
