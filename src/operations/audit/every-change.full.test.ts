import { describe, expect, it } from 'vitest';
import { type Answer, useHarness } from '../../../test/kit/harness.ts';
import { aPicture } from '../../../test/kit/samples/pictures.ts';
import { aPerson } from '../../../test/kit/world/console-people.ts';
import {
  createServiceWithData,
  type Installation,
  type ServiceData,
} from '../../../test/kit/world/service-with-data.ts';
import { newId } from '../../platform/id.ts';

/** A service does everything through the admin API and is then deleted: each call has its entry, or is listed here. */

const harness = useHarness({
  now: '2026-11-15T12:00:00Z',
  config: {
    callbacks: { allowPrivate: true },
    providers: { mmg: { inboundAuth: 'mmg:secret' }, ses: { verifySignatures: false } },
  },
});

/** Routes that read, check, or send messages of the platform: they change nothing that is audited. */
const changeNothing = [
  ...['POST /email-branding/get-name-for-alt-text/', 'POST /letter-branding/get-unique-name/', 'POST /events'],
  ...['POST /user/email', 'POST /user/find-users-by-email', 'POST /user/check-link', 'POST /user/reset-password'],
  ...['POST /user/{user_id}/verify/password', 'POST /user/{user_id}/sms-code', 'POST /user/{user_id}/email-code'],
  ...['POST /user/{user_id}/email-verification', 'POST /user/{user_id}/change-email-verification'],
  ...['POST /user/{user_id}/email-already-registered', 'POST /platform-admin/users-list'],
  'POST /organisations/notify-users-of-request-to-go-live/{service_id}',
  'POST /organisations/notify-org-member-about-next-steps-of-go-live-request/{service_id}',
  'POST /organisations/notify-service-member-of-rejected-go-live-request/{service_id}',
  ...['POST /service/{service_id}/email-reply-to/verify', 'POST /service/{service_id}/notifications'],
  ...['POST /service/{service_id}/inbound-sms', 'POST /service/{service_id}/check-pdf-letter'],
  'POST /service/{service_id}/template/{template_id}/letter-preview/{file_type}',
  ...['POST /service/{service_id}/template/preview-draft', 'POST /service/{service_id}/template/check'],
  ...['POST /platform-admin/find-by-uuid', 'POST /service/{service_id}/recurring-send/dates'],
];

/** Routes that the service does not call: `every-action.full.test.ts` calls their rules through the console. */
const sameInConsole = [
  ...['POST /user/{user_id}/verify/code', 'POST /user/{user_id}/complete/webauthn-login'],
  ...['POST /user/{user_id}/webauthn/{credential_id}', 'DELETE /user/{user_id}/webauthn/{credential_id}'],
  'POST /service/{service_id}/templates/{template_id}/template_email_files/{email_file_id}',
  'POST /service/{service_id}/templates/{template_id}/template_email_files/{email_file_id}/archive',
  ...['POST /inbound-number/service/{service_id}/off', 'POST /service/{service_id}/inbound-sms/remove'],
  ...['POST /service/{service_id}/job', 'POST /service/{service_id}/job/{job_id}/cancel'],
  'POST /service/{service_id}/job/{job_id}/send-now',
  ...['POST /service/{service_id}/job/{job_id}/cancel-letter-job', 'POST /service/{service_id}/upload'],
  ...['POST /service/{service_id}/upload/{upload_id}', 'DELETE /service/{service_id}/upload/{upload_id}'],
  ...['POST /service/{service_id}/contact-list', 'DELETE /service/{service_id}/contact-list/{contact_list_id}'],
  ...['POST /service/{service_id}/notifications/{notification_id}/cancel', 'POST /letters/returned'],
  'POST /service/{service_id}/suppression-list/lift',
  ...['POST /service/{service_id}/guard/lift', 'POST /service/{service_id}/guard/exempt', 'POST /sending-domain'],
  ...['POST /sending-domain/{sending_domain_id}', 'DELETE /sending-domain/{sending_domain_id}'],
  ...['POST /sending-domain/{sending_domain_id}/use', 'POST /sending-domain/{sending_domain_id}/check'],
  'POST /sending-domain/{sending_domain_id}/keys',
  'POST /sending-domain/{sending_domain_id}/keys/{key_id}/use',
  ...['POST /service/{service_id}/report-request', 'POST /service/{service_id}/callbacks/{callback_id}/replay'],
];

