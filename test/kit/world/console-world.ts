import { recordComplaint } from '../../../src/complaints/complaints.ts';
import type { DeclaredPage } from '../../../src/console/page.ts';
import { createSession } from '../../../src/console/sessions/sessions.ts';
import { recordInboundText } from '../../../src/inbound/inbound-texts.ts';
import { listOptOuts, recordOptOutsAtProvider } from '../../../src/inbound/opt-outs/opt-outs.ts';
import { composeLetter } from '../../../src/notifications/tasks-for-others.ts';
import { hour_ms, later, timestamp } from '../../../src/platform/clock.ts';
import { inTransaction } from '../../../src/platform/db/database.ts';
import { newId } from '../../../src/platform/id.ts';
import { defaultServicePermissions } from '../../../src/services/service-fields.ts';
import { createEmailFile } from '../../../src/templates/files/template-email-files.ts';
import { createFolder } from '../../../src/templates/folders/template-folders.ts';
import { insertVariants } from '../../../src/templates/languages/variants.sql.ts';
import { keepDraft } from '../../../src/templates/template-drafts.ts';
import { creatorPermissions } from '../../../src/users/members/permissions.ts';
import { createCredential } from '../../../src/users/sign-in/security-keys.ts';
import { getUserRecord, type UserRecord } from '../../../src/users/user-record.ts';
import { aJob } from '../builders/jobs.ts';
import { aQueuedMessage } from '../builders/queued-messages.ts';
import {
  aNotification,
  anApiKey,
  anOrganisation,
  anUnsubscribeReport,
  aReplyTo,
  aSendWindow,
  aService,
  aTemplate,
} from '../builders/rows.ts';
import { addDomain } from '../builders/sending-domains.ts';
import { aCheckedUpload, emailRows, letterRows, smsRows } from '../builders/uploads.ts';
import type { Harness } from '../harness.ts';
import { sampleLogo } from '../samples/letter-samples.ts';
import { firstPage, makePdf } from '../samples/pdf-samples.ts';
import { aPicture } from '../samples/pictures.ts';
import { aPerson } from './console-people.ts';
import { ConsoleVisitor } from './console-visitor.ts';

/** The visitors of the console. Each is another person, in the team of the service with these permissions. */
const roles = {
  stranger: undefined,
  'somebody else': null,
  'a member without rights': [],
  'a sender': ['send_messages'],
  'a manager': [...creatorPermissions],
  'a member of the organisation': null,
  'a read-only operator': null,
  'a platform administrator': null,
} satisfies Record<string, string[] | null | undefined>;
export type Role = keyof typeof roles;

/** Closes an attribute and opens a tag wherever a page forgets to escape. */
export const hostile = `"'><x-hostile onclick=1>`;

export interface ConsoleWorld {
  service: { id: string; organisation: string };
  visitors: Map<Role, { browser: ConsoleVisitor; user: UserRecord | undefined; token: string }>;
  urlOf(page: DeclaredPage, changes?: Record<string, string>): string;
  /** The ids of what the service owns, by the parameter of a path. */
  ids: Map<string, string>;
  /** The same ids of another service. */
  foreign: Map<string, string>;
}

/**
 * One of everything that a page shows, and a visitor of each role. A page with another parameter in its path adds what
 * it names here, also for the other service. `mark` ends every text that somebody has chosen.
 */
