import { Type } from 'typebox';
import { T } from '../../../language/sentence.tsx';
import { t } from '../../../language/text.ts';
import { findOrganisationIdByEmailAddress, getOrganisation } from '../../../organisations/organisations.ts';
import { invalidField } from '../../../platform/failure.ts';
import type { Platform } from '../../../platform/platform.ts';
import { OneOf, Uuid } from '../../../protocol/fields.ts';
import { listServicesOfOrganisation } from '../../../services/organisations/organisation-services.ts';
import { createJoinRequest, decideJoinRequest, getJoinRequest } from '../../../users/invites/join-requests.ts';
import { givenRights, hasRight, permissionsOf, rightNames } from '../../access/may.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { pageUrl } from '../../links.ts';
import type { PageRequest, Pages, Redirection } from '../../page.ts';
import { Choices, TextArea } from '../../parts/field.tsx';
import { Submit } from '../../parts/form.tsx';
import { Empty } from '../../parts/notice.tsx';
import { Time } from '../../parts/time.tsx';
import type { Visitor } from '../../sessions/sessions.ts';
import { listPeople } from '../team/team.ts';

const crumbs = [{ label: t('Your services'), to: '/services' }];

export function joinPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/services/join', {
    who: 'signed-in',
    below: 'Your services',
    name: t('Join a service'),
    async show({ visitor }) {
      const services = await listServicesToJoin(app, visitor.user);
      return {
        title: t('Join a service'),
        crumbs,
        content:
          services.length === 0 ? (
            <Empty title={t('No services to join')}>
              <T>
                You can ask to join a service of your organisation, if your organisation allows it. Or ask a person who
                manages a service to invite {{ emailAddress: visitor.user.email_address }}.
              </T>
            </Empty>
          ) : (
            <ul class="card list">
              {services.map(({ id, name }) => (
                <li key={id}>
                  <a href={pageUrl(`/services/${id}/join/ask`)} dir="auto">
                    {name}
                  </a>
                </li>
              ))}
            </ul>
          ),
      };
    },
  });

  /** Another service is treated as not found. */
  async function findService({ visitor, param }: PageRequest<'signed-in'>) {
    const id = param('asked_id');
    if (visitor.user.services.includes(id)) return { to: `/services/${id}`, notice: t('You are already in the team.') };
    const services = await listServicesToJoin(app, visitor.user);
    return services.find((service) => service.id === id) ?? elsewhere;
  }

  pages.add('/services/:asked_id/join/ask', {
    who: 'signed-in',
    below: 'Your services',
    async show(request, formState) {
      const service = await findService(request);
      if ('to' in service) return service;
      const managers = await listManagers(app, service.id);
      return {
        title: t('Ask to join {name}', { name: service.name }),
        crumbs: [...crumbs, { label: t('Join a service'), to: '/services/join' }],
        content:
          managers.length === 0 ? (
            <p>{t('Nobody manages this service. Ask the people who run this Pennypost to let you in.')}</p>
          ) : (
            <form class="stack measure" method="post" noValidate>
              <Choices
                formState={formState}
                name="contacted_user_ids"
                legend={t('Who do you want to ask?')}
                kind="several"
                choices={managers.map(({ id, name, email_address }) => ({
                  value: id,
                  label: <bdi>{name}</bdi>,
                  hint: email_address,
                }))}
                chosen={managers.length === 1 ? managers.map(({ id }) => id) : []}
              />
              <TextArea formState={formState} name="reason" label={t('Why do you want to join? (optional)')} rows={4} />
              <Submit>{t('Ask to join')}</Submit>
            </form>
          ),
      };
    },
    form: Type.Object({
      contacted_user_ids: Type.Array(Uuid),
      reason: Type.Optional(Type.String({ maxLength: 2_000 })),
    }),
    needs: { contacted_user_ids: t('Choose at least one person.') },
    async act(request, { contacted_user_ids, reason }) {
      const service = await findService(request);
      if ('to' in service) return service;
      const managers = new Set((await listManagers(app, service.id)).map(({ id }) => id));
      if (!contacted_user_ids.every((id) => managers.has(id))) {
        throw invalidField('contacted_user_ids', t('Choose people who manage the service.'));
      }
      const joining = { requester_id: request.visitor.user.id, contacted_user_ids, reason: reason ?? null };
      await createJoinRequest(app, service.id, joining);
      return {
        to: '/services/join',
        notice: t('You have asked to join {name}. You will get an email when it is decided.', { name: service.name }),
      };
    },
  });
}

