import { setTimeout as sleep } from 'node:timers/promises';
import { keyOf, type ServiceData } from '../kit/world/service-with-data.ts';
import type { RunningRelease } from './running-release.ts';

/** What a service does with files: a bulk send, a saved list, a report; and a request that is refused. */
export async function workWithFiles(release: RunningRelease, serviceData: ServiceData): Promise<void> {
  const { template_id, service_id, user_id: created_by } = serviceData.ids;
  const people = [
    ['07700900123', 'Ada'],
    ['07700900124', 'Grace'],
  ];
  const bulk = { template_id, name: 'people', rows: [['phone number', 'name'], ...people] };
  const { data } = await expectCreated(release.ask('POST', '/v2/notifications/bulk', keyOf(serviceData), bulk));
  serviceData.accepted.sms.push(...(await messagesOfJob(release, serviceData, data.id, people.length)));

  const service = `/service/${service_id}`;
  const file = 'phone number\n07700900123\n';
  const upload = `${service}/upload?filename=people.csv&contact_list=true`;
  const uploaded = await expectCreated(release.admin('POST', upload, file));
  const list = {
    id: uploaded.data.id,
    original_file_name: 'people.csv',
    row_count: 1,
    template_type: 'sms',
    created_by,
  };
  await expectCreated(release.admin('POST', `${service}/contact-list`, list));
  const report = { report_type: 'notifications_report', notification_type: 'sms', notification_status: 'all' };
  await expectCreated(release.admin('POST', `${service}/report-request`, { ...report, user_id: created_by }));

  const refused = await release.ask('POST', '/v2/notifications/sms', keyOf(serviceData), {
    phone_number: '07700900123',
  });
  if (refused.status !== 400) throw new Error(`A message without a template got ${refused.status}: ${refused.text}`);
}

async function expectCreated(response: ReturnType<RunningRelease['ask']>) {
  const { status, body, text } = await response;
  if (status !== 201) throw new Error(`Not created: ${status} ${text}`);
  return body;
}

async function messagesOfJob(
  release: RunningRelease,
  { ids }: ServiceData,
  job: string,
  count: number,
): Promise<string[]> {
  const path = `/service/${ids.service_id}/job/${job}/notifications`;
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; await sleep(50)) {
    const { notifications } = (await release.admin('GET', path)).body;
    if (notifications.length === count) return notifications.map(({ id }: { id: string }) => id);
  }
  throw new Error(`${release.name} did not send the rows of job ${job}`);
}