export async function aConsoleWorld(harness: Harness, mark = ''): Promise<ConsoleWorld> {
  const organisation = await anOrganisation(harness, { name: `Town Hall${mark}` });
  const permissions = [...defaultServicePermissions, 'template_languages', 'smtp'];
  const service = {
    id: await aService(harness, { name: `Town Hall appointments${mark}`, organisation_id: organisation, permissions }),
    organisation,
  };
  const otherService = await aService(harness, { name: `Library${mark}`, permissions });
  const [own, foreign] = [await someOfAll(harness, service.id, mark), await someOfAll(harness, otherService, mark)];
  // Only this one is drawn, which takes long.
  await harness.app.queue.add(harness.app.db, composeLetter, { notification_id: own.get('letter_id') ?? '' });
  await harness.deliver();
  await harness.runTasks();

  const visitors: ConsoleWorld['visitors'] = new Map();
  for (const [role, permissions] of Object.entries(roles) as [Role, string[] | null | undefined][]) {
    visitors.set(role, await aVisitor(harness, service, role, permissions, mark));
  }
  const userOf = (role: Role) => visitors.get(role)?.user?.id ?? '';
  for (const [values, id] of [
    [own, service.id],
    [foreign, otherService],
  ] as const) {
    const email = values.get('email_template_id') ?? '';
    const written = await someWriting(harness, id, { email, author: userOf('a manager') }, mark);
    for (const [name, value] of written) values.set(name, value);
  }
  const asked = await harness.admin('POST', `/service/${service.id}/service-join-request`, {
    requester_id: (await aPerson(harness, { name: `Grace Hopper${mark}` })).id,
    contacted_user_ids: [userOf('a manager')],
    reason: `I answer the telephone${mark}`,
  });

  const key = { name: `Blue key${mark}`, credential_data: 'ABC123', registration_response: 'DEF456' };
  const kept = await createCredential(harness.app, userOf('a manager'), key);

  const ofOrganisation = await addDomain(harness, {
    scope: 'organisation',
    organisation_id: organisation,
    name: `notify-${organisation.slice(-12)}.council.example`,
  });

  const values = new Map([
    ...own,
    ['own_key_id', kept.id],
    ...(await someBrands(harness, organisation, mark)),
    ['organisation_id', organisation],
    ['organisation_domain_id', ofOrganisation.body.data.id],
    ...(await someOfOperators(harness, service.id, own.get('email_id') ?? '')),
    ['service_id', service.id],
    ['asked_id', service.id],
    ['member_id', userOf('a member of the organisation')],
    ['person_id', userOf('a sender')],
    ['request_id', asked.body.service_join_request_id],
    ['user_id', userOf('a sender')],
    ['entry_id', await anAuditEntry(harness, service.id)],
    ['token', 'nonsense'],
    ['page', '1'],
    ['callback_type', 'delivery_status'],
    ['day', '2026-11-15'],
    ['callback_id', newId(harness.clock.now())],
  ]);
  return {
    service,
    visitors,
    ids: values,
    foreign: new Map([...foreign, ['service_id', otherService]]),
    urlOf: ({ path }, changes = {}) =>
      `/console${path.replaceAll(/:(\w+)/g, (_, name) => {
        const value = changes[name] ?? values.get(name);
        if (value === undefined) throw new Error(`${path}: say what ${name} is`);
        return value;
      })}`,
  };
}

/** What a service owns, by the parameter that names it. */
async function someOfAll(harness: Harness, serviceId: string, mark: string): Promise<Map<string, string>> {
  const template = (template_type: 'sms' | 'email' | 'letter') =>
    aTemplate(harness, serviceId, {
      template_type,
      name: `Appointment${mark}`,
      subject: template_type === 'sms' ? null : `Your appointment${mark}`,
      content: `Hello ((name)), see you on Friday.${mark}`,
      ...(template_type === 'sms' ? { language: 'en', language_field: `language${mark}` } : {}),
    });
  const templates = { sms: await template('sms'), email: await template('email'), letter: await template('letter') };
  const french = { language: 'fr', subject: null, content: `Bonjour ((nom)), à vendredi.${mark}` };
  await insertVariants(harness.app.db, { id: templates.sms, version: 1 }, [french]);
  await anApiKey(harness, serviceId, { name: `web${mark}` });
  const personalisation = { name: `Ada Byron${mark}` };
  const email = await aQueuedMessage(harness, serviceId, {
    notification_type: 'email',
    template_id: templates.email,
    personalisation,
    client_reference: `4711${mark}`,
  });
  const text = await aQueuedMessage(harness, serviceId, { template_id: templates.sms, personalisation });
  const letter = await aNotification(harness, serviceId, templates.letter, {
    notification_type: 'letter',
    recipient: `Ada Lovelace${mark}\n12 Any Street\nSW1A 1AA`,
    personalisation: {
      ...personalisation,
      address_line_1: `Ada Lovelace${mark}`,
      address_line_2: '12 Any Street',
      address_line_3: 'SW1A 1AA',
    },
  });
  const answer = { notify_number: '447900900001', user_number: '447700900123', content: `Yes, thank you${mark}` };
  const received = await inTransaction(harness.app.db, (tx) =>
    recordInboundText(
      tx,
      harness.app.country.phone,
      { service_id: serviceId, provider: 'sandbox', ...answer },
      harness.clock.now(),
    ),
  );
  return new Map([
    ...(await someFiles(harness, serviceId, templates, mark)),
    ['row', '2'],
    ['language', 'fr'],
    ['template_id', templates.sms],
    ['email_template_id', templates.email],
    ['letter_template_id', templates.letter],
    ['message_id', email],
    ['email_id', email],
    ['text_id', text],
    ['letter_id', letter],
    ['received_id', received.id],
    ['sms_sender_id', await aReplyTo(harness, serviceId, 'sms')],
    ['reply_to_id', await aReplyTo(harness, serviceId, 'email', { is_default: true })],
    ['letter_contact_id', await aReplyTo(harness, serviceId, 'letter', { text: `Town Hall${mark}\nSW1A 1AA` })],
    ...(await aPlan(harness, serviceId, templates, mark)),
    ['send_window_id', await aSendWindow(harness, serviceId, `Daytime${mark}`)],
    ['batch_id', await anUnsubscribeReport(harness, serviceId)],
    ['suppressed_id', await aSuppressedRecipient(harness, serviceId, email)],
    ['opt_out_id', await anOptOut(harness, serviceId)],
  ]);
}

