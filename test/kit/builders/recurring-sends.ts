import { expect } from 'vitest';
import { permissionsOf } from '../../../src/console/access/may.ts';
import { adminToken, type Harness } from '../harness.ts';
import { aService, aTemplate, aUser } from './rows.ts';

const times = { rule: 'FREQ=WEEKLY;BYDAY=MO', starts_on: '2026-10-20', at_time: '01:30' };

/** A service with a template and a contact list of two people, and the member who sends the one to the other. */
export async function aRecurringTeam(
  harness: Harness,
  fields: Parameters<typeof aService>[1] = {},
  template_type: 'sms' | 'email' = 'sms',
) {
  const { admin, clock } = harness;
  const created_by = await aUser(harness);
  const service = await aService(harness, { ...fields, created_by_id: created_by });
  const setRights = (...rights: Parameters<typeof permissionsOf>[0]) =>
    harness.app.db
      .updateTable('service_members')
      .set({ permissions: permissionsOf(rights) })
      .where('service_id', '=', service)
      .execute();
  await setRights('send');
  const template_id = await aTemplate(harness, service, { template_type, subject: 'Hello', content: 'Hello' });
  const upload = await harness.request({
    method: 'POST',
    url: `/service/${service}/upload?filename=People.csv&contact_list=true`,
    headers: { authorization: `Bearer ${adminToken(clock)}`, 'content-type': 'text/csv' },
    payload:
      template_type === 'sms'
        ? 'phone number\n07700900460\n07700900461\n'
        : 'email address\na@example.org\nb@example.org\n',
  });
  const contact_list_id = upload.body.data.id;
  const list = { id: contact_list_id, original_file_name: 'People.csv', row_count: 2, template_type, created_by };
  expect((await admin('POST', `/service/${service}/contact-list`, list)).status).toBe(201);
  const url = `/service/${service}/recurring-send`;
  const create = (more: object = {}) =>
    admin('POST', url, { template_id, contact_list_id, created_by, ...times, ...more });
  const read = async (id: string) => (await admin('GET', `${url}/${id}`)).body.data;
  return { service, created_by, template_id, contact_list_id, url, setRights, create, read };
}
