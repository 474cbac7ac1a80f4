import { recordInboundText } from '../../../../src/inbound/inbound-texts.ts';
import { inTransaction } from '../../../../src/platform/db/database.ts';
import { newId } from '../../../../src/platform/id.ts';
import { aJob } from '../../builders/jobs.ts';
import { aHeldMessage } from '../../builders/queued-messages.ts';
import { aNotification, anApiKey, aTemplate } from '../../builders/rows.ts';
import { aCheckedUpload, smsRows } from '../../builders/uploads.ts';
import type { Harness } from '../../harness.ts';
import { firstPage, makePdf } from '../../samples/pdf-samples.ts';
import type { ConsoleWorld } from '../console-world.ts';
import { type Action, type Actions, changes, without } from './action.ts';

const service = '/services/:service_id';

/** Messages, files of recipients, letters and callbacks of a service. */
export const messageActions: Actions = (harness, world) => {
  const { app, clock } = harness;
  const id = (name: string) => world.ids.get(name) ?? '';
  const by = 'a manager' as const;
  const values = { 'names[]': ['name'], 'values[]': ['Ada'] };
  const to = { to: '07700900123', ...values };
  const csv = { field: 'file', name: 'people.csv', content: 'phone number,name\n07700900123,Ada\n' };

  async function aCallback(status: 'failed' | 'delivered'): Promise<string> {
    const callback_id = newId(clock.now());
    const [url, at] = ['https://example.org/callbacks', clock.now().toISOString()];
    const secret = { encrypted_bearer_token: 'x', body: '{}', due_at: at, created_at: at };
    const row = { id: callback_id, service_id: world.service.id, subject_id: id('email_id'), status, url, ...secret };
    await app.db
      .insertInto('service_callbacks')
      .values({ ...row, callback_type: 'delivery_status' })
      .execute();
    return callback_id;
  }
  const path = `${service}/integration/callbacks`;
  const target = { callback_type: 'delivery_status' };
  const upload = (path: string): Action => changes('upload', path, { by, file: csv });

  return [
    without('searches', `${service}/messages`, { by, form: { find: 'ada@example.org' } }),
    without('searches', `${service}/plan-messages`, { by, form: { find: 'request-1' } }),
    without('searches', `${service}/send`, { by, form: { find: 'welcome' } }),
    changes('notification', `${service}/messages/:message_id/cancel`, { by, ids: { message_id: id('letter_id') } }),
    changes('notification', `${service}/messages/:message_id/send-again`, {
      by,
      prepare: async () => {
        const failed = {
          status: 'technical-failure',
          recipient: '07700900123',
          personalisation: { name: 'Ada' },
        } as const;
        return { ids: { message_id: await aNotification(harness, world.service.id, id('template_id'), failed) } };
      },
    }),
    ...['send-now', 'cancel-waiting'].map((what) =>
      changes('notification', `${service}/messages/:message_id/${what}`, {
        by,
        prepare: async () => ({
          ids: { message_id: await aHeldMessage(harness, world.service.id, id('template_id')) },
        }),
      }),
    ),
    changes('plan_message', `${service}/plan-messages/:plan_message_id/cancel`, { by }),
    changes('notification', `${service}/received/:received_id/reply/:template_id`, { by, form: values }),
    ...[
      ['stop', 'sms_opt_out'],
      ['go-on', 'inbound_text'],
    ].map(([decision = '', noun = '']) =>
      changes(noun, `${service}/received/:received_id/opt-out`, {
        ...{ by, form: { decision } },
        prepare: async () => ({ ids: { received_id: await anUnclearText(harness, world.service.id) } }),
      }),
    ),
    changes('notification', `${service}/send/:template_id`, { by, form: { do: 'send', ...to } }),
    ...['check', 'mine', 'preview', 'change'].map((step) =>
      without('shows what would be sent', `${service}/send/:template_id`, { by, form: { do: step, ...to } }),
    ),
    upload(`${service}/files/new/:template_id`),
    without('checks the file again', `${service}/files/:file_id/check`, { by, ids: { file_id: id('email_file_id') } }),
    changes('job', `${service}/files/:file_id/send`, {
      by,
      prepare: async () => ({
        ids: { file_id: await aCheckedUpload(harness, world.service.id, id('template_id'), smsRows(1)) },
      }),
    }),
    changes('job', `${service}/files/:file_id/send-now`, {
      by,
      prepare: async () => {
        const file_id = await aJob(harness, world.service.id, id('template_id'));
        await aHeldMessage(harness, world.service.id, id('template_id'), file_id);
        return { ids: { file_id } };
      },
    }),
    changes('job', `${service}/files/:file_id/cancel`, {
      by,
      prepare: async () => {
        const file_id = await aCheckedUpload(harness, world.service.id, id('template_id'), smsRows(1), {
          state: 'sent',
        });
        await aJob(harness, world.service.id, id('template_id'), { id: file_id, row_count: 1, status: 'scheduled' });
        return { ids: { file_id } };
      },
    }),
    upload(`${service}/contact-lists/new`),
    changes('upload', `${service}/contact-lists/:list_id`, { by, form: { template_id: id('template_id') } }),
    changes('contact_list', `${service}/contact-lists/:list_id/save`, {
      by,
      form: { name: 'People' },
      prepare: async () => {
        const list = { is_contact_list: true, template_id: null, template_version: null } as const;
        return {
          ids: { list_id: await aCheckedUpload(harness, world.service.id, id('template_id'), smsRows(1), list) },
        };
      },
    }),
    ...recurringActions(harness, world),
    changes('contact_list', `${service}/contact-lists/:list_id/delete`, { by }),
    without('only checks the letter: the next page sends it', `${service}/pdf-letters`, {
      by,
      prepare: async () => ({
        file: { field: 'file', name: 'letter.pdf', content: new Uint8Array(await makePdf([firstPage()])) },
      }),
    }),
    changes('notification', `${service}/pdf-letters/:pdf_id`, { by, form: { reference: 'Letter' } }),
    changes('callback_api', `${path}/:callback_type`, {
      by,
      form: { url: 'https://example.org/callbacks', bearer_token: 'a-token-for-callbacks' },
    }),
    changes('callback', `${path}/:callback_type/test`, { by, ids: target }),
    changes('callback', `${path}/replay`, {
      by,
      prepare: async () => ({ form: { callback_id: await aCallback('delivered') } }),
    }),
    changes('callback', `${path}/replay-failed`, {
      by,
      prepare: async () => {
        await aCallback('failed');
        return {};
      },
    }),
    changes('callback', `${service}/messages/:message_id/callbacks/:callback_id/replay`, {
      by,
      prepare: async () => ({ ids: { callback_id: await aCallback('delivered') } }),
    }),
    changes('callback_api', `${path}/:callback_type`, { by, ids: target }),
    changes('api_key', `${service}/integration/keys/create`, { by, form: { name: 'Second key', key_type: 'test' } }),
    changes('api_key', `${service}/integration/keys/revoke`, {
      by,
      prepare: async () => {
        const name = `Key ${newId(clock.now())}`;
        await anApiKey(harness, world.service.id, { name });
        const { body } = await harness.admin('GET', `/service/${world.service.id}/api-keys`);
        return { form: { api_key_id: body.apiKeys.find((key: { name: string }) => key.name === name).id } };
      },
    }),
    changes('template', `${service}/integration/smtp/template`, {
      by,
      form: { version: '1', subject: '((subject))', content: 'From the town hall:\n\n((body))' },
    }),
    changes('guest_list', `${service}/integration/guest-list`, {
      by,
      form: { email_addresses: 'guest@example.org', phone_numbers: '' },
    }),
    without('hides the first steps from one person', `${service}/first-steps/hide`, { by }),
    changes('api_key', `${service}/quick-start`, { by, form: { do: 'key', once: newId(clock.now()) } }),
    changes('notification', `${service}/quick-start`, {
      by,
      prepare: async () => {
        const api_key = await anApiKey(harness, world.service.id, { key_type: 'test' });
        const message = { template_id: id('template_id'), channel: 'sms', ...to };
        return { form: { do: 'send', once: newId(clock.now()), api_key, ...message } };
      },
    }),
    without('writes the code of a request', `${service}/quick-start`, {
      by,
      form: { do: 'show', once: newId(clock.now()) },
    }),
    changes('unsubscribe_report', `${service}/unsubscribe-requests/:batch_id`, { by, form: { 'done[]': ['yes'] } }),
    changes('unsubscribe_report', `${service}/unsubscribe-requests/download`, {
      by,
      prepare: async () => {
        const request = { service_id: world.service.id, template_id: id('email_template_id'), template_version: 1 };
        const about = { email_address: 'left@example.org', created_at: clock.now().toISOString(), processed: false };
        const ids = { id: newId(clock.now()), notification_id: id('email_id') };
        await app.db
          .insertInto('unsubscribe_requests')
          .values({ ...request, ...about, ...ids })
          .execute();
        return {};
      },
    }),
  ];
};