async function anOptOut({ app, clock }: Harness, serviceId: string): Promise<string> {
  const stopped = { service_id: serviceId, user_number: '447700900666', sender: '447900900001' };
  await inTransaction(app.db, (tx) => recordOptOutsAtProvider(app, tx, [stopped], clock.now()));
  const { entries } = await listOptOuts(app.db, serviceId, { size: 1 });
  return entries[0]?.id ?? '';
}

async function aPlan(
  harness: Harness,
  serviceId: string,
  { email, sms }: Record<'sms' | 'email', string>,
  mark: string,
): Promise<[string, string][]> {
  const { body } = await harness.admin('POST', `/service/${serviceId}/channel-plan`, {
    name: `Appointments${mark}`,
    steps: [
      { channel: 'email', template_id: email, wait_h: 24 },
      { channel: 'sms', template_id: sms },
    ],
    created_by: (await aPerson(harness)).id,
  });
  const plan_id = body.data.id;
  const sent = await harness.v2('POST', '/v2/messages', await anApiKey(harness, serviceId), {
    ...{ plan_id, recipient: { email_address: 'ada@example.org' }, personalisation: { name: `Ada${mark}` } },
    ...{ reference: `4712${mark}`, scheduled_for: later(harness.clock.now(), hour_ms).toISOString() },
  });
  return [
    ['plan_id', plan_id],
    ['plan_message_id', sent.body.id],
  ];
}

async function aSuppressedRecipient(
  { app, clock }: Harness,
  service_id: string,
  notification_id: string,
): Promise<string> {
  const id = newId(clock.now());
  const why = { reason: 'hard-bounce', email_address: 'ada@example.org' } as const;
  const row = { id, service_id, notification_id, ...why, created_at: timestamp(clock.now()) };
  await app.db.insertInto('suppressed_recipients').values(row).execute();
  return id;
}

/** Files of recipients: one that was sent, two that were checked, a contact list; and a letter that is a PDF. */
async function someFiles(
  harness: Harness,
  serviceId: string,
  templates: Record<'sms' | 'email' | 'letter', string>,
  mark: string,
): Promise<Map<string, string>> {
  const { app, clock } = harness;
  const original_file_name = `september${mark}.csv`;
  const named = { original_file_name };
  const sent = await aCheckedUpload(harness, serviceId, templates.sms, smsRows(2), { ...named, state: 'sent' });
  await aJob(harness, serviceId, templates.sms, { id: sent, row_count: 2, ...named });
  const first = { job_id: sent, job_row_number: 0, personalisation: { name: `Ada Byron${mark}` } };
  await aNotification(harness, serviceId, templates.sms, first);
  const saved = { ...named, state: 'saved', is_contact_list: true, template_id: null, template_version: null } as const;
  const list = await aCheckedUpload(harness, serviceId, templates.sms, smsRows(2), saved);
  await app.db
    .insertInto('contact_lists')
    .values({
      id: list,
      service_id: serviceId,
      original_file_name,
      row_count: 2,
      template_type: 'sms',
      created_by_id: (await aPerson(harness, { name: `Grace Hopper${mark}` })).id,
      created_at: timestamp(clock.now()),
    })
    .execute();
  const recurring = newId(clock.now());
  const time_zone = app.country.calendar.zone;
  const times = { rule: 'FREQ=WEEKLY;BYDAY=MO', starts_on: '2026-11-16', at_time: '10:00', time_zone };
  await app.db
    .insertInto('recurring_sends')
    .values({
      ...{ id: recurring, service_id: serviceId, template_id: templates.sms, contact_list_id: list, ...times },
      ...{ state: 'paused', ends_reason: 'The template was deleted', created_at: timestamp(clock.now()) },
      created_by_id: (await aPerson(harness)).id,
    })
    .execute();
  const id = newId(clock.now());
  const check = {
    page_count: 1,
    message: null,
    invalid_pages: null,
    recipient_address: `Ada${mark}\nLondon\nSW1A 1AA`,
  };
  const checked = { id, filename: `letter${mark}.pdf`, check };
  await app.files.put(`checked-letters/${serviceId}/${id}.json`, Buffer.from(JSON.stringify(checked)));
  await app.files.put(`checked-letters/${serviceId}/${id}.pdf`, await makePdf([firstPage()]));
  return new Map([
    ['file_id', sent],
    ['email_file_id', await aCheckedUpload(harness, serviceId, templates.email, emailRows(1), named)],
    ['letter_file_id', await aCheckedUpload(harness, serviceId, templates.letter, letterRows(1), named)],
    ['list_id', list],
    ['recurring_send_id', recurring],
    ['pdf_id', id],
  ]);
}

