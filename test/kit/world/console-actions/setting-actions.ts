import { aSendWindow } from '../../builders/rows.ts';
import { aPerson, joinService } from '../console-people.ts';
import type { Role } from '../console-world.ts';
import { type Action, type Actions, changes, without } from './action.ts';

const settings = '/services/:service_id/settings';
const replyTo = `${settings}/email/reply-to`;
const hours = { 'days[]': ['mon', 'tue'], from_time: '08:00', until_time: '21:00' };

/** What the team and the operator set for a service. */
export const settingActions: Actions = (harness, world) => {
  const id = (name: string) => world.ids.get(name) ?? '';
  const by = 'a manager' as const;
  const operator = 'a platform administrator' as const;
  const set = (path: string, value: string, noun = 'service', role: Role = by): Action =>
    changes(noun, `${settings}/${path}`, { by: role, form: { value } });
  const ofOperator = (path: string, value: string, noun = 'service') => set(`operator/${path}`, value, noun, operator);
  const senders = (path: string, param: string, noun: string, value: string, other: string): Action[] => [
    changes(noun, `${settings}/${path}/:${param}`, { by, form: { value } }),
    changes(noun, `${settings}/${path}/add`, { by, form: { value: other, 'is_default[]': ['yes'] } }),
    changes(noun, `${settings}/${path}/:${param}/archive`, { by }),
  ];

  return [
    ofOperator('mode', 'no'),
    changes('service', '/services/:service_id/going-live/volumes', { by, form: { email: '1', sms: '2', letter: '3' } }),
    changes('service', '/services/:service_id/going-live/name', { by }),
    changes('service', '/services/:service_id/going-live', {
      by,
      prepare: async () => {
        await joinService(harness, world.service.id, (await aPerson(harness)).id);
        await harness.admin('POST', `/service/${world.service.id}`, { confirmed_email_sender_name: true });
        return {};
      },
    }),
    changes('service', '/services/:service_id/make-service-live', {
      by: operator,
      form: { decision: 'refuse', reason: 'Not yet' },
    }),
    changes('service', '/services/:service_id/make-service-live', {
      by: operator,
      form: { decision: 'approve' },
      prepare: async () => {
        await harness.admin('POST', `/service/${world.service.id}`, { has_active_go_live_request: true });
        return {};
      },
    }),
    changes('service', `${settings}/api-dialect`, { by, form: { api_dialect: 'gc' } }),
    changes('service', `${settings}/name`, { by, form: { name: 'Town Hall visits' } }),
    set('sign-in', 'yes'),
    set('retention', '30', 'data_retention'),
    set('email/channel', 'no'),
    set('email/suppression', 'yes'),
    without('searches', `${settings}/email/suppression-list`, { by, form: { email_address: 'ada@example.org' } }),
    changes('suppressed_recipient', `${settings}/email/suppression-list/:suppressed_id`, { by }),
    changes('keyword_settings', `${settings}/text/replies`, { by, form: { stop_words: 'enough', scope: 'service' } }),
    without('searches', `${settings}/text/opt-outs`, { by, form: { phone_number: '07700 900123' } }),
    changes('sms_opt_out', `${settings}/text/opt-outs/:opt_out_id`, { by, form: { reason: 'They phoned us.' } }),
    set('text/abroad', 'no'),
    set('letter/abroad', 'no'),
    set('text/channel', 'no'),
    set('letter/channel', 'no'),
    set('text/prefix', 'yes'),
    changes('service', `${settings}/email/sender-name`, { by, form: { use: 'own', custom_name: 'The Town Hall' } }),
    changes('service', `${settings}/email/files-contact`, { by, form: { contact: 'https://example.org/contact' } }),
    changes('service', `${settings}/email/smtp`, { by, form: { value: 'yes', files: 'drop' } }),
    changes('service', `${settings}/email/branding`, { by, form: { value: id('email_brand_id') } }),
    changes('service', `${settings}/letter/branding`, { by, form: { value: id('letter_brand_id') } }),
    changes('send_window', `${settings}/sending-times/add`, { by, form: { name: 'Weekdays', ...hours } }),
    changes('send_window', `${settings}/sending-times/:send_window_id`, { by, form: { name: 'Day', ...hours } }),
    changes('sending_times', `${settings}/sending-times`, { by, form: { sms_window_id: '', email_window_id: '' } }),
    changes('template_sending_times', '/services/:service_id/templates/:template_id/sending-times', {
      by,
      form: { window: 'none' },
    }),
    changes('essential_template', '/services/:service_id/templates/:template_id', {
      ...{ by: operator, form: { do: 'essential' } },
    }),
    changes('send_window', `${settings}/sending-times/:send_window_id/delete`, {
      by,
      prepare: async () => ({ ids: { send_window_id: await aSendWindow(harness, world.service.id, 'Unused') } }),
    }),
    ...senders('text/senders', 'sms_sender_id', 'sms_sender', 'TOWNHALL', 'CITYHALL'),
    ...senders('letter/contacts', 'letter_contact_id', 'letter_contact', 'Hall\nSW1A 1AA', 'City\nSW1A 2AA'),
    without('sends a test to the address', `${replyTo}/add`, { by, form: { value: 'help@example.org' } }),
    changes('email_reply_to', `${replyTo}/check`, {
      by,
      prepare: async () => {
        const { browser } = world.visitors.get(by) ?? {};
        const page = await browser?.post(`/console/services/${world.service.id}/settings/email/reply-to/add`, {
          ...{ value: 'help@example.org', 'is_default[]': ['yes'] },
        });
        await harness.deliver();
        harness.clock.advance({ seconds: 5 });
        await harness.deliver();
        return { query: new URL(page?.location ?? '', 'http://localhost').search };
      },
    }),
    changes('email_reply_to', `${replyTo}/:reply_to_id`, {
      by,
      prepare: async () => {
        const { body } = await harness.admin('GET', `/service/${world.service.id}/email-reply-to/${id('reply_to_id')}`);
        return { form: { value: body.email_address, 'is_default[]': ['yes'] } };
      },
    }),
    changes('email_reply_to', `${replyTo}/:reply_to_id/archive`, {
      by,
      prepare: async () => {
        const unused = { email_address: 'unused@example.org', is_default: false };
        const { body } = await harness.admin('POST', `/service/${world.service.id}/email-reply-to`, unused);
        return { ids: { reply_to_id: body.data.id } };
      },
    }),
    changes('service', `${settings}/operator/channels`, {
      by: operator,
      form: { 'channels[]': ['email', 'sms', 'letter'] },
    }),
    changes('service', `${settings}/operator/organisation`, { by: operator, form: {} }),
    ofOperator('counted', 'no'),
    ofOperator('landlines', 'yes'),
    changes('service', `${settings}/operator/annual-limit`, { by: operator, form: { sms: '77' } }),
    changes('service', `${settings}/operator/text-unit`, { by: operator, form: { unit: 'parts' } }),
    ...['email', 'text', 'letter', 'abroad', 'rate'].map((name) => ofOperator(`${name}-limit`, '77')),
    ofOperator('free-texts', '77', 'allowance'),
    ...['sms', 'email', 'letter'].map((channel) => ofOperator(`retention-${channel}`, '8', 'data_retention')),
    ...['notes', 'billing-names', 'billing-addresses', 'purchase-order', 'billing-reference'].map((name) =>
      ofOperator(name, 'Something new'),
    ),
  ];
};
