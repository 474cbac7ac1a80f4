import { randomUUID } from 'node:crypto';
import type { Channel } from '../../../src/protocol/channels.ts';
import type { Answer } from '../harness.ts';
import { sampleLogo } from '../samples/letter-samples.ts';
import { firstPage, makePdf } from '../samples/pdf-samples.ts';

/** A service, its messages, and the ids of everything, named as in paths. */
export interface ServiceData {
  ids: Record<string, string>;
  key: string;
  accepted: Record<Channel, string[]>;
}

const password = 'correct horse battery';
const address = { address_line_1: 'Ada Lovelace', address_line_2: '1 High Street', postcode: 'SW1A 1AA' };

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** The release under test: another release as a process, or this one inside the test. */
export interface Installation {
  name: string;
  now(): Date;
  ask(method: Method, path: string, headers: Record<string, string>, body?: unknown): Promise<Answer>;
  /** Calls the admin API as the front end does. */
  admin(method: Method, path: string, body?: unknown): Promise<Answer>;
}

/** Creates an organisation with all its settings, and a service that sends every kind of message. */
export async function createServiceWithData(
  release: Installation,
  number: number,
  callbackUrl: string,
): Promise<ServiceData> {
  const title = `day-${number}`;
  const serviceData: ServiceData = { ids: {}, key: '', accepted: { sms: [], email: [], letter: [] } };
  await createUsers(release, serviceData, title);
  await createOrganisation(release, serviceData, title);
  await createService(release, serviceData, title, callbackUrl);
  await createTemplates(release, serviceData, title);
  await inviteUsers(release, serviceData, title);
  await setRates(release, serviceData, number);
  await sendEverything(release, serviceData, title);
  await sendReceiptsAndReplies(release, serviceData);
  return serviceData;
}

async function post(release: Installation, path: string, body: unknown = {}): Promise<Answer['body']> {
  return expectDone(await release.admin('POST', path, body), release, `POST ${path}`);
}

/** The `data` of the response, if any. */
function expectDone({ status, body, text }: Answer, { name }: Installation, request: string): Answer['body'] {
  if (status >= 300) throw new Error(`${name} answered ${status} to ${request}: ${text}`);
  return body.data ?? body;
}

async function createUsers(release: Installation, { ids }: ServiceData, title: string): Promise<void> {
  for (const [name, id] of [
    ['ada', 'user_id'],
    ['grace', 'colleague_id'],
  ] as const) {
    const email_address = `${name}.${title}@example.org`;
    const user = { name, email_address, password, mobile_number: '+447700900460' };
    ids[id] = (await post(release, '/user', user)).id;
    await post(release, `/user/${ids[id]}/activate`);
  }
  const user = `/user/${ids.user_id}`;
  await post(release, `${user}/verify/password`, { password });
  await post(release, `${user}/sms-code`);
  await post(release, user, { name: `Ada of ${title}` });
  const key = { name: 'Blue key', credential_data: 'ABC123', registration_response: 'DEF456' };
  await post(release, `${user}/webauthn`, key);
  await post(release, '/events', { event_type: 'sucessful_login', data: { user_id: ids.user_id } });
}

async function createOrganisation(release: Installation, { ids }: ServiceData, title: string): Promise<void> {
  const founded = { name: `Organisation ${title}`, crown: true, organisation_type: 'central' };
  ids.organisation_id = (await post(release, '/organisations', founded)).id;
  const organisation = `/organisations/${ids.organisation_id}`;
  await post(release, organisation, { domains: [`${title}.example.org`] });
  const look = { name: `Email ${title}`, brand_type: 'org', colour: '#123456', text: title, logo: 'a.png' };
  ids.email_branding_id = (await post(release, '/email-branding', look)).id;
  const letterhead = { name: `Letter ${title}`, filename: `letterhead-${title}` };
  ids.letter_branding_id = (await post(release, '/letter-branding', letterhead)).id;
  await post(release, `/letter-branding/${ids.letter_branding_id}/logo`, { svg: sampleLogo.svg });
  await post(release, `${organisation}/email-branding-pool`, { branding_ids: [ids.email_branding_id] });
  await post(release, `${organisation}/letter-branding-pool`, { branding_ids: [ids.letter_branding_id] });
  await post(release, `${organisation}/users/${ids.user_id}`, { permissions: [{ permission: 'manage_services' }] });
}