/** What the operator sees of providers: a free number, a complaint. */
async function someOfOperators(harness: Harness, serviceId: string, emailId: string): Promise<[string, string][]> {
  const number = await harness.admin('POST', '/inbound-number', { number: '447900900009', provider: 'sandbox' });
  const complaint = { notification_id: emailId, service_id: serviceId, ses_feedback_id: null };
  const kind = { complaint_type: 'abuse', complaint_date: null };
  await inTransaction(harness.app.db, (tx) => recordComplaint(tx, { ...complaint, ...kind }, harness.clock.now()));
  const { body } = await harness.admin('GET', '/provider-details');
  const provider = body.provider_details.find(({ identifier }: { identifier: string }) => identifier === 'sandbox');
  return [
    ['number_id', number.body.data.id],
    ['provider_id', provider.id],
    ['guide', 'smtp'],
    ['report', 'daily-volumes'],
  ];
}

/** One of each kind with a logo, which the organisation offers. */
async function someBrands(harness: Harness, organisation: string, mark: string): Promise<[string, string][]> {
  const { admin } = harness;
  const look = { brand_type: 'org_banner', text: `Town Hall${mark}`, colour: '#a4281c' };
  const email = (await admin('POST', '/email-branding', { name: `Town Hall${mark}`, ...look })).body.data.id;
  const png = aPicture(160, 160, [255, 255, 255, 255]).toString('base64');
  await admin('POST', `/email-branding/${email}/logo`, { png });
  const names = { name: `Town Hall${mark}`, filename: `town-hall${mark}` };
  const letter = (await admin('POST', '/letter-branding', names)).body.id;
  await admin('POST', `/letter-branding/${letter}/logo`, { svg: sampleLogo.svg });
  await admin('POST', `/organisations/${organisation}/email-branding-pool`, { branding_ids: [email] });
  await admin('POST', `/organisations/${organisation}/letter-branding-pool`, { branding_ids: [letter] });
  return [
    ['email_brand_id', email],
    ['letter_brand_id', letter],
  ];
}

/** A folder that the whole team sees, and drafts, which only their author sees. */
async function someWriting(
  harness: Harness,
  serviceId: string,
  { email, author }: { email: string; author: string },
  mark: string,
): Promise<[string, string][]> {
  const { app } = harness;
  const { id: folder } = await createFolder(app, serviceId, { name: `Appointments${mark}`, parent_id: null });
  const keep = async (channel: string) => {
    const id = newId(app.clock.now());
    const fields = { channel, name: `New${mark}`, subject: `Hello${mark}`, content: `Hello ((name))${mark}` };
    await keepDraft(app, { id, service_id: serviceId, user_id: author, template_id: null, fields });
    return id;
  };
  const file = await createEmailFile(
    app,
    { service_id: serviceId, template_id: email },
    { filename: `plan${mark}.pdf`, link_text: `The plan${mark}`, created_by_id: author, content: 'JVBERi0=' },
  );
  const domain = await addDomain(harness, {
    scope: 'service',
    service_id: serviceId,
    name: `notify-${serviceId.slice(-12)}.council.example`,
  });
  return [
    ['sending_domain_id', domain.body.data.id],
    ['template_file_id', file.id],
    ['folder_id', folder],
    ['version', '1'],
    ['channel', 'email'],
    ['draft_id', await keep('email')],
    ['letter_draft_id', await keep('letter')],
  ];
}

async function aVisitor(
  harness: Harness,
  service: ConsoleWorld['service'],
  role: Role,
  permissions: string[] | null | undefined,
  mark: string,
) {
  const browser = new ConsoleVisitor(harness);
  if (permissions === undefined) return { browser, user: undefined, token: '' };
  const { id } = await aPerson(harness, {
    name: `Ada Lovelace${mark}`,
    platform_admin: role === 'a platform administrator',
    read_only_operator: role === 'a read-only operator',
  });
  if (permissions) {
    const given = permissions.map((permission) => ({ permission }));
    await harness.admin('POST', `/service/${service.id}/users/${id}`, { permissions: given });
  }
  if (role === 'a member of the organisation') {
    await harness.admin('POST', `/organisations/${service.organisation}/users/${id}`, { permissions: [] });
  }
  const user = await getUserRecord(harness.app.db, id);
  const token = await createSession(harness.app, user, `Mozilla/5.0 (X11; Linux x86_64) Chrome/156.0.0.0${mark}`);
  browser.cookies.set('pennypost_session', token);
  return { browser, user, token };
}

async function anAuditEntry({ app }: Harness, serviceId: string): Promise<string> {
  const entry = await app.db
    .selectFrom('audit_log')
    .select('id')
    .where('service_id', '=', serviceId)
    .orderBy('id')
    .executeTakeFirstOrThrow();
  return entry.id;
}
