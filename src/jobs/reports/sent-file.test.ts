import { beforeAll, describe, expect, it } from 'vitest';
import { anApiKey, aService, aTemplate, aUser } from '../../../test/kit/builders/rows.ts';
import { adminToken, useHarness } from '../../../test/kit/harness.ts';

/** A file through every door: uploaded, sent, delivered and reported. */

const harness = useHarness({ now: '2026-11-16T12:00:00Z', config: { providers: { sandbox: { delay_ms: 0 } } } });
const people =
  'phone number,name,item,reference,item\n07700900460,"Ann, A",pen,a1,book\n+44 7700 900461,=Bob,,,\n07700900462,,one,,\n';
let service: string;
let key: string;
let job: string;

const get = (path: string) => harness.admin('GET', `/service/${service}/${path}`);

async function upload(text: string, template_id: string): Promise<string> {
  const { status, body } = await harness.request({
    method: 'POST',
    url: `/service/${service}/upload?filename=pupils.csv&template_id=${template_id}`,
    headers: { authorization: `Bearer ${adminToken(harness.clock)}`, 'content-type': 'text/csv' },
    payload: text,
  });
  expect(status).toBe(201);
  return body.data.id;
}

beforeAll(async () => {
  service = await aService(harness);
  key = await anApiKey(harness, service);
  const created_by = await aUser(harness, { name: 'Grace' });
  const template = await aTemplate(harness, service, { name: 'Reminder', content: 'Hello ((name)) ((item))' });
  job = await upload(people, template);
  const sent = await harness.admin('POST', `/service/${service}/job`, { id: job, created_by, on_error: 'skip' });
  expect(sent.status).toBe(201);
  harness.clock.advance({ seconds: 1 });
  await harness.runTasks();
  await harness.deliver();
});

describe('a file that was sent', () => {
  it('is reported row by row; a row with a problem was no message', async () => {
    const { text } = await get(`job/${job}/report.csv`);
    expect(text.split('\r\n')).toEqual([
      'Row number,phone number,name,item,reference,Template,Type,Job,Status,Time',
      '1,07700900460,"Ann, A","pen, book",a1,Reminder,sms,pupils.csv,Delivered,2026-11-16 12:00:01',
      '',
    ]);
  });

  it('can be downloaded as it was', async () => {
    const { text } = await get(`job/${job}/original.csv`);
    expect(text.split('\r\n')).toEqual([
      'phone number,name,item,reference,item',
      '07700900460,"Ann, A",pen,a1,book',
      '+44 7700 900461,=Bob,,,',
      '07700900462,,one,,',
      '',
    ]);
  });

  it('has messages that lists show', async () => {
    const { notifications, total } = (await get(`job/${job}/notifications`)).body;
    expect(total).toBe(1);
    expect(notifications).toMatchObject([
      {
        to: '07700900460',
        client_reference: 'a1',
        job_row_number: 0,
        created_by: { name: 'Grace' },
        status: 'delivered',
      },
    ]);
    expect((await get('notifications')).body.notifications).toMatchObject([{ job: { id: job } }]);
    expect((await get('notifications?include_jobs=false')).body.notifications).toEqual([]);
    const listed = async (query: string) =>
      (await harness.v2('GET', `/v2/notifications${query}`, key)).body.notifications;
    expect(await listed('')).toEqual([]);
    expect(await listed('?include_jobs=true')).toMatchObject([{ reference: 'a1', created_by_name: 'Grace' }]);
    const { data } = (await get('upload')).body;
    expect(data).toMatchObject([{ id: job, statistics: [{ status: 'delivered', count: 1 }] }]);
    expect((await harness.admin('POST', '/platform-admin/find-by-uuid', { uuid: job })).body.type).toBe('job');
  });
});