const calls: { route: string; request_id: string }[] = [];

function routes(): { route: string; pattern: RegExp }[] {
  const { paths } = harness.http.swagger() as { paths: Record<string, Record<string, { tags?: string[] }>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method, { tags }]) => method !== 'get' && tags?.includes('admin'))
      .map(([method]) => ({
        route: `${method.toUpperCase()} ${path}`,
        pattern: new RegExp(`^${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      })),
  );
}

/** A fixed path before one with a parameter in its place. */
function routeOf(method: string, path: string): string {
  const found = routes().filter(({ pattern }) => pattern.test(`${method} ${path.replace(/\?.*/, '')}`));
  return found.sort((a, b) => a.route.split('{').length - b.route.split('{').length)[0]?.route ?? '';
}

async function admin(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<Answer> {
  const answer = await harness.admin(method, path, body);
  if (method !== 'GET' && answer.status < 300) {
    calls.push({ route: routeOf(method, path), request_id: String(answer.headers['x-b3-traceid']) });
  }
  return answer;
}

const installation: Installation = {
  name: 'this release',
  now: () => harness.clock.now(),
  admin,
  ask: (method, url, headers, body) =>
    harness.request({ method, url, headers, payload: typeof body === 'string' ? body : JSON.stringify(body) }),
};

/** What `createServiceWithData` has no need for. */
async function changeTheRest({ ids }: ServiceData): Promise<void> {
  const create = async (path: string, body: object) => {
    const { status, text, body: created } = await admin('POST', path, body);
    expect([path, status, status < 300 ? '' : text]).toEqual([path, 201, '']);
    return (created.data ?? created).id as string;
  };
  const call = async (path: string, body?: object) => {
    const { status, text } = await admin('POST', path, body);
    expect([path, status < 300, status < 300 ? '' : text]).toEqual([path, true, '']);
  };
  const service = `/service/${ids.service_id}`;
  const organisation = { name: 'County', crown: false, organisation_type: 'other', agreement_signed: false };
  await call(`/organisations/${await create('/organisations', organisation)}/archive`);
  const email = await create('/email-branding', { name: 'County', brand_type: 'org', alt_text: 'County' });
  await call(`/email-branding/${email}/logo`, { png: aPicture(160, 160, [0, 0, 0, 255]).toString('base64') });
  await call(`/email-branding/${email}/archive`);
  const letter = await create('/letter-branding', { name: 'County', filename: 'county' });
  await call(`/letter-branding/${letter}/archive`);
  const person = (await aPerson(harness)).id;
  await call(`${service}/users/${person}`, { permissions: [{ permission: 'send_messages' }] });
  await call(`/user/${person}/platform-admin`, { platform_admin: true });
  const folder = await create(`${service}/template-folder`, { name: 'County', parent_id: null });
  await call(`${service}/template-folder/${folder}/contents`, { templates: [ids.template_id], folders: [] });
  for (const [path, value] of [
    ['sms-sender', { sms_sender: 'COUNTY' }],
    ['email-reply-to', { email_address: 'county@example.org' }],
    ['letter-contact', { contact_block: 'County\nSW1A 2AA' }],
  ] as const) {
    const id = await create(`${service}/${path}`, { ...value, is_default: false });
    await call(`${service}/${path}/${id}/archive`);
  }
  await changeTimes(service, ids, { create, call });
  await changePlan(service, ids, { create, call });
  await call(`${service}/callbacks/test`, { callback_type: 'delivery_status' });
  await harness.app.db.updateTable('service_callbacks').set({ status: 'failed' }).execute();
  await call(`${service}/callbacks/replay`, {});
}

interface Calls {
  create(path: string, body: object): Promise<string>;
  call(path: string, body?: object): Promise<void>;
}

/** Sending times with messages that wait, and a recurring send. */
async function changeTimes(service: string, ids: ServiceData['ids'], { create, call }: Calls): Promise<void> {
  const window = { name: 'Mondays', days: ['mon'], from_time: '08:00', until_time: '21:00' };
  const id = await create(`${service}/send-window`, window);
  await call(`${service}/send-window/${id}`, { ...window, until_time: '20:00' });
  await call(`${service}/sending-times`, { sms_window_id: id, email_window_id: null, time_zone: null });
  const text = {
    template_id: ids.template_id,
    to: '07700900123',
    created_by: ids.user_id,
    personalisation: { name: 'A' },
  };
  for (const action of ['send-now', 'cancel-waiting']) {
    harness.app.changeListener.reset();
    const waiting = await create(`${service}/send-notification`, text);
    await call(`${service}/notifications/${waiting}/${action}`);
  }
  await call(`${service}/template/${ids.template_id}/sending-times`, { window: 'none' });
  await call(`${service}/template/${ids.template_id}/sending-times`, { window: 'inherit' });
  await call(`${service}/sending-times`, { sms_window_id: null, email_window_id: null, time_zone: null });
  await admin('DELETE', `${service}/send-window/${id}`);
  const list = {
    id: newId(harness.clock.now()),
    service_id: String(ids.service_id),
    created_by_id: String(ids.user_id),
  };
  const about = { original_file_name: 'People.csv', row_count: 1, template_type: 'sms' as const };
  await harness.app.db
    .insertInto('contact_lists')
    .values({ ...list, ...about, created_at: harness.clock.now() })
    .execute();
  const recurring = await create(`${service}/recurring-send`, {
    ...{ template_id: ids.template_id, contact_list_id: list.id, created_by: ids.user_id },
    ...{ rule: 'FREQ=DAILY', starts_on: '2026-11-16', at_time: '10:00' },
  });
  await call(`${service}/recurring-send/${recurring}/pause`);
  await call(`${service}/recurring-send/${recurring}/resume`, { user_id: ids.user_id });
  await admin('DELETE', `${service}/recurring-send/${recurring}`);
}

async function changePlan(service: string, ids: ServiceData['ids'], { create, call }: Calls): Promise<void> {
  const step = { channel: 'sms', template_id: ids.template_id };
  const by = { created_by: ids.user_id };
  const plan = await create(`${service}/channel-plan`, {
    name: 'Reminders',
    steps: [{ ...step, wait_h: 24 }, step],
    ...by,
  });
  await call(`${service}/channel-plan/${plan}`, { name: 'Appointments', ...by });
  await admin('DELETE', `${service}/channel-plan/${plan}`);
}

async function deleteEverything({ ids }: ServiceData): Promise<string[]> {
  const refused: string[] = [];
  const call = async (method: 'POST' | 'DELETE', path: string, body?: object) => {
    const { status, text } = await admin(method, path, body);
    if (status >= 300) refused.push(`${method} ${path}: ${status} ${text}`);
  };
  const service = `/service/${ids.service_id}`;
  const organisation = `/organisations/${ids.organisation_id}`;
  const [user, colleague] = [`/user/${ids.user_id}`, `/user/${ids.colleague_id}`];
  const by = { created_by: ids.user_id, updated_by_id: ids.user_id };
  await call('POST', `${service}/api-key/revoke/${ids.api_key_id}`, { created_by: ids.user_id });
  await call('POST', `/email-branding/${ids.email_branding_id}`, { name: 'Renamed' });
  await call('POST', `/letter-branding/${ids.letter_branding_id}`, { name: 'Renamed', filename: 'renamed' });
  await call('DELETE', `${organisation}/email-branding-pool/${ids.email_branding_id}`);
  await call('DELETE', `${organisation}/letter-branding-pool/${ids.letter_branding_id}`);
  await call('POST', `${colleague}/update-password`, { _password: 'another horse battery' });
  await harness.admin('POST', `${user}/verify/password`, { password: 'wrong' });
  await call('POST', `${user}/reset-failed-login-count`);
  await call('POST', `${user}/organisation/${ids.organisation_id}/permissions`, { permissions: [] });
  await call('DELETE', `${organisation}/users/${ids.user_id}`);
  await call('POST', `${service}/invite/${ids.invite_id}`, { status: 'cancelled' });
  const invite = `/organisation/${ids.organisation_id}/invite/${ids.organisation_invite_id}`;
  await call('POST', invite, { status: 'cancelled' });
  const users_with_permission = [ids.user_id];
  await call('POST', `${service}/template-folder/${ids.folder_id}`, { name: 'Renamed', users_with_permission });
  await call('POST', `${service}/template-folder/contents`, { templates: [ids.template_id], folders: [] });
  await call('DELETE', `${service}/template-folder/${ids.folder_id}`);
  await call('POST', `${service}/sms-sender/${ids.sms_sender_id}`, { sms_sender: 'NEW', is_default: true });
  const replyTo = { email_address: 'new@example.org', is_default: true };
  await call('POST', `${service}/email-reply-to/${ids.reply_to_id}`, replyTo);
  const contact = { contact_block: '2 Main Street\nSW1A 1AA', is_default: true };
  await call('POST', `${service}/letter-contact/${ids.letter_contact_id}`, contact);
  await call('POST', `${service}/data-retention/${ids.data_retention_id}`, { days_of_retention: 5 });
  const callback = `${service}/callback-api/${ids.callback_id}`;
  await call('POST', callback, { url: 'https://example.org/new', updated_by_id: ids.user_id });
  await call('DELETE', `${callback}/signing-secret?callback_type=delivery_status`);
  await call('DELETE', `${callback}?callback_type=delivery_status`);
  await call('POST', `/letter-attachment/${ids.letter_attachment_id}/archive`, { archived_by: ids.user_id });
  const processed = { report_has_been_processed: true };
  await call('POST', `${service}/process-unsubscribe-request-report/${ids.batch_id}`, processed);
  for (const what of ['find', 'export', 'erase']) {
    await call('POST', `/platform-admin/${what}-recipient`, { recipient: 'ada@example.org' });
  }
  await call('POST', `${service}/template/${ids.template_id}`, { archived: true, ...by });
  await call('DELETE', `${service}/users/${ids.colleague_id}`);
  await call('POST', `${colleague}/archive`);
  await call('POST', `${service}/archive`);
  return refused;
}

describe('every change through the admin API', () => {
  it('has an entry of its request, or its route is listed', { timeout: 240_000 }, async () => {
    const serviceData = await createServiceWithData(installation, 1, 'http://127.0.0.1:9/');
    await changeTheRest(serviceData);
    expect(await deleteEverything(serviceData)).toEqual([]);
    const { rows } = await harness.app.pool.query('select distinct request_id from audit_log');
    const audited = new Set(rows.map(({ request_id }) => request_id));
    const without = calls.filter(({ request_id }) => !audited.has(request_id)).map(({ route }) => route);
    expect([...new Set(without)].filter((route) => !changeNothing.includes(route))).toEqual([]);
    const covered = new Set([...calls.map(({ route }) => route), ...changeNothing, ...sameInConsole]);
    expect(routes().filter(({ route }) => !covered.has(route))).toEqual([]);
    expect(calls.length).toBeGreaterThan(75);
    expect(
      [...changeNothing, ...sameInConsole].filter((route) => !routes().some((known) => known.route === route)),
    ).toEqual([]);
  });
});
