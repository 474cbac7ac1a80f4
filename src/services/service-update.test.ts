import { describe, expect, it } from 'vitest';
import { anOrganisation, aService, aUser } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { accountMessages } from '../../test/kit/world/account-messages.ts';
import { newId } from '../platform/id.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const { admin } = harness;
const read = async (id: string) => (await admin('GET', `/service/${id}`)).body.data;

async function platformMessages() {
  const sent = await accountMessages(harness);
  return sent
    .filter(({ template_id }) => template_id === '618185c6-3636-49cd-b7d2-6f6f5eb3bdde')
    .map(({ recipient, personalisation }) => ({ recipient, personalisation }));
}

describe('POST /service/{id}', () => {
  it('200 with the given fields updated, the others unchanged, and a new version', async () => {
    const id = await aService(harness, { name: 'Before' });
    const before = await read(id);
    harness.clock.advance({ minutes: 1 });
    const { status, body } = await admin('POST', `/service/${id}`, {
      name: 'After',
      contact_link: 'https://x.example',
    });
    harness.clock.set('2026-11-15T12:00:00Z');
    expect(status).toBe(200);
    expect(body).toEqual({
      data: {
        ...before,
        name: 'After',
        email_sender_local_part: 'after',
        contact_link: 'https://x.example',
        version: 2,
        updated_at: '2026-11-15T12:01:00.000000Z',
      },
    });
  });

  it('200 with a new version and its history even for an empty request', async () => {
    const id = await aService(harness);
    expect((await admin('POST', `/service/${id}`, {})).body.data.version).toBe(2);
    expect((await admin('POST', `/service/${id}`)).body.data.version).toBe(3);
    const { service_history } = (await admin('GET', `/service/${id}/history`)).body.data;
    expect(service_history.map(({ version }: { version: number }) => version)).toEqual([2, 3]);
  });

  it('200 with every attribute', async () => {
    const id = await aService(harness);
    const [created_by, go_live_user] = [await aUser(harness), await aUser(harness)];
    const organisation = await anOrganisation(harness);
    const email = (await admin('POST', '/email-branding', { name: 'E', brand_type: 'org', text: 'x' })).body.data;
    const letter = (await admin('POST', '/letter-branding', { name: 'L', filename: 'l' })).body;
    const change = {
      created_by,
      go_live_user,
      organisation,
      organisation_type: 'school_or_college',
      email_branding: email.id,
      letter_branding: letter.id,
      permissions: ['letter', 'inbound_sms', 'edit_folder_permissions', 'email_auth', 'sms_to_uk_landlines'],
      email_message_limit: 1,
      sms_message_limit: 2,
      letter_message_limit: 3,
      international_sms_message_limit: 4,
      rate_limit: 5,
      api_dialect: 'gc',
      prefix_sms: true,
      confirmed_email_sender_name: null,
      confirmed_unique: true,
      has_active_go_live_request: true,
      count_as_live: false,
      go_live_at: '2026-11-15T11:00:00.000000Z',
      volume_sms: 1234,
      volume_email: null,
      volume_letter: 0,
      consent_to_research: false,
      notes: 'notes',
      billing_contact_names: 'a',
      billing_contact_email_addresses: 'b',
      purchase_order_number: 'c',
      billing_reference: 'd',
    };
    expect((await admin('POST', `/service/${id}`, change)).body.data).toMatchObject(change);
    const cleared = { email_branding: null, letter_branding: '', organisation: null, go_live_at: null };
    expect((await admin('POST', `/service/${id}`, cleared)).body.data).toMatchObject({
      ...cleared,
      letter_branding: null,
    });
  });

  it('200; ignores fields that cannot be set', async () => {
    const id = await aService(harness);
    const before = await read(id);
    const change = {
      version: 9,
      created_at: 'x',
      email_sender_local_part: 'x',
      service_callback_api: [],
      id: 'x',
      zzz: 1,
    };
    const { data } = (await admin('POST', `/service/${id}`, change)).body;
    expect(data).toEqual({ ...before, version: 2, updated_at: expect.any(String) });
  });

  it('200; the sender name determines the mailbox until it is cleared', async () => {
    const id = await aService(harness, { name: 'Tax Office' });
    const localPart = async (change: object) =>
      (await admin('POST', `/service/${id}`, change)).body.data.email_sender_local_part;
    expect(await localPart({ custom_email_sender_name: 'Your Täxes!' })).toBe('your.taxes');
    expect(await localPart({ name: 'Tax Bureau' })).toBe('your.taxes');
    expect(await localPart({ custom_email_sender_name: null })).toBe('tax.bureau');
  });

  it('400 for a dialect that does not exist', async () => {
    const id = await aService(harness);
    expect((await read(id)).api_dialect).toBe('govuk');
    const { status, body } = await admin('POST', `/service/${id}`, { api_dialect: 'fr' });
    expect(status).toBe(400);
    expect(body).toEqual({ result: 'error', message: { api_dialect: ['Must be one of: govuk, gc.'] } });
  });

  it('400 when the name is taken, ignoring punctuation', async () => {
    await aService(harness, { name: 'Rivers' });
    const id = await aService(harness);
    const { status, body } = await admin('POST', `/service/${id}`, { name: 'RIVERS!' });
    expect(status).toBe(400);
    expect(body).toEqual({ result: 'error', message: { name: ["Duplicate service name 'RIVERS!'"] } });
    expect((await read(id)).version).toBe(1);
  });

  it('400 with every unknown id', async () => {
    const id = await aService(harness);
    const unknown = newId(new Date());
    const change = { created_by: unknown, go_live_user: unknown, organisation: unknown, email_branding: unknown };
    const { status, body } = await admin('POST', `/service/${id}`, change);
    expect(status).toBe(400);
    expect(body.message).toEqual(Object.fromEntries(Object.keys(change).map((field) => [field, ['No result found']])));
  });

  it.each([
    [{ name: null }, 'Field may not be null.'],
    [{ restricted: null }, 'Field may not be null.'],
    [{ prefix_sms: null }, 'Field may not be null.'],
    [{ volume_sms: 'Aa' }, 'Not a valid integer.'],
    [{ volume_email: 1.5 }, 'Not a valid integer.'],
    [{ volume_letter: -1 }, 'Must be greater than or equal to 0.'],
    [{ consent_to_research: 'unknown' }, 'Not a valid boolean.'],
    [{ contact_link: 'x'.repeat(256) }, 'Longer than maximum length 255.'],
    [{ permissions: ['invalid_permission'] }, "Invalid Service Permission: 'invalid_permission'"],
    [{ permissions: ['sms', 'letter', 'letter'] }, "Duplicate Service Permission: ['letter']"],
    [{ email_branding: 'x' }, 'Not a valid UUID.'],
    [{ organisation: 7 }, 'Not a valid UUID.'],
    [{ go_live_at: 'soon' }, 'Not a valid datetime.'],
  ])('400 for %o', async (change, text) => {
    const id = await aService(harness);
    const { status, body } = await admin('POST', `/service/${id}`, change);
    expect(status).toBe(400);
    expect(body).toEqual({ result: 'error', message: { [Object.keys(change)[0] as string]: [text] } });
  });

  it('404 for an unknown id', async () => {
    const { status, body } = await admin('POST', `/service/${newId(new Date())}`, { restricted: false });
    expect(status).toBe(404);
    expect(body.message).toBe('No result found');
  });

  it('400 for active true on an archived service, which stays archived', async () => {
    const id = await aService(harness);
    await admin('POST', `/service/${id}/archive`);
    expect((await admin('POST', `/service/${id}`, { active: true })).status).toBe(400);
    expect((await read(id)).active).toBe(false);
  });
});