const elsewhere: Redirection = { to: '/services/join', notice: t('You cannot ask to join that service.') };

/** Lists the services of the visitor's organisations that people can ask to join, if the organisation allows it. */
async function listServicesToJoin({ db }: Platform, { email_address, organisations, services }: Visitor['user']) {
  const ofDomain = await findOrganisationIdByEmailAddress(db, email_address);
  const ids = [...new Set([...(ofDomain === undefined ? [] : [ofDomain]), ...organisations])];
  const found = await Promise.all(
    ids.map(async (id) => {
      const organisation = await getOrganisation(db, id);
      if (!organisation.active || !organisation.permissions.includes('can_ask_to_join_a_service')) return [];
      const all = await listServicesOfOrganisation(db, id);
      return all.filter((service) => service.active && !services.includes(service.id));
    }),
  );
  return found.flat();
}

/** Lists the people who can approve a request. */
export async function listManagers(app: Platform, serviceId: string) {
  const members = await listPeople(app.db, serviceId);
  return members.filter(({ state, permissions }) => state === 'active' && hasRight('manage', permissions));
}

type Request = Awaited<ReturnType<typeof getJoinRequest>>;

export function joinRequestPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/services/:service_id/join-request/:request_id/approve', {
    who: { service: 'manage' },
    below: 'Team',
    async show({ service, param, visitor }, formState) {
      const request = await getJoinRequest(app, service.id, param('request_id'));
      const { requester } = request;
      const known = reasonNotToDecide(request, service.id, visitor.user.id);
      return {
        title: t('{name} asked to join', { name: requester.name }),
        content: (
          <div class="stack measure">
            <section class="card" aria-label={t('Request', { context: 'to join a service' })}>
              <dl class="facts">
                <dt>{t('Email address')}</dt>
                <dd>{requester.email_address}</dd>
                <dt>{t('Asked')}</dt>
                <dd>
                  <Time at={request.created_at} now={app.clock.now()} />
                </dd>
                <dt>{t('Reason')}</dt>
                <dd dir="auto">{request.reason ?? t('None given')}</dd>
              </dl>
            </section>
            {known !== undefined ? (
              <p>{known}</p>
            ) : (
              <form class="stack" method="post" noValidate>
                <Choices
                  formState={formState}
                  name="status"
                  legend={t('Your decision')}
                  kind="one"
                  choices={[
                    { value: 'approved', label: t('Let {name} in', { name: requester.name }) },
                    { value: 'rejected', label: t('Refuse') },
                  ]}
                />
                <Choices
                  formState={formState}
                  name="rights"
                  legend={t('What can a new member do?')}
                  hint={t('Every member sees templates and messages.')}
                  kind="several"
                  choices={givenRights.map((value) => ({ value, label: rightNames[value] }))}
                />
                <Submit>{t('Save')}</Submit>
              </form>
            )}
          </div>
        ),
      };
    },
    form: Type.Object({ status: OneOf(['approved', 'rejected']), rights: Type.Array(OneOf(givenRights)) }),
    needs: { status: t('Choose whether to let this person in.') },
    async act({ service, param, visitor }, { status, rights }) {
      const request = await getJoinRequest(app, service.id, param('request_id'));
      const known = reasonNotToDecide(request, service.id, visitor.user.id);
      if (known !== undefined) throw invalidField('', known);
      await decideJoinRequest(app, service.id, request.id, {
        status,
        status_changed_by_id: visitor.user.id,
        permissions: status === 'approved' ? permissionsOf(rights) : [],
      });
      const { name } = request.requester;
      const notice =
        status === 'approved' ? t('{name} has joined the team.', { name }) : t('Request of {name} refused.', { name });
      return { to: `/services/${service.id}`, notice };
    },
  });
}

/** Returns undefined if this visitor can decide. */
function reasonNotToDecide(request: Request, serviceId: string, userId: string): string | undefined {
  const { requester, status, status_changed_by } = request;
  const { name } = requester;
  const decider = status_changed_by?.name;
  if (status === 'approved')
    return decider === undefined
      ? t('Somebody has already let {name} in.', { name })
      : t('{decider} has already let {name} in.', { decider, name });
  if (status === 'rejected')
    return decider === undefined
      ? t('Somebody has already refused.')
      : t('{decider} has already refused.', { decider });
  if (status === 'cancelled') return t('{name} has cancelled the request.', { name });
  if (requester.belongs_to_service.includes(serviceId)) return t('{name} is already in the team.', { name });
  return request.contacted_service_users.includes(userId) ? undefined : t('Only the people who were asked can decide.');
}
