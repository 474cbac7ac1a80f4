import { beforeAll, describe, expect, it } from 'vitest';
import { anOrganisation, aService, aUser } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { sentBy } from '../../../test/kit/world/account-messages.ts';
import { accountTemplates } from '../account-messages/account-messages.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z', config: { urls: { admin: 'https://admin.example' } } });
const unknown = '4f46df42-0000-4cc4-83bb-65ca312f49cc';
const notFound = { result: 'error', message: 'No result found' };
const missing = 'Missing data for required field.';
const expired = {
  result: 'error',
  message: {
    invitation:
      'Your invitation to GOV.UK Notify has expired. Please ask the person that invited you to send you another one',
  },
};
const broken = {
  result: 'error',
  message: { invitation: 'Something’s wrong with this link. Make sure you’ve copied the whole thing.' },
};

let inviter: string;
let service: string;
let organisation: string;
beforeAll(async () => {
  inviter = await aUser(harness, { name: 'Grace', email_address: 'grace@example.org' });
  service = await aService(harness, { name: 'Parking', created_by_id: inviter });
  organisation = await anOrganisation(harness, { name: 'Town hall' });
});

const tokenOf = (url: string | undefined) => String(url).split('/').at(-1) ?? '';

describe('POST /service/{service_id}/invite', () => {
  const invite = (fields: object = {}, to = service) =>
    sentBy(harness, () =>
      harness.admin('POST', `/service/${to}/invite`, {
        service: to,
        email_address: 'New.Person@example.org',
        from_user: inviter,
        permissions: 'send_messages,manage_service',
        ...fields,
      }),
    );

  it('201; sends the link, with the inviter as reply-to', async () => {
    const { answer, sent } = await invite();
    expect(answer.status).toBe(201);
    expect(answer.body.data).toEqual({
      id: answer.body.data.id,
      email_address: 'New.Person@example.org',
      from_user: inviter,
      service,
      permissions: 'send_messages,manage_service',
      auth_type: 'sms_auth',
      folder_permissions: [],
      status: 'pending',
      created_at: '2026-11-15T12:00:00.000000Z',
    });
    expect(sent).toMatchObject([
      {
        template_id: accountTemplates.serviceInvite,
        recipient: 'New.Person@example.org',
        reply_to_text: 'grace@example.org',
        personalisation: { user_name: 'Grace', service_name: 'Parking' },
      },
    ]);
    expect(sent[0]?.personalisation.url).toMatch(/^https:\/\/admin\.example\/invitation\/[\w-]+$/);
  });

  it('201 with every optional field', async () => {
    const fields = { auth_type: 'email_auth', folder_permissions: [unknown], permissions: '' };
    const { answer, sent } = await invite({ ...fields, invite_link_host: 'https://other.example' });
    expect(answer.body.data).toMatchObject(fields);
    expect(sent[0]?.personalisation.url).toMatch(/^https:\/\/other\.example\/invitation\//);
  });

  it.each([
    [{ email_address: 'x' }, { email_address: ['Not a valid email address'] }],
    [
      { email_address: undefined, from_user: undefined, permissions: undefined },
      { email_address: [missing], from_user: [missing], permissions: [missing] },
    ],
    [{ auth_type: 'x' }, { auth_type: ['Must be one of: sms_auth, email_auth, webauthn_auth.'] }],
    [{ from_user: unknown }, { from_user: ['No result found'] }],
  ])('400 for %j', async (fields, message) => {
    const { answer, sent } = await invite(fields);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ result: 'error', message });
    expect(sent).toEqual([]);
  });

  it('400 for an unknown permission', async () => {
    const { answer } = await invite({ permissions: 'send_messages,rule_the_world' });
    expect(answer.status).toBe(400);
    expect(answer.body.message.permissions[0]).toMatch(/^Must be one of: send_messages, /);
  });

  it('404 for an unknown service', async () => {
    expect((await invite({}, unknown)).answer.body).toEqual(notFound);
  });
});