async function createService(
  release: Installation,
  serviceData: ServiceData,
  title: string,
  callbackUrl: string,
): Promise<void> {
  const { ids } = serviceData;
  const opened = { name: `Service ${title}`, user_id: ids.user_id, restricted: false };
  ids.service_id = (await post(release, '/service', opened)).id;
  const service = `/service/${ids.service_id}`;
  const { organisation_id, user_id } = ids;
  await post(release, `/organisations/${organisation_id}/service`, { service_id: ids.service_id });
  const permissions = ['sms', 'email', 'letter', 'inbound_sms', 'suppress_recipients'];
  const limits = { sms_message_limit: 10_000, rate_limit: 10_000 };
  const letterhead = { letter_branding: ids.letter_branding_id };
  await post(release, service, { permissions, contact_link: 'https://example.org', ...limits, ...letterhead });
  const key = { name: 'key', key_type: 'normal', created_by: user_id };
  serviceData.key = `key-${ids.service_id}-${await post(release, `${service}/api-key`, key)}`;
  ids.api_key_id = (await release.admin('GET', `${service}/api-keys`)).body.apiKeys[0].id;
  const guests = { email_addresses: ['guest@example.org'], phone_numbers: ['07700900461'] };
  expectDone(await release.admin('PUT', `${service}/guest-list`, guests), release, 'PUT guest-list');
  ids.sms_sender_id = (await post(release, `${service}/sms-sender`, { sms_sender: 'DESK', is_default: true })).id;
  const replyTo = { email_address: 'desk@example.org', is_default: true };
  ids.reply_to_id = (await post(release, `${service}/email-reply-to`, replyTo)).id;
  const contact = { contact_block: '1 Main Street\nSW1A 1AA', is_default: true };
  ids.letter_contact_id = (await post(release, `${service}/letter-contact`, contact)).id;
  ids.number = `0770090000${title.at(-1)}`;
  const line = await post(release, '/inbound-number', { number: ids.number, provider: 'mmg' });
  await post(release, `/inbound-number/service/${ids.service_id}`, { inbound_number_id: line.id });
  const kept = { notification_type: 'sms', days_of_retention: 30 };
  ids.data_retention_id = (await post(release, `${service}/data-retention`, kept)).result.id;
  const callback = { url: callbackUrl, bearer_token: 'a-token-of-some-length', updated_by_id: user_id };
  const hook = { ...callback, callback_type: 'delivery_status' };
  ids.callback_id = (await post(release, `${service}/callback-api`, hook)).id;
  await post(release, `${service}/callback-api/${ids.callback_id}/signing-secret`, { updated_by_id: user_id });
  await post(release, `${service}/billing/free-sms-fragment-limit`, { free_sms_fragment_limit: 1 });
}

async function createTemplates(release: Installation, { ids }: ServiceData, title: string): Promise<void> {
  const service = `/service/${ids.service_id}`;
  const created_by = ids.user_id;
  const write = async (template_type: Channel, more: object = {}) =>
    (
      await post(release, `${service}/template`, {
        ...{ name: `A ${template_type}`, template_type, subject: template_type === 'sms' ? null : 'News' },
        ...{ content: `Hello ((name)), it is ${title}`, created_by, ...more },
      })
    ).id;
  ids.folder_id = (await post(release, `${service}/template-folder`, { name: 'Folder', parent_id: null })).id;
  ids.template_id = await write('sms', { parent_folder_id: ids.folder_id });
  ids.email_template_id = await write('email', { has_unsubscribe_link: true });
  ids.letter_template_id = await write('letter');
  await post(release, `${service}/template/${ids.template_id}`, {
    content: `Good day, ((name)), it is ${title}`,
    created_by,
  });
  const file = { filename: 'form.pdf', created_by_id: created_by, pending: false, content: base64('%PDF-1.7') };
  const files = `${service}/templates/${ids.email_template_id}/template_email_files`;
  ids.email_file_id = (await post(release, files, file)).id;
  const attachment = { upload_id: randomUUID(), template_id: ids.letter_template_id, created_by_id: created_by };
  const map = { ...attachment, original_filename: 'map.pdf', page_count: 1, content: base64(await makePdf([{}])) };
  ids.letter_attachment_id = (await post(release, '/letter-attachment', map)).id;
}

async function inviteUsers(release: Installation, { ids }: ServiceData, title: string): Promise<void> {
  const service = `/service/${ids.service_id}`;
  const permissions = 'view_activity,send_texts';
  const guest = { email_address: `new.${title}@example.org`, from_user: ids.user_id, permissions };
  ids.invite_id = (await post(release, `${service}/invite`, guest)).id;
  const director = { email_address: `director.${title}@example.org`, invited_by: ids.user_id };
  const invited = await post(release, `/organisation/${ids.organisation_id}/invite`, director);
  ids.organisation_invite_id = invited.id;
  const asked = { requester_id: ids.colleague_id, contacted_user_ids: [ids.user_id] };
  ids.request_id = (await post(release, `${service}/service-join-request`, asked)).service_join_request_id;
  const decision = { status: 'approved', status_changed_by_id: ids.user_id, permissions: ['view_activity'] };
  await post(release, `${service}/service-join-request/${ids.request_id}`, decision);
  const rights = { permissions: [{ permission: 'view_activity' }], folder_permissions: [ids.folder_id] };
  await post(release, `/user/${ids.colleague_id}/service/${ids.service_id}/permission`, rights);
}

