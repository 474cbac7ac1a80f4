import { listServicesOfOrganisation } from '../../../services/organisations/organisation-services.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { Pages } from '../../page.ts';
import { Table } from '../../parts/table.tsx';
import { members, organisationView } from './organisation-view.tsx';

const maxShown = 500;

/** The services of an organisation that are not live yet. */
export function organisationTrialPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/organisations/:organisation_id/trial', {
    who: members,
    below: 'Organisations',
    async show({ organisation, visitor }) {
      const services = (await listServicesOfOrganisation(app.db, organisation.id)).filter(
        ({ active, restricted }) => active && restricted,
      );
      return organisationView(pages, {
        organisation,
        visitor,
        at: '/trial',
        lead: organisation.can_approve_own_go_live_requests
          ? 'Members who may make services live decide about requests.'
          : 'The people who run this Pennypost decide about requests.',
        content:
          services.length === 0 ? (
            <div class="empty">
              <h2>No services in trial mode</h2>
              <p>Every service of this organisation is live.</p>
            </div>
          ) : (
            <Table
              caption="Services in trial mode"
              rows={services.slice(0, maxShown)}
              keyOf={({ id }) => id}
              columns={[
                { head: 'Service', cell: ({ id, name }) => <a href={`/console/services/${id}`}>{name}</a> },
                {
                  head: 'State',
                  cell: ({ has_active_go_live_request }) =>
                    has_active_go_live_request ? (
                      <span class="badge tone-blue">Asks to go live</span>
                    ) : (
                      <span class="badge tone-amber">Trial mode</span>
                    ),
                },
                {
                  head: 'Decision',
                  hidden: true,
                  cell: ({ id, name, has_active_go_live_request }) =>
                    has_active_go_live_request && (
                      <a class="button button--small" href={`/console/services/${id}/make-service-live`}>
                        Decide<span class="sr"> about {name}</span>
                      </a>
                    ),
                },
              ]}
            />
          ),
      });
    },
  });
}
