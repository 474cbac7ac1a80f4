import { describe, expect, it } from 'vitest';
import { aUser } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { newId } from '../platform/id.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const { admin } = harness;

describe('GET /service/{id}/history', () => {
  it('200 with every version of the service, its keys and its templates, oldest first', async () => {
    const user_id = await aUser(harness);
    const editor = await aUser(harness);
    const { id } = (await admin('POST', '/service', { name: 'First name', user_id })).body.data;
    const key = { name: 'Key', key_type: 'normal', created_by: user_id };
    await admin('POST', `/service/${id}/api-key`, key);
    const { apiKeys } = (await admin('GET', `/service/${id}/api-keys`)).body;
    const template = { name: 'Template', template_type: 'sms', content: 'a', created_by: user_id };
    const made = (await admin('POST', `/service/${id}/template`, template)).body.data;
    harness.clock.advance({ minutes: 1 });
    const later = '2026-11-15T12:01:00.000000Z';
    await admin('POST', `/service/${id}`, { name: 'Second name', created_by: editor });
    await admin('POST', `/service/${id}/api-key/revoke/${apiKeys[0].id}`, {});
    await admin('POST', `/service/${id}/template/${made.id}`, { name: 'Renamed', created_by: editor });

    const { status, body } = await admin('GET', `/service/${id}/history`);
    expect(status).toBe(200);
    const created_at = '2026-11-15T12:00:00.000000Z';
    const service = { id, created_at, active: true, restricted: true, custom_email_sender_name: null };
    const limits = { email_message_limit: 50, sms_message_limit: 50, letter_message_limit: 50 };
    const oneKey = { id: apiKeys[0].id, name: 'Key', service_id: id, created_at, created_by_id: user_id };
    expect(body).toEqual({
      data: {
        service_history: [
          {
            ...service,
            ...limits,
            name: 'First name',
            version: 1,
            updated_at: null,
            email_sender_local_part: 'first.name',
            created_by_id: user_id,
          },
          {
            ...service,
            ...limits,
            name: 'Second name',
            version: 2,
            updated_at: later,
            email_sender_local_part: 'second.name',
            created_by_id: editor,
          },
        ],
        api_key_history: [
          { ...oneKey, version: 1, updated_at: null, expiry_date: null, revoked_at: null },
          { ...oneKey, version: 2, updated_at: later, expiry_date: later, revoked_at: later },
        ],
        template_history: [
          { id: made.id, name: 'Template', version: 1, created_at, updated_at: null, created_by_id: user_id },
          { id: made.id, name: 'Renamed', version: 2, created_at, updated_at: later, created_by_id: editor },
        ],
      },
    });
  });

  it('404 for an unknown service', async () => {
    expect((await admin('GET', `/service/${newId(new Date())}/history`)).status).toBe(404);
  });
});
