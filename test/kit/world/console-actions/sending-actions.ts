import { timestamp } from '../../../../src/platform/clock.ts';
import { addDomain } from '../../builders/sending-domains.ts';
import { type Actions, changes, without } from './action.ts';

const service = '/services/:service_id';
const settings = `${service}/settings`;
const languages = `${service}/templates/:template_id/languages`;

/** Sending domains, what protects their reputation, and templates in several languages. */
export const sendingActions: Actions = (harness, world) => {
  const by = 'a manager' as const;
  const operator = 'a platform administrator' as const;
  const template = `/service/${world.service.id}/template/${world.ids.get('template_id')}`;

  const current = async (form: Record<string, string>) => {
    const { body } = await harness.admin('GET', template);
    return { form: { ...form, version: String(body.data.version) } };
  };

  const paused = async () => {
    const now = timestamp(harness.clock.now());
    const row = { state: 'paused', because: 'bounces', rate: '12.4', since: now, judged_at: now } as const;
    await harness.app.db
      .insertInto('service_guard')
      .values({ service_id: world.service.id, ...row })
      .onConflict((conflict) => conflict.column('service_id').doUpdateSet(row))
      .execute();
    return {};
  };

  /** A second domain, which is not in use. */
  const anotherDomain = async (param: string, owner: object) => {
    const { body } = await addDomain(harness, { ...owner, name: `second-${param.split('_')[0]}.council.example` });
    return { ids: { [param]: body.data.id } };
  };

  const domains = (list: string, param: string, name: string) => [
    changes('sending_domain', `${list}/add`, { by: operator, form: { name } }),
    changes('sending_domain', `${list}/:${param}/change`, { by: operator, form: { suspended: 'hold' } }),
    changes('sending_domain', `${list}/:${param}/change`, { by: operator, form: { suspended: 'fall-back' } }),
  ];

  return [
    ...domains(`${settings}/email/domain`, 'sending_domain_id', 'hall.council.example'),
    ...domains('/organisations/:organisation_id/domain', 'organisation_domain_id', 'all.council.example'),
    ...domains('/operator/domains', 'sending_domain_id', 'installation.council.example'),
    changes('sending_domain_key', '/operator/domains/:sending_domain_id', { by: operator, form: { task: 'new-key' } }),
    changes('service', `${settings}/email/domain/:sending_domain_id`, {
      ...{ by: operator, form: { task: 'use-domain' } },
      prepare: () => anotherDomain('sending_domain_id', { scope: 'service', service_id: world.service.id }),
    }),
    changes('organisation', '/organisations/:organisation_id/domain/:organisation_domain_id', {
      ...{ by: operator, form: { task: 'use-domain' } },
      prepare: () =>
        anotherDomain('organisation_domain_id', {
          scope: 'organisation',
          organisation_id: world.ids.get('organisation_id'),
        }),
    }),
    without('searches', '/operator/domains', { by: operator, form: { find: 'council' } }),
    changes('sending_domain', '/operator/domains/:sending_domain_id', { by: operator, form: { task: 'retire' } }),
    changes('service_guard', `${settings}/operator/guard`, {
      by: operator,
      form: { exempt_until: '2026-12-01' },
      prepare: paused,
    }),
    changes('service_guard', `${settings}/email/guard`, {
      by,
      form: { reason: 'We removed old addresses.', 'cleaned[]': ['yes'] },
      prepare: paused,
    }),
    changes('service', `${settings}/text/characters`, { by, form: { value: 'yes' } }),
    without('shows what is being written', `${languages}/new`, {
      by,
      prepare: () => current({ do: 'preview', language: 'de', content: 'Hallo' }),
    }),
    changes('template', `${languages}/new`, {
      by,
      prepare: () => current({ do: 'save', language: 'de', content: 'Hallo ((name))' }),
    }),
    changes('template', `${languages}/:language`, { by, prepare: () => current({ do: 'save', content: 'Bonjour' }) }),
    changes('template', languages, { by, prepare: () => current({ default: 'en', field: 'tongue', refuse: 'yes' }) }),
    changes('template', `${languages}/:language`, { by, prepare: () => current({ do: 'remove' }) }),
    changes('service', `${settings}/template-languages`, { by, form: { value: 'no' } }),
  ];
};
