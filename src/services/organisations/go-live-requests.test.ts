import { describe, expect, it } from 'vitest';
import { anOrganisation, aService, aUser } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { sentBy } from '../../../test/kit/world/account-messages.ts';
import { accountTemplates } from '../../users/account-messages/account-messages.ts';
import { platformServiceId } from '../../users/platform-user.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z', config: { urls: { admin: 'https://admin.example' } } });
const { admin } = harness;
const unknown = '4f46df42-0000-4cc4-83bb-65ca312f49cc';
const notFound = { result: 'error', message: 'No result found' };
const noRequest = { result: 'error', message: 'The service has no open request to go live' };
const missing = ['Missing data for required field.'];

async function aRequest(change: object = {}) {
  const organisation = await anOrganisation(harness);
  const requester = await aUser(harness, { name: 'Rita Requester' });
  const service = await aService(harness, { name: `Parking ${organisation}`, organisation_id: organisation });
  const fields = { go_live_user: requester, has_active_go_live_request: true, ...change };
  expect((await admin('POST', `/service/${service}`, fields)).status).toBe(200);
  const user = (await admin('GET', `/user/${requester}`)).body.data;
  const { name } = (await admin('GET', `/organisations/${organisation}`)).body;
  return { organisation, service, requester: user, organisation_name: name, service_name: `Parking ${organisation}` };
}

async function aMember(
  organisation: string,
  name: string,
  permissions: string[],
  state: 'active' | 'pending' = 'active',
): Promise<string> {
  const id = await aUser(harness, { name, state });
  const body = { permissions: permissions.map((permission) => ({ permission })) };
  expect((await admin('POST', `/organisations/${organisation}/users/${id}`, body)).status).toBe(200);
  return (await admin('GET', `/user/${id}`)).body.data.email_address;
}

describe('POST /organisations/notify-users-of-request-to-go-live/{service_id}', () => {
  const notify = (service: string, body?: unknown) =>
    sentBy(harness, () => admin('POST', `/organisations/notify-users-of-request-to-go-live/${service}`, body));

  it('204; notifies active approvers, and sends the requester their names', async () => {
    const { organisation, service, requester, organisation_name, service_name } = await aRequest();
    const ada = await aMember(organisation, 'Ada', ['can_make_services_live']);
    harness.clock.advance({ seconds: 1 });
    const grace = await aMember(organisation, 'Grace', ['manage_services', 'can_make_services_live']);
    await aMember(organisation, 'May not', ['manage_services']);
    await aMember(organisation, 'Pending', ['can_make_services_live'], 'pending');
    const elsewhere = await aUser(harness, { name: 'No member' });
    await admin('POST', `/user/${elsewhere}/organisation/${organisation}/permissions`, {
      permissions: [{ permission: 'can_make_services_live' }],
    });

    const { answer, sent } = await notify(service, null);
    expect([answer.status, answer.text]).toEqual([204, '']);
    const asked = (name: string, recipient: string) => ({
      template_id: '5c7cfc0f-c3f4-4bd6-9a84-5a144aad5425',
      recipient,
      reply_to_text: requester.email_address,
      personalisation: {
        name,
        service_name,
        requester_name: 'Rita Requester',
        requester_email_address: requester.email_address,
        make_service_live_link: `https://admin.example/services/${service}/make-service-live`,
        support_page_link: 'https://admin.example/support',
        organisation_name,
      },
    });
    expect(sent).toEqual([
      asked('Ada', ada),
      asked('Grace', grace),
      {
        template_id: 'c7083bfe-1b9a-4ff9-bd5c-30508727df6e',
        recipient: requester.email_address,
        reply_to_text: null,
        personalisation: {
          service_name,
          name: 'Rita Requester',
          organisation_name,
          organisation_team_member_names: ['Ada', 'Grace'],
        },
      },
    ]);
  });

  it('204 without a message when there is no approver or no organisation', async () => {
    const { service } = await aRequest();
    expect(await notify(service)).toMatchObject({ answer: { status: 204 }, sent: [] });
    const alone = await aService(harness, {});
    await admin('POST', `/service/${alone}`, { go_live_user: await aUser(harness) });
    expect(await notify(alone)).toMatchObject({ answer: { status: 204 }, sent: [] });
  });

  it('400 without a request to go live, 404 for an unknown service', async () => {
    const { organisation, service } = await aRequest({ go_live_user: null });
    await aMember(organisation, 'Ada', ['can_make_services_live']);
    expect(await notify(service)).toMatchObject({ answer: { status: 400, body: noRequest }, sent: [] });
    expect(await notify(unknown)).toMatchObject({ answer: { status: 404, body: notFound }, sent: [] });
    expect((await notify('x')).answer.status).toBe(404);
  });
});