/** Perhaps the person wants no more texts. */
async function anUnclearText({ app, clock }: Harness, service_id: string): Promise<string> {
  const from = { notify_number: '447900900001', user_number: '447700900999' };
  const text = { service_id, provider: 'sandbox', ...from, content: 'Can you stop my appointment?' };
  const asked = { action: 'review' as const, keyword: 'STOP' };
  const { id } = await inTransaction(app.db, (tx) =>
    recordInboundText(tx, app.country.phone, text, clock.now(), asked),
  );
  return id;
}

/** Adds one, shows it before it is saved, and starts, stops and deletes the one that is paused. */
function recurringActions(harness: Harness, world: ConsoleWorld): Action[] {
  const [by, path] = ['a manager', `${service}/files/recurring`] as const;
  const schedule = { frequency: 'daily', at_time: '10:00', starts_on: '2026-11-20' };
  const filledIn = async (step: 'check' | 'change' | 'save') => {
    const template_id = await aTemplate(harness, world.service.id, { content: 'Come to the car park.' });
    return { form: { ...schedule, template_id, contact_list_id: world.ids.get('list_id') ?? '', do: step } };
  };
  const add = `${path}/new`;
  return [
    changes('recurring_send', add, { by, prepare: () => filledIn('save') }),
    without('shows the next dates', add, { by, prepare: () => filledIn('check') }),
    without('goes back to the form', add, { by, prepare: () => filledIn('change') }),
    ...['resume', 'pause', 'delete'].map((task) =>
      changes('recurring_send', `${path}/:recurring_send_id`, { by, form: { task } }),
    ),
  ];
}
