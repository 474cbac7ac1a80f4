import { describe, expect, it } from 'vitest';
import { aCheckedUpload, smsRows } from './kit/builders/uploads.ts';
import { useHarness } from './kit/harness.ts';
import { fillIn, queryAbout } from './kit/world/every-page.ts';
import { createServiceWithData, type Installation, type ServiceData } from './kit/world/service-with-data.ts';

/**
 * Two services with every kind of data. One requests all data of the other, by its real id, through every endpoint
 * of a service: it must neither read nor change any of it.
 */

const harness = useHarness({
  config: {
    callbacks: { allowPrivate: true },
    providers: { mmg: { inboundAuth: 'mmg:secret' }, ses: { verifySignatures: false } },
  },
});

const installation: Installation = {
  name: 'this release',
  now: () => harness.clock.now(),
  admin: (method, path, body) => harness.admin(method, path, body),
  ask: (method, url, headers, body) =>
    harness.request({ method, url, headers, payload: typeof body === 'string' ? body : JSON.stringify(body) }),
};

/** Operations of one service, by path or by API key. Not the one that archives the calling service. */
function operationsOfServices(): [method: string, path: string][] {
  const { paths } = harness.http.swagger() as { paths: Record<string, Record<string, unknown>> };
  return Object.entries(paths)
    .filter(([path]) => path.includes('{service_id}') || path.startsWith('/v2'))
    .filter(([path]) => path !== '/service/{service_id}/archive')
    .flatMap(([path, operations]) => Object.keys(operations).map((method): [string, string] => [method, path]));
}

function send(method: string, path: string, ids: Record<string, string>, key: string, body?: object) {
  const url = fillIn(path, { ids });
  if (path.startsWith('/v2')) return harness.v2(method.toUpperCase() as 'GET', url, key, body);
  const query = queryAbout(harness.clock.now().toISOString().slice(0, 10));
  return harness.admin(method.toUpperCase() as 'GET', `${url}?${query}`, body);
}

/** A body with all ids of the owner; a message is otherwise valid. */
function bodyFor(path: string, ids: Record<string, string>): object {
  const { user_id: created_by, template_id, email_template_id, letter_template_id, sms_sender_id, reply_to_id } = ids;
  const personalisation = { name: 'x', address_line_1: 'A', address_line_2: '1 High Street', postcode: 'SW1A 1AA' };
  if (path.endsWith('/v2/notifications/sms')) return { phone_number: '07700900123', template_id, sms_sender_id };
  if (path.endsWith('/email')) return { email_address: 'x@example.org', template_id: email_template_id };
  if (path.endsWith('/letter')) return { template_id: letter_template_id, personalisation };
  if (path.endsWith('/preview')) return { personalisation };
  if (path.endsWith('/job')) return { id: ids.upload_id, created_by };
  const people = { created_by, updated_by_id: created_by, from_user: created_by };
  const taken = {
    name: 'Taken',
    content: 'Taken',
    subject: 'Taken',
    to: '07700900123',
    email_reply_to_id: reply_to_id,
  };
  return { ...ids, ...people, ...taken, personalisation };
}

/** A file that is sent, one that waits, and a report: which other releases do not have. */
async function sendAFile({ ids }: ServiceData, title: string): Promise<void> {
  const { service_id = '', template_id = '', user_id = '' } = ids;
  const rows = smsRows(2).map((row) => row && { ...row, personalisation: { name: title } });
  const file = { original_file_name: `${title}.csv` };
  ids.upload_id = await aCheckedUpload(harness, service_id, template_id, rows, file);
  ids.job_id = await aCheckedUpload(harness, service_id, template_id, rows, file);
  const job = { id: ids.job_id, created_by: user_id };
  expect((await harness.admin('POST', `/service/${service_id}/job`, job)).status).toBe(201);
  const { body } = await harness.admin('POST', `/service/${service_id}/report-request`, reportOf(user_id));
  ids.report_request_id = body.data.id;
}

function reportOf(user_id: string) {
  const parameter = { notification_type: 'sms', notification_status: 'all' };
  return { user_id, report_type: 'notifications_report', ...parameter };
}

/** Everything that can be read of a service, by path. */
async function pagesOf(serviceData: ServiceData): Promise<Record<string, string>> {
  const pages: Record<string, string> = {};
  for (const [method, path] of operationsOfServices().filter(([name]) => name === 'get')) {
    const { text } = await send(method, path, serviceData.ids, serviceData.key);
    // Reading the pages is a use of the key.
    pages[path] = text.replaceAll(/"last_used_at":("[^"]*"|null)/g, '"last_used_at":"..."');
  }
  return pages;
}

describe('a service', () => {
  it('neither reads nor changes data of another', { timeout: 120_000 }, async () => {
    const owner = await createServiceWithData(installation, 1, 'http://127.0.0.1:9/');
    const other = await createServiceWithData(installation, 2, 'http://127.0.0.1:9/');
    await sendAFile(owner, 'day-1');
    await sendAFile(other, 'day-2');
    await harness.runTasks();
    await harness.deliver();
    const before = await pagesOf(owner);
    // Names, texts and recipients of the owner are marked, so that a leak can be detected.
    const shown = Object.values(before).filter((text) => text.includes('day-1'));
    expect(shown.length).toBeGreaterThan(20);
    const ofJobs = Object.keys(before).filter((path) => /job_id|upload_id|report_request_id/.test(path));
    expect(ofJobs.length).toBeGreaterThan(6);

    const { service_id = '', user_id = '' } = other.ids;
    const ids = { ...owner.ids, service_id, user_id };
    const wrong: string[] = [];
    for (const [method, path] of operationsOfServices()) {
      const body = ['get', 'delete'].includes(method) ? undefined : bodyFor(path, ids);
      const { status, text } = await send(method, path, ids, other.key, body);
      const isTold = text.includes('day-1') || text.includes(owner.ids.service_id ?? '');
      if (status >= 500 || isTold) wrong.push(`${method} ${path}: ${status} ${text.slice(0, 200)}`);
    }
    expect(wrong).toEqual([]);
    expect(await pagesOf(owner)).toEqual(before);
  });
});
