import { beforeAll, describe, expect, it } from 'vitest';
import { anOrganisation, aService, aUser } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { inTransaction } from '../platform/db/database.ts';
import {
  addOrganisationMember,
  addServiceMember,
  removeOrganisationMember,
  setOrganisationPermissions,
} from './members/permissions.ts';
import { platformServiceId } from './platform-user.ts';
import { getUserRecord, listUserRecords } from './user-record.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
let user: string;

beforeAll(async () => {
  user = await aUser(harness, { name: 'Ada', email_address: 'Ada@example.org' });
});

describe('user record', () => {
  it('has exactly its twenty keys', async () => {
    expect(await getUserRecord(harness.app.db, user)).toEqual({
      id: user,
      name: 'Ada',
      email_address: 'Ada@example.org',
      mobile_number: '07700900460',
      auth_type: 'sms_auth',
      state: 'active',
      platform_admin: false,
      can_use_webauthn: false,
      failed_login_count: 0,
      current_session_id: null,
      logged_in_at: null,
      email_access_validated_at: '2026-11-15T12:00:00.000000Z',
      password_changed_at: '2026-11-15T12:00:00.000000Z',
      created_at: '2026-11-15T12:00:00.000000Z',
      take_part_in_research: true,
      receives_new_features_email: true,
      organisations: [],
      services: [],
      permissions: {},
      organisation_permissions: {},
    });
  });

  it('contains active services and organisations with the user’s permissions', async () => {
    const [live, closed] = [await aService(harness), await aService(harness, { active: false })];
    const [open, inactive, elsewhere] = [
      await anOrganisation(harness),
      await anOrganisation(harness, { active: false }),
      await anOrganisation(harness),
    ];
    const now = harness.clock.now();
    await inTransaction(harness.app.db, async (tx) => {
      await addServiceMember(tx, { service_id: live, user_id: user, permissions: ['view_activity'] }, now);
      await addServiceMember(tx, { service_id: closed, user_id: user, permissions: ['view_activity'] }, now);
      await addOrganisationMember(
        tx,
        { organisation_id: open, user_id: user, permissions: ['can_make_services_live'] },
        now,
      );
      await addOrganisationMember(
        tx,
        { organisation_id: inactive, user_id: user, permissions: ['can_make_services_live'] },
        now,
      );
      await setOrganisationPermissions(tx, { organisation_id: elsewhere, user_id: user }, ['manage_services']);
    });
    expect(await getUserRecord(harness.app.db, user)).toMatchObject({
      services: [live],
      permissions: { [live]: ['view_activity'] },
      organisations: [open],
      organisation_permissions: {
        [open]: ['can_make_services_live'],
        [inactive]: [],
        [elsewhere]: ['manage_services'],
      },
    });

    await inTransaction(harness.app.db, async (tx) => {
      expect(await removeOrganisationMember(tx, { organisation_id: open, user_id: user })).toBe(true);
      expect(await removeOrganisationMember(tx, { organisation_id: open, user_id: user })).toBe(false);
    });
    const after = await getUserRecord(harness.app.db, user);
    expect(after.organisations).toEqual([]);
    expect(Object.keys(after.organisation_permissions)).not.toContain(open);
  });

  it('lets members of the platform service use security keys', async () => {
    const colleague = await aUser(harness);
    const member = { service_id: platformServiceId, user_id: colleague, permissions: [] };
    await inTransaction(harness.app.db, (tx) => addServiceMember(tx, member, harness.clock.now()));
    expect(await getUserRecord(harness.app.db, colleague)).toMatchObject({ can_use_webauthn: true });
  });

  it('lists in order of creation and omits unknown ids', async () => {
    harness.clock.advance({ seconds: 1 });
    const younger = await aUser(harness);
    const records = await listUserRecords(harness.app.db, [younger, '00000000-0000-4000-8000-000000000000', user]);
    expect(records.map(({ id }) => id)).toEqual([user, younger]);
  });
});
