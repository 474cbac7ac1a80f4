import { aService } from '../../builders/rows.ts';
import { sampleLogo } from '../../samples/letter-samples.ts';
import { aPicture } from '../../samples/pictures.ts';
import { aPerson, password, signedIn } from '../console-people.ts';
import { type Actions, changes, without } from './action.ts';

/** What operators do, and the members of organisations. */
export const operatorActions: Actions = (harness, world) => {
  const id = (name: string) => world.ids.get(name) ?? '';
  const by = 'a platform administrator' as const;
  const { organisation } = world.service;
  const settings = '/organisations/:organisation_id/settings';
  const brands = '/operator/branding';
  const pool = '/operator/organisations/:organisation_id/brands';
  const png = { field: 'logo', name: 'logo.png', content: new Uint8Array(aPicture(160, 160, [0, 0, 0, 255])) };
  const svg = { field: 'logo', name: 'logo.svg', content: sampleLogo.svg };
  const provider = '/operator/providers/:provider_id';
  const setting = (path: string, form: Record<string, string>, noun = 'organisation') =>
    changes(noun, `${settings}/${path}`, { by, form });
  const someone = async () => ({ ids: { person_id: (await aPerson(harness)).id } });

  /** The service of the world goes on. */
  const aSuspendable = async () => ({ ids: { service_id: await aService(harness) } });

  const withoutBrands = async () => {
    await harness.admin('POST', `/service/${world.service.id}`, { email_branding: null, letter_branding: null });
    return {};
  };

  return [
    without('searches', '/sandbox', { by, form: { find: 'ada' } }),
    without('clears the list of one person', '/sandbox/clear', { by }),
    without('answers for a recipient in the sandbox', '/sandbox/:message_id/answer', {
      by,
      form: { answer: 'delivered' },
      ids: { message_id: id('text_id') },
    }),
    changes('email_branding', `${brands}/email/new`, {
      by,
      form: { name: 'Parks', brand_type: 'org', alt_text: 'Parks' },
      file: png,
    }),
    changes('email_branding', `${brands}/email/:email_brand_id/edit`, {
      by,
      form: { name: 'Renamed', brand_type: 'org_banner', text: 'Town Hall', colour: '#a4281c' },
      file: png,
    }),
    changes('letter_branding', `${brands}/letter/new`, { by, form: { name: 'Parks' }, file: svg }),
    changes('letter_branding', `${brands}/letter/:letter_brand_id/edit`, { by, form: { name: 'Renamed' }, file: svg }),
    changes('organisation', pool, { by, form: { kind: 'email', step: 'default', email_brand: id('email_brand_id') } }),
    changes('organisation', pool, {
      by,
      form: { kind: 'email', step: 'no-default', email_brand: id('email_brand_id') },
    }),
    changes('letter_branding_pool', pool, {
      by,
      form: { kind: 'letter', step: 'remove', letter_brand: id('letter_brand_id') },
    }),
    changes('email_branding', `${brands}/email/:email_brand_id/archive`, { by, prepare: withoutBrands }),
    changes('letter_branding', `${brands}/letter/:letter_brand_id/archive`, { by, prepare: withoutBrands }),
    ...['services', 'organisations', 'people'].map((list) =>
      without('searches', `/operator/${list}`, { by, form: { find: 'town' } }),
    ),
    without('searches', '/operator/audit', { by, form: { noun: 'service' } }),
    without('searches', '/find', { by, form: { find: 'town' } }),
    changes('service', '/operator/services/:service_id/suspend', { by, prepare: aSuspendable }),
    changes('organisation', '/operator/organisations/add', { by, form: { name: 'County', type: 'local' } }),
    changes('organisation_invite', '/organisations/:organisation_id/team/invite', {
      by: 'a member of the organisation',
      form: { email_address: 'member@example.org' },
    }),
    changes('organisation_invite', '/organisations/:organisation_id/team/invitations/cancel', {
      by: 'a member of the organisation',
      prepare: async () => {
        const { body } = await harness.admin('GET', `/organisation/${organisation}/invite`);
        return { form: { invite_id: body.data.at(-1).id } };
      },
    }),
    changes('organisation_permission', '/organisations/:organisation_id/team/:member_id', {
      by,
      form: { 'rights[]': ['can_make_services_live'] },
    }),
    setting('name', { name: 'City Hall' }),
    setting('type', { type: 'nhs_gp' }),
    setting('domains', { domains: 'example.net' }, 'organisation_domain'),
    ...['self-approval', 'agreement'].map((name) => setting(name, { value: 'yes' })),
    ...['joining', 'crown'].map((name) => setting(name, { value: 'no' })),
    ...['go-live-notes', 'notes', 'billing-names', 'billing-addresses', 'purchase-order', 'billing-reference'].map(
      (name) => setting(name, { value: 'Something new' }),
    ),
    setting('agreement-name', { value: 'Ada King' }),
    changes('organisation_member', '/organisations/:organisation_id/team/:member_id/remove', { by }),
    changes('organisation', `${settings}/archive`, {
      by,
      prepare: async () => {
        const created = { name: 'Nobody', crown: false, organisation_type: 'other', agreement_signed: false };
        const { body } = await harness.admin('POST', '/organisations', created);
        return { ids: { organisation_id: body.id } };
      },
    }),
    changes('user', '/operator/people/:person_id/role', {
      by,
      form: { role: 'read-only', current_password: password },
      prepare: someone,
    }),
    changes('user', '/operator/people/:person_id/unlock', {
      by,
      prepare: async () => {
        const { ids } = await someone();
        await harness.admin('POST', `/user/${ids.person_id}/verify/password`, { password: 'wrong' });
        return { ids };
      },
    }),
    changes('session', '/operator/people/:person_id/sessions', {
      by,
      prepare: async () => {
        const { ids } = await someone();
        await signedIn(harness, ids.person_id);
        return { ids };
      },
    }),
    changes('user', '/operator/people/:person_id/sign-in', { by, form: { auth_type: 'email_auth' }, prepare: someone }),
    changes('user', '/operator/people/:person_id/archive', { by, prepare: someone }),
    ...['find', 'export', 'erase'].flatMap((step) => [
      changes('recipient', '/operator/recipients', { by, form: { recipient: 'ada@example.org', do: step } }),
      changes('recipient', '/services/:service_id/recipients', {
        by: 'a manager',
        form: { recipient: 'ada@example.org', do: step },
      }),
    ]),
    changes('provider', '/operator/providers/text-shares', {
      by,
      form: { share_sandbox: '90', share_mmg: '10', reason: 'Cheaper' },
    }),
    changes('provider', '/operator/providers/email-shares', {
      by,
      form: { share_sandbox: '90', share_smtp: '10', reason: 'Cheaper' },
    }),
    changes('provider', `${provider}/pause`, { by, form: { reason: 'Maintenance' } }),
    changes('provider', `${provider}/resume`, { by, form: { reason: 'Done' } }),
    changes('provider_test', `${provider}/test`, { by }),
    changes('inbound_number', '/operator/inbound-numbers/new', {
      by,
      form: { number: '447900900088', provider: 'sandbox' },
    }),
    changes('inbound_number', '/operator/inbound-numbers/:number_id/assign', {
      by,
      form: { service: world.service.id },
    }),
    changes('inbound_number', '/operator/inbound-numbers/:number_id/release', { by }),
    changes('inbound_number', '/services/:service_id/settings/text/receive', {
      by: 'a manager',
      form: { value: 'yes' },
    }),
    changes('sms_rate', '/operator/rates/new-text', { by, form: { rate: '0.05', valid_from: '2027-04-01' } }),
    changes('letter_rate', '/operator/rates/new-letter', {
      by,
      form: { post_class: 'first', sheet_count: '1', rate: '2.50', start_date: '2027-04-01' },
    }),
    changes('day_without_printing', '/operator/days-without-printing', {
      by,
      form: { day: '2027-06-30', name: 'Printer closed' },
    }),
    changes('day_without_printing', '/operator/days-without-printing/remove', {
      by,
      prepare: async () => {
        const added = { day: '2027-07-01', name: 'Printer closed', created_at: harness.clock.now().toISOString() };
        await harness.app.db.insertInto('days_without_printing').values(added).execute();
        return { form: { day: added.day } };
      },
    }),
    changes('returned_letter', '/operator/returned-letters', {
      by,
      prepare: async () => {
        const at = harness.clock.now().toISOString();
        const template = { template_id: id('letter_template_id'), template_version: 1 };
        const printed = {
          notification_id: id('letter_id'),
          service_id: world.service.id,
          created_at: at,
          printed_at: at,
        };
        await harness.app.db
          .insertInto('printed_letters')
          .values({ ...printed, ...template, reference: 'ABCDEFGH12345678' })
          .execute();
        return { form: { references: 'ABCDEFGH12345678' } };
      },
    }),
    changes('service', '/services/:service_id/settings/archive', { by: 'a platform administrator' }),
  ];
};