describe('a service that goes live', () => {
  it('gets the live limits unless they were changed', async () => {
    const user_id = await aUser(harness);
    const created = await admin('POST', '/service', { name: 'Going live', user_id, sms_message_limit: 51 });
    const { data } = (await admin('POST', `/service/${created.body.data.id}`, { restricted: false })).body;
    expect(data).toMatchObject({
      restricted: false,
      email_message_limit: 250_000,
      sms_message_limit: 51,
      letter_message_limit: 20_000,
      international_sms_message_limit: 100,
    });
  });

  it('keeps a limit that the same request sets', async () => {
    const user_id = await aUser(harness);
    const created = await admin('POST', '/service', { name: 'Going live slowly', user_id });
    const change = { restricted: false, email_message_limit: 50 };
    const { data } = (await admin('POST', `/service/${created.body.data.id}`, change)).body;
    expect(data).toMatchObject({ email_message_limit: 50, sms_message_limit: 250_000 });
  });

  it('notifies every active member by email, once', async () => {
    const ada = await aUser(harness, { name: 'Ada', email_address: 'ada@live.example' });
    const id = await aService(harness, { name: 'Old name', restricted: true, created_by_id: ada });
    const pending = await aUser(harness, { state: 'pending' });
    await admin('POST', `/service/${id}/users/${pending}`, { permissions: [] });
    await admin('POST', `/service/${id}`, { restricted: false, name: 'Bright name' });
    await admin('POST', `/service/${id}`, { restricted: false });
    const messages = (await platformMessages()).filter(({ recipient }) => recipient === 'ada@live.example');
    expect(messages).toEqual([
      { recipient: 'ada@live.example', personalisation: { name: 'Ada', service_name: 'Bright name' } },
    ]);
  });
});