describe('invitations to a service', () => {
  async function anInvite() {
    const body = { email_address: 'a@example.org', from_user: inviter, permissions: 'view_activity' };
    const { answer, sent } = await sentBy(harness, () => harness.admin('POST', `/service/${service}/invite`, body));
    return { invite: answer.body.data, token: tokenOf(sent[0]?.personalisation.url) };
  }

  it('200 for the list and for one invitation', async () => {
    const { invite } = await anInvite();
    const list = await harness.admin('GET', `/service/${service}/invite`);
    expect(list.status).toBe(200);
    expect(list.body.data).toContainEqual(invite);
    expect((await harness.admin('GET', `/service/${service}/invite/${invite.id}`)).body).toEqual({ data: invite });
    expect((await harness.admin('GET', `/invite/service/${invite.id}`)).body).toEqual({ data: invite });
    const elsewhere = await aService(harness);
    expect((await harness.admin('GET', `/service/${elsewhere}/invite`)).body).toEqual({ data: [] });
  });

  it('200 when accepting or cancelling', async () => {
    const { invite } = await anInvite();
    const url = `/service/${service}/invite/${invite.id}`;
    const change = { status: 'accepted', auth_type: 'email_auth' };
    expect((await harness.admin('POST', url, change)).body).toEqual({ data: { ...invite, ...change } });
    expect((await harness.admin('POST', url, { status: 'cancelled' })).body.data.status).toBe('cancelled');
    expect((await harness.admin('POST', url, {})).body.data.status).toBe('cancelled');
    expect((await harness.admin('POST', url, { status: 'x' })).body).toEqual({
      result: 'error',
      message: { status: ['Must be one of: pending, accepted, cancelled.'] },
    });
  });

  it('404 for an unknown invitation or one of another service', async () => {
    const { invite } = await anInvite();
    const elsewhere = await aService(harness);
    for (const url of [`/service/${service}/invite/${unknown}`, `/service/${elsewhere}/invite/${invite.id}`]) {
      expect((await harness.admin('GET', url)).body).toEqual(notFound);
      expect((await harness.admin('POST', url, { status: 'accepted' })).body).toEqual(notFound);
      expect((await harness.admin('POST', url, {})).body).toEqual(notFound);
    }
    expect((await harness.admin('GET', `/service/${unknown}/invite`)).body).toEqual(notFound);
    expect((await harness.admin('GET', `/invite/service/${unknown}`)).body).toEqual(notFound);
  });

  it('200 for its link, 400 after two days and for a malformed link', async () => {
    const { invite, token } = await anInvite();
    for (const path of ['/invite/service/check', '/invite/service']) {
      expect((await harness.admin('GET', `${path}/${token}`)).body).toEqual({ data: invite });
      const answer = await harness.admin('GET', `${path}/${token.slice(0, -1)}`);
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual(broken);
    }
    expect((await harness.admin('GET', `/invite/organisation/check/${token}`)).body).toEqual(broken);
    harness.clock.advance({ days: 2 });
    const answer = await harness.admin('GET', `/invite/service/check/${token}`);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(expired);
  });
});

describe('POST /organisation/{organisation_id}/invite', () => {
  const invite = (fields: object = {}, to = organisation) =>
    sentBy(harness, () =>
      harness.admin('POST', `/organisation/${to}/invite`, {
        email_address: 'o@example.org',
        invited_by: inviter,
        ...fields,
      }),
    );

  it('201; sends the link, with the inviter as reply-to', async () => {
    const { answer, sent } = await invite({ permissions: ['can_make_services_live'] });
    expect(answer.status).toBe(201);
    expect(answer.body.data).toEqual({
      id: answer.body.data.id,
      email_address: 'o@example.org',
      invited_by: inviter,
      organisation,
      permissions: ['can_make_services_live'],
      status: 'pending',
      created_at: harness.clock.now().toISOString().replace('Z', '000Z'),
    });
    expect(sent).toMatchObject([
      {
        template_id: accountTemplates.organisationInvite,
        recipient: 'o@example.org',
        reply_to_text: 'grace@example.org',
        personalisation: { user_name: 'Grace', organisation_name: 'Town hall' },
      },
    ]);
    const url = sent[0]?.personalisation.url;
    expect(url).toMatch(/^https:\/\/admin\.example\/organisation-invitation\/[\w-]+$/);
    const link = await harness.admin('GET', `/invite/organisation/check/${tokenOf(url)}`);
    expect(link.body).toEqual({ data: answer.body.data });
    harness.clock.advance({ days: 2 });
    expect((await harness.admin('GET', `/invite/organisation/check/${tokenOf(url)}`)).body).toEqual(expired);
  });

  it('200 for the list, for one invitation, and when cancelling', async () => {
    const made = (await invite()).answer.body.data;
    expect(made.permissions).toEqual([]);
    const url = `/organisation/${organisation}/invite/${made.id}`;
    expect((await harness.admin('GET', `/organisation/${organisation}/invite`)).body.data).toContainEqual(made);
    expect((await harness.admin('GET', url)).body).toEqual({ data: made });
    expect((await harness.admin('GET', `/invite/organisation/${made.id}`)).body).toEqual({ data: made });
    const cancelled = { ...made, status: 'cancelled' };
    expect((await harness.admin('POST', url, { status: 'cancelled' })).body).toEqual({ data: cancelled });
    const more = { status: 'accepted', created_by: inviter, extra: 1 };
    expect((await harness.admin('POST', url, more)).body).toEqual({ data: { ...made, status: 'accepted' } });
    expect((await harness.admin('POST', url, { status: 'x' })).body.message).toEqual({
      status: ['Must be one of: pending, accepted, cancelled.'],
    });
    expect((await harness.admin('POST', url, {})).body.message).toEqual({ status: [missing] });
  });

  it.each([
    [
      { email_address: 'x', invited_by: undefined },
      { email_address: ['Not a valid email address'], invited_by: [missing] },
    ],
    [{ invited_by: unknown }, { invited_by: ['No result found'] }],
    [
      { permissions: ['x'] },
      {
        permissions: [
          'Must be one of: manage_services, view_all_services, manage_organisation, can_make_services_live.',
        ],
      },
    ],
  ])('400 for %j', async (fields, message) => {
    const { answer } = await invite(fields);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ result: 'error', message });
  });

  it('404 for an unknown organisation or invitation', async () => {
    const made = (await invite()).answer.body.data;
    expect((await invite({}, unknown)).answer.body).toEqual(notFound);
    const elsewhere = await anOrganisation(harness);
    for (const url of [
      `/organisation/${unknown}/invite`,
      `/organisation/${organisation}/invite/${unknown}`,
      `/organisation/${elsewhere}/invite/${made.id}`,
      `/invite/organisation/${unknown}`,
    ]) {
      expect((await harness.admin('GET', url)).body, url).toEqual(notFound);
    }
  });
});
