import { beforeAll, describe, expect, it } from 'vitest';
import { aService, aUser } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { sentBy } from '../../../test/kit/world/account-messages.ts';
import { accountTemplates } from '../account-messages/account-messages.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z', config: { urls: { admin: 'https://admin.example' } } });
const unknown = '4f46df42-0000-4cc4-83bb-65ca312f49cc';
const notFound = { result: 'error', message: 'No result found' };

let manager: string;
let service: string;
beforeAll(async () => {
  manager = await aUser(harness, { name: 'Grace', email_address: 'grace@example.org' });
  service = await aService(harness, { name: 'Parking', created_by_id: manager });
});

const ask = (fields: object, of = service) =>
  sentBy(harness, () =>
    harness.admin('POST', `/service/${of}/service-join-request`, { contacted_user_ids: [manager], ...fields }),
  );

async function aRequest() {
  const requester = await aUser(harness, { name: 'Ada' });
  const { answer } = await ask({ requester_id: requester });
  return { requester, url: `/service/${service}/service-join-request/${answer.body.service_join_request_id}` };
}

describe('POST /service/{service_id}/service-join-request', () => {
  it('201; each contacted member gets the link', async () => {
    const requester = await aUser(harness, { name: 'Ada', email_address: 'ada@example.org' });
    const { answer, sent } = await ask({ requester_id: requester, reason: 'I park' });
    expect(answer.status).toBe(201);
    const id = answer.body.service_join_request_id;
    expect(sent).toMatchObject([
      {
        template_id: accountTemplates.joinRequest,
        recipient: 'grace@example.org',
        reply_to_text: 'ada@example.org',
        personalisation: {
          approver_name: 'Grace',
          requester_name: 'Ada',
          requester_email_address: 'ada@example.org',
          service_name: 'Parking',
          reason_given: 'yes',
          reason: 'I park',
          url: `https://admin.example/services/${service}/join-request/${id}/approve`,
        },
      },
      {
        template_id: accountTemplates.joinRequestReceipt,
        recipient: 'ada@example.org',
        reply_to_text: null,
        personalisation: {
          requester_name: 'Ada',
          service_name: 'Parking',
          service_admin_names: ['Grace – grace@example.org'],
          url_ask_to_join_page: `https://admin.example/services/${service}/join/ask`,
        },
      },
    ]);
    expect((await harness.admin('GET', `/service/${service}/service-join-request/${id}`)).body).toEqual({
      id,
      service_id: service,
      status: 'pending',
      status_changed_at: null,
      status_changed_by: null,
      reason: 'I park',
      created_at: '2026-11-15T12:00:00.000000Z',
      requester: { id: requester, name: 'Ada', email_address: 'ada@example.org', belongs_to_service: [] },
      contacted_service_users: [manager],
    });
  });

  it('400 for a member', async () => {
    const { answer } = await ask({ requester_id: manager });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toBe('user-already-in-service');
  });

  it('400 without contacts, or with an unknown contact', async () => {
    const requester_id = await aUser(harness);
    expect((await ask({ requester_id, contacted_user_ids: [] })).answer.status).toBe(400);
    expect((await ask({ requester_id, contacted_user_ids: [unknown] })).answer.body.message).toEqual({
      contacted_user_ids: ['No result found'],
    });
  });

  it('404 for an unknown service or requester', async () => {
    expect((await ask({ requester_id: unknown })).answer.body).toEqual(notFound);
    expect((await ask({ requester_id: await aUser(harness) }, unknown)).answer.body).toEqual(notFound);
  });
});

