import { Type } from 'typebox';
import { invalidField } from '../../../platform/failure.ts';
import { Uuid } from '../../../protocol/fields.ts';
import { createJoinRequest } from '../../../users/invites/join-requests.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { PageRequest, Pages, Redirection } from '../../page.ts';
import { Choices } from '../../parts/choices.tsx';
import { TextArea } from '../../parts/text-area.tsx';
import { listManagers, listServicesToJoin } from './colleagues.ts';

const crumbs = [{ label: 'Your services', to: '/services' }];

export function joinPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/services/join', {
    who: 'signed-in',
    below: 'Your services',
    async show({ visitor }) {
      const services = await listServicesToJoin(app, visitor.user);
      return {
        title: 'Join a service',
        crumbs,
        content:
          services.length === 0 ? (
            <div class="empty">
              <h2>There is no service to ask</h2>
              <p>
                You can ask to join a service of your own organisation, if the organisation allows that. Otherwise, a
                person who manages a service can invite you: {visitor.user.email_address}.
              </p>
            </div>
          ) : (
            <ul class="card list">
              {services.map(({ id, name }) => (
                <li key={id}>
                  <a href={`/console/services/${id}/join/ask`}>{name}</a>
                </li>
              ))}
            </ul>
          ),
      };
    },
  });

  /** Another service is treated like one that does not exist. */
  async function findService({ visitor, param }: PageRequest<'signed-in'>) {
    const id = param('asked_id');
    if (visitor.user.services.includes(id)) return { to: `/services/${id}`, notice: 'You are in the team already.' };
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
        title: `Ask to join ${service.name}`,
        crumbs: [...crumbs, { label: 'Join a service', to: '/services/join' }],
        content:
          managers.length === 0 ? (
            <p>No person manages this service. Ask the people who run this Pennypost.</p>
          ) : (
            <form class="stack measure" method="post" noValidate>
              <Choices
                formState={formState}
                name="contacted_user_ids"
                legend="Whom do you ask?"
                kind="several"
                choices={managers.map(({ id, name, email_address }) => ({
                  value: id,
                  label: name,
                  hint: email_address,
                }))}
                chosen={managers.length === 1 ? managers.map(({ id }) => id) : []}
              />
              <TextArea formState={formState} name="reason" label="Why do you want to join? (optional)" rows={4} />
              <div>
                <button class="button button--primary" type="submit">
                  Ask to join
                </button>
              </div>
            </form>
          ),
      };
    },
    form: Type.Object({
      contacted_user_ids: Type.Array(Uuid),
      reason: Type.Optional(Type.String({ maxLength: 2_000 })),
    }),
    needs: { contacted_user_ids: 'Choose at least one person.' },
    async act(request, { contacted_user_ids, reason }) {
      const service = await findService(request);
      if ('to' in service) return service;
      const managers = new Set((await listManagers(app, service.id)).map(({ id }) => id));
      if (!contacted_user_ids.every((id) => managers.has(id))) {
        throw invalidField('contacted_user_ids', 'Choose people who manage the service.');
      }
      const joining = { requester_id: request.visitor.user.id, contacted_user_ids, reason: reason ?? null };
      await createJoinRequest(app, service.id, joining);
      return {
        to: '/services/join',
        notice: `You have asked to join ${service.name}. You get an email about the answer.`,
      };
    },
  });
}

const elsewhere: Redirection = { to: '/services/join', notice: 'You cannot ask to join that service.' };
