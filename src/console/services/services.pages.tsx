import { listOrganisationsAndServices } from '../../users/users.ts';
import type { ConsoleApp } from '../console-app.ts';
import type { Pages } from '../pages.ts';

export function servicesPages(pages: Pages, app: ConsoleApp): void {
  pages.add('', { who: 'signed-in', show: () => ({ to: '/services' }) });

  pages.add('/services', {
    who: 'signed-in',
    menu: 'Your services',
    async show({ visitor }) {
      const { services } = await listOrganisationsAndServices(app, visitor.user.id);
      return {
        title: 'Your services',
        content:
          services.length === 0 ? (
            <div class="empty">
              <h2>No services yet</h2>
              <p>You are in no team. Ask a person who manages a service to invite {visitor.user.email_address}.</p>
            </div>
          ) : (
            <ul class="card list">
              {services.map(({ id, name, restricted }) => (
                <li key={id}>
                  <a href={`/console/services/${id}`}>{name}</a>
                  <span class={restricted ? 'badge tone-amber' : 'badge tone-green'}>
                    {restricted ? 'Trial mode' : 'Live'}
                  </span>
                </li>
              ))}
            </ul>
          ),
      };
    },
  });

  pages.add('/services/:service_id', {
    who: { service: 'any', organisation: true },
    menu: 'Home',
    show: ({ service }) => ({
      title: 'Home',
      content: (
        <section class="card measure" aria-label="Service">
          <dl class="facts">
            <dt>Name</dt>
            <dd>{service.name}</dd>
            <dt>Mode</dt>
            <dd>{service.restricted ? 'Trial: messages go to the team and the guest list only' : 'Live'}</dd>
            <dt>Service id</dt>
            <dd>
              <code>{service.id}</code>
            </dd>
          </dl>
        </section>
      ),
    }),
  });
}
