import { listOrganisationsAndServices } from '../../../users/users.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { Pages } from '../../page.ts';
import { findLastService } from './last-service.ts';

export function servicesPages(pages: Pages, app: ConsoleApp): void {
  pages.add('', {
    who: 'signed-in',
    async show({ visitor, request }) {
      const { services } = await listOrganisationsAndServices(app, visitor.user.id);
      const last = findLastService(app, request);
      const chosen = services.length === 1 ? services[0] : services.find(({ id }) => id === last);
      return { to: chosen ? `/services/${chosen.id}` : '/services' };
    },
  });

  pages.add('/services', {
    who: 'signed-in',
    menu: 'Your services',
    async show({ visitor }) {
      const { services } = await listOrganisationsAndServices(app, visitor.user.id);
      return {
        title: 'Your services',
        actions: (
          <>
            <a class="button" href="/console/services/join">
              Join a service
            </a>
            <a class="button button--primary" href="/console/services/add">
              Add a service
            </a>
          </>
        ),
        content:
          services.length === 0 ? <NoServices email={visitor.user.email_address} /> : <List services={services} />,
      };
    },
  });
}

function NoServices({ email }: { email: string }) {
  return (
    <div class="empty">
      <h2>No services yet</h2>
      <p>A service has its own templates, team and limits. Add one, or ask the team of another to invite {email}.</p>
    </div>
  );
}

function List({ services }: { services: readonly { id: string; name: string; restricted: boolean }[] }) {
  return (
    <ul class="card list">
      {services.map(({ id, name, restricted }) => (
        <li key={id}>
          <a href={`/console/services/${id}`}>{name}</a>
          <span class={restricted ? 'badge tone-amber' : 'badge tone-green'}>{restricted ? 'Trial mode' : 'Live'}</span>
        </li>
      ))}
    </ul>
  );
}
