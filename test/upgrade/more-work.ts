import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../kit/harness.ts';
import { keyOf, type ServiceData } from '../kit/world/service-with-data.ts';
import type { RunningRelease } from './running-release.ts';

/** Work of a service beside its single messages. */
export async function doMoreWork(release: RunningRelease, serviceData: ServiceData): Promise<void> {
  const { service_id, user_id: created_by } = serviceData.ids;
  const reminder = { name: 'Reminder', template_type: 'sms', content: 'Good morning', created_by };
  serviceData.ids.reminder_id = (
    await done(release.admin('POST', `/service/${service_id}/template`, reminder))
  ).data.id;
  await workWithFiles(release, serviceData);
  await sendInOtherWays(release, serviceData);
  await receiveStop(release, serviceData);
}

/** A bulk send, a saved list to which a template is sent every day, a report; and a request that is refused. */
async function workWithFiles(release: RunningRelease, serviceData: ServiceData): Promise<void> {
  const { template_id, service_id, user_id: created_by } = serviceData.ids;
  const people = [
    ['07700900123', 'Ada'],
    ['07700900124', 'Grace'],
  ];
  const bulk = { template_id, name: 'people', rows: [['phone number', 'name'], ...people] };
  const { data } = await done(release.ask('POST', '/v2/notifications/bulk', keyOf(serviceData), bulk));
  const service = `/service/${service_id}`;
  const rows = await until(async () => {
    const { body } = await release.admin('GET', `${service}/job/${data.id}/notifications`);
    return body.notifications.length === people.length ? body.notifications : undefined;
  });
  serviceData.accepted.sms.push(...rows.map(({ id }: { id: string }) => id));

  const upload = `${service}/upload?filename=people.csv&contact_list=true`;
  const uploaded = await done(release.admin('POST', upload, 'phone number\n07700900123\n'));
  const contact_list_id = uploaded.data.id;
  const list = { original_file_name: 'people.csv', row_count: 1, template_type: 'sms', created_by };
  await done(release.admin('POST', `${service}/contact-list`, { id: contact_list_id, ...list }));
  const daily = { rule: 'FREQ=DAILY', starts_on: '2024-11-12', at_time: '09:00' };
  const recurring = { template_id: serviceData.ids.reminder_id, contact_list_id, ...daily, created_by };
  await done(release.admin('POST', `${service}/recurring-send`, recurring));
  const report = { report_type: 'notifications_report', notification_type: 'sms', notification_status: 'all' };
  await done(release.admin('POST', `${service}/report-request`, { ...report, user_id: created_by }));

  const nothing = { phone_number: '07700900123' };
  const refused = await release.ask('POST', '/v2/notifications/sms', keyOf(serviceData), nothing);
  if (refused.status !== 400) throw new Error(`A message without a template got ${refused.status}: ${refused.text}`);
}

/** With a limit of the year: in another language with an attachment, by a channel plan, and after sending times have closed. */
async function sendInOtherWays(release: RunningRelease, serviceData: ServiceData): Promise<void> {
  const { ids, accepted } = serviceData;
  const created_by = ids.user_id;
  const service = `/service/${ids.service_id}`;
  const permissions = ['sms', 'email', 'letter', 'inbound_sms', 'suppress_recipients', 'template_languages'];
  await done(release.admin('POST', service, { permissions, sms_annual_limit: 100_000 }));

  const text = { name: 'Bilingual', template_type: 'email', subject: 'News', content: 'Hello ((file))', created_by };
  const welsh = { language: 'cy', subject: 'Newyddion', content: 'Helo ((file))' };
  const languages = { default: 'en', variants: [welsh] };
  const { data: bilingual } = await done(release.admin('POST', `${service}/template`, { ...text, languages }));
  const file = { file: Buffer.from('text').toString('base64'), filename: 'a.txt', sending_method: 'attach' };
  const email = { email_address: 'grace@example.org', language: 'cy', personalisation: { file } };
  const attached = { template_id: bilingual.id, ...email };
  const sent = await done(release.ask('POST', '/v2/notifications/email', keyOf(serviceData), attached));
  accepted.email.push(sent.id);

  const steps = [
    { channel: 'email', template_id: ids.email_template_id, wait_h: 24 },
    { channel: 'sms', template_id: ids.template_id },
  ];
  const { data: plan } = await done(
    release.admin('POST', `${service}/channel-plan`, { name: 'Both', steps, created_by }),
  );
  const recipient = { email_address: 'grace@example.org', phone_number: '07700900123' };
  const planned = { plan_id: plan.id, recipient, personalisation: { name: 'Ada' } };
  const { id } = await done(release.ask('POST', '/v2/messages', keyOf(serviceData), planned));
  const started = async () => (await release.ask('GET', `/v2/messages/${id}`, keyOf(serviceData))).body.steps[0];
  accepted.email.push(await until(async () => (await started()).notification_id ?? undefined));

  const hours = { name: 'Mornings', days: ['mon', 'tue'], from_time: '09:00', until_time: '12:00', created_by };
  const { data: window } = await done(release.admin('POST', `${service}/send-window`, hours));
  await done(
    release.admin('POST', `${service}/sending-times`, { sms_window_id: null, email_window_id: null, time_zone: null }),
  );
  await done(release.admin('POST', `${service}/template/${ids.reminder_id}/sending-times`, { window: window.id }));
  const early = { template_id: ids.reminder_id, phone_number: '07700900123' };
  const waiting = await done(release.ask('POST', '/v2/notifications/sms', keyOf(serviceData), early));
  accepted.sms.push(waiting.id);
  await done(release.admin('POST', `${service}/notifications/${waiting.id}/send-now`));
}

/** A person replies STOP, and gets one message about it. */
async function receiveStop(release: RunningRelease, { ids, accepted }: ServiceData): Promise<void> {
  const mmg = { authorization: `Basic ${Buffer.from('mmg:secret').toString('base64')}` };
  const stop = { MSISDN: '447700900222', Number: ids.number, Message: 'STOP', ID: '2' };
  const at = { DateRecieved: '2024-11-11+12%3A00%3A00' };
  await done(release.ask('POST', '/notifications/sms/receive/mmg', mmg, { ...stop, ...at }));
  const path = `/service/${ids.service_id}/notifications?template_type=sms&to=447700900222`;
  accepted.sms.push(await until(async () => (await release.admin('GET', path)).body.notifications[0]?.id));
}

async function done(response: Promise<Answer>): Promise<Answer['body']> {
  const { status, body, text } = await response;
  if (status >= 300) throw new Error(`Not done: ${status} ${text}`);
  return body;
}

async function until<T>(read: () => Promise<T | undefined>): Promise<T> {
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; await sleep(50)) {
    const found = await read();
    if (found !== undefined) return found;
  }
  throw new Error('What was asked for did not happen');
}