describe('POST /service/{service_id}/service-join-request/{request_id}', () => {
  const approval = () => ({ status: 'approved', status_changed_by_id: manager, permissions: ['view_activity'] });

  it('200 when approved; the requester becomes a member', async () => {
    const { requester, url } = await aRequest();
    const answer = await harness.admin('POST', url, approval());
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      status: 'approved',
      status_changed_by: { id: manager, name: 'Grace' },
      status_changed_at: '2026-11-15T12:00:00.000000Z',
      requester: { belongs_to_service: [service] },
    });
    const { data } = (await harness.admin('GET', `/user/${requester}`)).body;
    expect(data.permissions).toEqual({ [service]: ['view_activity'] });
  });

  it('200 when approved; notifies the requester and sets the service’s sign-in method', async () => {
    const { requester, url } = await aRequest();
    const { answer, sent } = await sentBy(harness, () =>
      harness.admin('POST', url, { ...approval(), auth_type: 'email_auth' }),
    );
    expect(answer.status).toBe(200);
    const { data } = (await harness.admin('GET', `/user/${requester}`)).body;
    expect(data.auth_type).toBe('email_auth');
    expect(sent).toEqual([
      {
        template_id: accountTemplates.joinRequestApproved,
        recipient: data.email_address,
        reply_to_text: null,
        personalisation: {
          requester_name: 'Ada',
          approver_name: 'Grace',
          service_name: 'Parking',
          dashboard_url: `https://admin.example/services/${service}`,
        },
      },
    ]);
  });

  it('200; keeps a security key as the sign-in method', async () => {
    const { requester, url } = await aRequest();
    await harness.admin('POST', `/user/${requester}`, { auth_type: 'webauthn_auth' });
    expect((await harness.admin('POST', url, { ...approval(), auth_type: 'sms_auth' })).status).toBe(200);
    expect((await harness.admin('GET', `/user/${requester}`)).body.data.auth_type).toBe('webauthn_auth');
  });

  it('200; keeps the sign-in method of an operator', async () => {
    const { requester, url } = await aRequest();
    await harness.admin('POST', `/user/${requester}`, { read_only_operator: true });
    expect((await harness.admin('POST', url, { ...approval(), auth_type: 'email_auth' })).status).toBe(200);
    expect((await harness.admin('GET', `/user/${requester}`)).body.data.auth_type).toBe('sms_auth');
  });

  it('400 for an unknown sign-in method, or one that needs a phone number; changes nothing', async () => {
    const { requester, url } = await aRequest();
    const unknownType = await harness.admin('POST', url, { ...approval(), auth_type: 'pigeon' });
    expect(unknownType.body.message).toEqual({ auth_type: ['Must be one of: sms_auth, email_auth, webauthn_auth.'] });
    await harness.admin('POST', `/user/${requester}`, { auth_type: 'email_auth', mobile_number: null });
    const { answer, sent } = await sentBy(harness, () =>
      harness.admin('POST', url, { ...approval(), auth_type: 'sms_auth' }),
    );
    expect(answer.status).toBe(400);
    expect(answer.body.message).toBe('Mobile number must be set if auth_type is set to sms_auth');
    expect(sent).toEqual([]);
    expect((await harness.admin('GET', url)).body.status).toBe('pending');
    expect((await harness.admin('GET', `/user/${requester}`)).body.data.services).toEqual([]);
  });

  it('200 when approved; cancels other open requests of the same user for the service', async () => {
    const { requester, url } = await aRequest();
    const again = async (of: string) => {
      const { answer } = await ask({ requester_id: requester }, of);
      return `/service/${of}/service-join-request/${answer.body.service_join_request_id}`;
    };
    const [second, third] = [await again(service), await again(service)];
    const elsewhere = await again(await aService(harness, { created_by_id: manager }));
    const { url: ofAnother } = await aRequest();
    await harness.admin('POST', second, { status: 'rejected', status_changed_by_id: manager });
    await harness.admin('POST', url, approval());
    const status = async (of: string) => (await harness.admin('GET', of)).body.status;
    expect(await Promise.all([url, second, third, elsewhere, ofAnother].map(status))).toEqual([
      'approved',
      'rejected',
      'cancelled',
      'pending',
      'pending',
    ]);
    expect((await harness.admin('GET', third)).body).toMatchObject({
      status_changed_by: { id: manager },
      status_changed_at: '2026-11-15T12:00:00.000000Z',
    });
  });

  it('200 for only one of two concurrent approvals', async () => {
    const { requester, url } = await aRequest();
    const { answer } = await ask({ requester_id: requester });
    const other = `/service/${service}/service-join-request/${answer.body.service_join_request_id}`;
    const answers = await Promise.all([url, other].map((one) => harness.admin('POST', one, approval())));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  it('200 when rejected; sends no message and changes nothing else', async () => {
    const { requester, url } = await aRequest();
    const rejection = { status: 'rejected', status_changed_by_id: manager, auth_type: 'email_auth' };
    const { sent } = await sentBy(harness, () => harness.admin('POST', url, rejection));
    expect(sent).toEqual([]);
    expect((await harness.admin('GET', `/user/${requester}`)).body.data.auth_type).toBe('sms_auth');
  });

  it('200 when rejected, 400 for a second decision', async () => {
    const { requester, url } = await aRequest();
    const rejection = { status: 'rejected', status_changed_by_id: manager };
    expect((await harness.admin('POST', url, rejection)).body.status).toBe('rejected');
    const again = await harness.admin('POST', url, approval());
    expect(again.status).toBe(400);
    expect(again.body.message).toEqual({ status: ['The request is already rejected'] });
    expect((await harness.admin('GET', `/user/${requester}`)).body.data.services).toEqual([]);
  });

  it('400 for an unknown decision or decider', async () => {
    const { url } = await aRequest();
    expect((await harness.admin('POST', url, { ...approval(), status: 'maybe' })).status).toBe(400);
    expect((await harness.admin('POST', url, { ...approval(), status_changed_by_id: unknown })).status).toBe(400);
  });

  it('404 for an unknown request or one of another service', async () => {
    const { url } = await aRequest();
    const elsewhere = url.replace(service, await aService(harness));
    for (const wrong of [`/service/${service}/service-join-request/${unknown}`, elsewhere]) {
      expect((await harness.admin('GET', wrong)).body).toEqual(notFound);
      expect((await harness.admin('POST', wrong, approval())).body).toEqual(notFound);
    }
  });
});