async function setRates(release: Installation, { ids }: ServiceData, number: number): Promise<void> {
  const start_date = `2030-01-0${number}T00:00:00Z`;
  await post(release, '/sms-rate', { rate: 0.05, valid_from: start_date });
  await post(release, '/letter-rates', { post_class: 'europe', sheet_count: 5, rate: 1.1, start_date });
  const { provider_details } = (await release.admin('GET', '/provider-details')).body;
  ids.provider_details_id = provider_details[0].id;
  await post(release, `/provider-details/${ids.provider_details_id}`, { priority: 50, created_by: ids.user_id });
}

async function sendEverything(release: Installation, serviceData: ServiceData, title: string): Promise<void> {
  const { ids, accepted } = serviceData;
  const personalisation = { name: `Ada of ${title}` };
  const sms = { phone_number: '07700900123', template_id: ids.template_id, personalisation };
  const repeated = { 'idempotency-key': 'the same message' };
  ids.notification_id = await accept(release, serviceData, 'sms', sms, repeated);
  const again = await release.ask('POST', '/v2/notifications/sms', { ...keyOf(serviceData), ...repeated }, sms);
  if (again.body.id !== ids.notification_id)
    throw new Error(`${release.name} forgot an Idempotency-Key: ${again.text}`);
  const email = { email_address: 'ada@example.org', template_id: ids.email_template_id };
  ids.email_id = await accept(release, serviceData, 'email', { ...email, personalisation });
  const file = { file: base64('a file'), confirm_email_before_download: true };
  const linked = await release.ask('POST', '/v2/notifications/email', keyOf(serviceData), {
    ...email,
    personalisation: { name: file },
  });
  accepted.email.push(linked.body.id);
  ids.document_link = new URL(/https?:\/\/\S+\/d\/\S+/.exec(linked.body.content.body)?.[0] ?? '').href;
  const letter = { template_id: ids.letter_template_id, personalisation: { ...address, ...personalisation } };
  ids.letter_id = await accept(release, serviceData, 'letter', letter);
  await accept(release, serviceData, 'letter', { reference: 'mine', content: base64(await makePdf([firstPage()])) });
  const uploaded = { file_id: randomUUID(), filename: 'rent.pdf', created_by: ids.user_id };
  const pdf = { ...uploaded, content: base64(await makePdf([firstPage()])) };
  accepted.letter.push((await post(release, `/service/${ids.service_id}/send-pdf-letter`, pdf)).id);
  const oneOff = { template_id: ids.template_id, to: '07700900123', created_by: ids.user_id, personalisation };
  accepted.sms.push((await post(release, `/service/${ids.service_id}/send-notification`, oneOff)).id);
}

async function accept(
  release: Installation,
  serviceData: ServiceData,
  channel: Channel,
  message: object,
  headers: Record<string, string> = {},
): Promise<string> {
  const response = await release.ask(
    'POST',
    `/v2/notifications/${channel}`,
    { ...keyOf(serviceData), ...headers },
    message,
  );
  const { id } = expectDone(response, release, `POST /v2/notifications/${channel}`);
  serviceData.accepted[channel].push(id);
  return id;
}

/** Incoming: a text, a complaint, a file download, an unsubscribe request. */
async function sendReceiptsAndReplies(release: Installation, serviceData: ServiceData): Promise<void> {
  const { ids } = serviceData;
  const text = {
    MSISDN: '447700900111',
    Number: ids.number,
    Message: 'Hello',
    ID: '1',
    DateRecieved: '2024-11-11+12%3A00%3A00',
  };
  const mmg = { authorization: `Basic ${base64('mmg:secret')}` };
  expectDone(await release.ask('POST', '/notifications/sms/receive/mmg', mmg, text), release, 'a received text');
  const mail = { messageId: ids.email_id, timestamp: release.now().toISOString(), destination: ['ada@example.org'] };
  const complaint = { notificationType: 'Complaint', complaint: { feedbackId: 'f' }, mail };
  const envelope = { Type: 'Notification', MessageId: 'sns-1', Message: JSON.stringify(complaint) };
  expectDone(await release.ask('POST', '/notifications/email/ses', {}, envelope), release, 'a complaint');
  const { pathname, search } = new URL(ids.document_link ?? '');
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const reader = 'email_address=ada%40example.org';
  expectDone(await release.ask('POST', `${pathname}${search}`, form, reader), release, 'the reader of a file');
  const read = await release.ask('GET', `/v2/notifications/${ids.email_id}`, keyOf(serviceData));
  const link = new URL(read.body.one_click_unsubscribe_url).pathname;
  expectDone(await release.ask('POST', link, {}), release, 'an unsubscription');
  const report = await post(release, `/service/${ids.service_id}/create-unsubscribe-request-report`);
  ids.batch_id = report.report_id;
  const inbox = await release.admin('POST', `/service/${ids.service_id}/inbound-sms`, {});
  ids.inbound_sms_id = inbox.body.data[0].id;
}

export function keyOf({ key }: ServiceData): { authorization: string } {
  return { authorization: `Bearer ${key}` };
}

function base64(content: string | Uint8Array): string {
  return Buffer.from(content).toString('base64');
}