describe('POST /organisations/notify-org-member-about-next-steps-of-go-live-request/{service_id}', () => {
  const steps = { to: 'ada@example.org', service_name: 'Parking', body: '# Next\n\n* ask' };
  const notify = (service: string, body: unknown) =>
    sentBy(harness, () =>
      admin('POST', `/organisations/notify-org-member-about-next-steps-of-go-live-request/${service}`, body),
    );

  it('204; notifies the member', async () => {
    const { service } = await aRequest();
    const { answer, sent } = await notify(service, steps);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(sent).toEqual([
      {
        template_id: '62f12a62-742b-4458-9336-741521b131c7',
        recipient: 'ada@example.org',
        reply_to_text: null,
        personalisation: { service_name: 'Parking', body: '# Next\n\n* ask' },
      },
    ]);
  });

  it('400 without a requester or an open request, 404 for an unknown service', async () => {
    for (const change of [{ go_live_user: null }, { has_active_go_live_request: false }]) {
      const { service } = await aRequest(change);
      expect(await notify(service, steps)).toMatchObject({ answer: { status: 400, body: noRequest }, sent: [] });
    }
    expect((await notify(unknown, steps)).answer.body).toEqual(notFound);
  });

  it.each([
    [{}, { to: missing, service_name: missing, body: missing }],
    [undefined, { to: missing, service_name: missing, body: missing }],
    [{ ...steps, to: 'nonsense' }, { to: ['Not a valid email address'] }],
    [
      { ...steps, body: null, service_name: 5 },
      { body: ['Field may not be null.'], service_name: ['Not a valid string.'] },
    ],
  ])('400 for %j', async (body, message) => {
    const { service } = await aRequest();
    const { answer, sent } = await notify(service, body);
    expect(answer).toMatchObject({ status: 400, body: { result: 'error', message } });
    expect(sent).toEqual([]);
  });
});

describe('POST /organisations/notify-service-member-of-rejected-go-live-request/{service_id}', () => {
  const rejection = {
    name: 'Rita',
    service_name: 'Parking',
    organisation_name: 'Town hall',
    reason: 'Too early.\n\nTry again.',
    organisation_team_member_name: 'Ada',
    organisation_team_member_email: 'ada@example.org',
  };
  const notify = (service: string, body: unknown) =>
    sentBy(harness, () =>
      admin('POST', `/organisations/notify-service-member-of-rejected-go-live-request/${service}`, body),
    );

  it('204; notifies the requester, with the reason as inset text', async () => {
    const { service, requester } = await aRequest();
    const { answer, sent } = await notify(service, rejection);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(sent).toEqual([
      {
        template_id: '507d0796-9e23-4ad7-b83b-5efbd9496866',
        recipient: requester.email_address,
        reply_to_text: null,
        personalisation: { ...rejection, reason: '^ Too early.\n^ \n^ Try again.' },
      },
    ]);
    expect(accountTemplates.goLiveRejected).toBe(sent[0]?.template_id);
  });

  it('400 without a requester or an open request, 404 for an unknown service', async () => {
    for (const change of [{ go_live_user: null }, { has_active_go_live_request: false }]) {
      const { service } = await aRequest(change);
      expect(await notify(service, rejection)).toMatchObject({ answer: { status: 400, body: noRequest }, sent: [] });
    }
    expect((await notify(unknown, rejection)).answer.body).toEqual(notFound);
  });

  it('400 for each field that is missing or not a string', async () => {
    const { service } = await aRequest();
    expect((await notify(service, {})).answer.body.message).toEqual(
      Object.fromEntries(Object.keys(rejection).map((field) => [field, missing])),
    );
    expect((await notify(service, { ...rejection, reason: ['x'] })).answer.body.message).toEqual({
      reason: ['Not a valid string.'],
    });
  });
});

it('all platform messages can be delivered', async () => {
  const { organisation, service } = await aRequest();
  await aMember(organisation, 'Ada', ['can_make_services_live']);
  await admin('POST', `/organisations/notify-users-of-request-to-go-live/${service}`);
  await harness.deliver();
  const { body } = await admin('GET', `/service/${platformServiceId}/notifications`);
  const receipt = body.notifications.find(
    ({ template }: { template: { id: string } }) => template.id === accountTemplates.goLiveReceipt,
  );
  expect(receipt.status).not.toBe('created');
  const statuses = body.notifications.map(({ status }: { status: string }) => status);
  expect(statuses.filter((status: string) => status.includes('failure'))).toEqual([]);
});
