import { describe, expect, it } from 'vitest';
import { anOrganisation, aService, aUser } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { newId } from '../platform/id.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const { admin } = harness;
const missing = 'Missing data for required field.';

let made = 0;
async function create(fields: object = {}, user_id?: string) {
  made += 1;
  const request = { name: `New service ${made}`, user_id: user_id ?? (await aUser(harness)), ...fields };
  return admin('POST', '/service', request);
}

describe('POST /service', () => {
  it('201 with the full record', async () => {
    const user_id = await aUser(harness);
    const { status, body } = await create({ name: 'Fish Licences' }, user_id);
    expect(status).toBe(201);
    expect(body).toEqual({
      data: {
        id: expect.any(String),
        name: 'Fish Licences',
        active: true,
        restricted: true,
        created_by: user_id,
        organisation: null,
        organisation_type: null,
        permissions: ['sms', 'email', 'letter', 'international_sms', 'international_letters'],
        email_branding: null,
        letter_branding: null,
        email_message_limit: 50,
        sms_message_limit: 50,
        letter_message_limit: 50,
        international_sms_message_limit: 100,
        api_dialect: 'govuk',
        rate_limit: 3000,
        smtp_files: null,
        prefix_sms: false,
        contact_link: null,
        custom_email_sender_name: null,
        email_sender_local_part: 'fish.licences',
        confirmed_email_sender_name: false,
        confirmed_unique: false,
        has_active_go_live_request: false,
        count_as_live: true,
        go_live_user: null,
        go_live_at: null,
        volume_sms: null,
        volume_email: null,
        volume_letter: null,
        consent_to_research: null,
        notes: null,
        billing_contact_names: null,
        billing_contact_email_addresses: null,
        purchase_order_number: null,
        billing_reference: null,
        email_annual_limit: null,
        sms_annual_limit: null,
        letter_annual_limit: null,
        sms_limit_unit: 'messages',
        sms_limit_unit_from: null,
        service_callback_api: [],
        created_at: '2026-11-15T12:00:00.000000Z',
        updated_at: null,
        version: 1,
      },
    });
    expect((await admin('GET', `/service/${body.data.id}`)).body).toEqual(body);
  });

  it('201 with every field of the request', async () => {
    const created_by = await aUser(harness);
    const fields = {
      restricted: false,
      active: false,
      organisation_type: 'central',
      permissions: ['email'],
      created_by,
      sms_message_limit: 7,
      contact_link: 'https://example.org',
      prefix_sms: true,
      volume_email: 12,
      notes: 'n',
    };
    expect((await create(fields)).body.data).toMatchObject({
      ...fields,
      email_message_limit: 250_000,
      letter_message_limit: 20_000,
      international_sms_message_limit: 100,
    });
  });

  it('201; the creator is the first member, with eight permissions', async () => {
    const user_id = await aUser(harness);
    const { id } = (await create({}, user_id)).body.data;
    const { body } = await admin('GET', `/service/${id}/users`);
    expect(body.data).toHaveLength(1);
    expect(body.data[0]).toMatchObject({
      id: user_id,
      permissions: [
        'manage_users',
        'manage_templates',
        'manage_settings',
        'send_texts',
        'send_emails',
        'send_letters',
        'manage_api_keys',
        'view_activity',
      ],
    });
  });

  it('201 with a default sender, this year’s allowance and the first version', async () => {
    const { id } = (await create({ organisation_type: 'local' })).body.data;
    const { db } = harness.app;
    const senders = await db.selectFrom('service_sms_senders').selectAll().where('service_id', '=', id).execute();
    expect(senders).toMatchObject([{ sms_sender: 'PENNYPOST', is_default: true, archived: false }]);
    const allowances = await db.selectFrom('annual_allowances').selectAll().where('service_id', '=', id).execute();
    expect(allowances).toMatchObject([{ financial_year_start: 2026, free_sms_fragment_limit: 10_000 }]);
    const history = await db.selectFrom('services_history').selectAll().where('id', '=', id).execute();
    expect(history).toMatchObject([{ version: 1, updated_at: null }]);
  });

  it('201; not counted as live when a platform administrator creates it', async () => {
    const user_id = await aUser(harness);
    await harness.app.db.updateTable('users').set({ platform_admin: true }).where('id', '=', user_id).execute();
    expect((await create({}, user_id)).body.data.count_as_live).toBe(false);
  });

  it('201 in the organisation that owns the creator’s email domain', async () => {
    const email = await admin('POST', '/email-branding', { name: 'Org brand', brand_type: 'org', text: 'x' });
    const organisation = await anOrganisation(harness, {
      domains: ['owner.gov.uk'],
      organisation_type: 'local',
      crown: false,
      email_branding_id: email.body.data.id,
    });
    const user_id = await aUser(harness, { email_address: 'Someone@sub.OWNER.gsi.gov.uk' });
    const { data } = (await create({ organisation_type: 'central' }, user_id)).body;
    expect(data).toMatchObject({
      organisation,
      organisation_type: 'local',
      email_branding: email.body.data.id,
      letter_branding: null,
    });
  });

  it('201 with the brands named NHS for NHS types and addresses', async () => {
    const plain = (await create({ organisation_type: 'nhs_gp' })).body.data;
    expect(plain).toMatchObject({ email_branding: null, letter_branding: null });
    const email = (await admin('POST', '/email-branding', { name: 'NHS', brand_type: 'org', text: 'x' })).body.data;
    const letter = (await admin('POST', '/letter-branding', { name: 'NHS', filename: 'nhs' })).body;
    const brands = { email_branding: email.id, letter_branding: letter.id };
    expect((await create({ organisation_type: 'nhs_local' })).body.data).toMatchObject(brands);
    const user_id = await aUser(harness, { email_address: 'gp@practice.nhs.net' });
    expect((await create({}, user_id)).body.data).toMatchObject(brands);
    expect((await create({ organisation_type: 'central' })).body.data.email_branding).toBeNull();
  });

  it.each(['Passport Office', 'passport office', 'Passport (Office)', 'Pässpört  office', 'passport.office'])(
    '400 when the name is taken by “Passport Office”: %s',
    async (name) => {
      const taken = await harness.app.db
        .selectFrom('services')
        .select('id')
        .where('name', '=', 'Passport Office')
        .execute();
      if (taken.length === 0) await create({ name: 'Passport Office' });
      const { status, body } = await create({ name });
      expect(status).toBe(400);
      expect(body).toEqual({ result: 'error', message: { name: [`Duplicate service name '${name}'`] } });
    },
  );

  it('201 once and 400 once for concurrent requests with the same name; rolls back the second one', async () => {
    const users = [await aUser(harness), await aUser(harness)];
    const responses = await Promise.all(users.map((user_id) => create({ name: 'At once' }, user_id)));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 400]);
    const members = await harness.app.db
      .selectFrom('service_members')
      .select('user_id')
      .where('user_id', 'in', users)
      .execute();
    expect(members).toHaveLength(1);
  });

  it('404 for an unknown creator', async () => {
    const { status, body } = await create({}, newId(new Date()));
    expect(status).toBe(404);
    expect(body).toEqual({ result: 'error', message: 'No result found' });
  });

  it.each([
    ['nothing', {}, { name: [missing], user_id: [missing] }],
    ['nulls', { name: null, user_id: null }, { name: ['Field may not be null.'], user_id: ['Field may not be null.'] }],
    [
      'wrong types',
      { name: 5, user_id: 'x', restricted: 'yes' },
      {
        name: ['Not a valid string.'],
        user_id: ['Not a valid UUID.'],
        restricted: ['Not a valid boolean.'],
      },
    ],
  ])('400 for %s', async (_what, request, message) => {
    const { status, body } = await admin('POST', '/service', request);
    expect(status).toBe(400);
    expect(body).toEqual({ result: 'error', message });
  });

  it.each([
    [{ name: 'x'.repeat(256) }, { name: ['Longer than maximum length 255.'] }],
    [{ name: '' }, { name: ['Must contain a letter or a digit.'] }],
    [
      { organisation_type: 'circus' },
      {
        organisation_type: [
          'Must be one of: central, local, nhs_central, nhs_local, nhs_gp, nhs_notify, emergency_service, school_or_college, other.',
        ],
      },
    ],
    [
      { permissions: ['sms', 'fly', 'swim'], sms_message_limit: -1 },
      {
        permissions: ["Invalid Service Permission: 'fly'", "Invalid Service Permission: 'swim'"],
        sms_message_limit: ['Must be greater than or equal to 0.'],
      },
    ],
    [{ permissions: ['sms', 'letter', 'letter'] }, { permissions: ["Duplicate Service Permission: ['letter']"] }],
    [{ permissions: 'sms' }, { permissions: ['Not a valid list.'] }],
    [{ email_message_limit: '50' }, { email_message_limit: ['Not a valid integer.'] }],
    [{ email_message_limit: 3_000_000_000 }, { email_message_limit: ['Must be less than or equal to 2147483647.'] }],
  ])('400 for %o', async (fields, message) => {
    const { status, body } = await create(fields);
    expect(status).toBe(400);
    expect(body).toEqual({ result: 'error', message });
  });

  it('400 with every unknown id', async () => {
    const unknown = newId(new Date());
    const fields = { created_by: unknown, organisation: unknown, email_branding: unknown, letter_branding: unknown };
    const { status, body } = await create(fields);
    expect(status).toBe(400);
    expect(body.message).toEqual(Object.fromEntries(Object.keys(fields).map((field) => [field, ['No result found']])));
  });

  it('201 for the name of an archived service', async () => {
    const id = await aService(harness, { name: 'Phoenix' });
    expect((await admin('POST', `/service/${id}/archive`)).status).toBe(204);
    expect((await create({ name: 'Phoenix' })).status).toBe(201);
  });
});
