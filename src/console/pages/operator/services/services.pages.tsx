import { listGoLiveRequests, type ServiceState, searchServices } from '../../../../services/services.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import { pageUrl } from '../../../links.ts';
import { addListPage } from '../../../list-page.tsx';
import { count } from '../../../money.ts';
import type { Pages } from '../../../page.ts';
import { ButtonLink } from '../../../parts/form.tsx';
import { Empty } from '../../../parts/notice.tsx';
import { Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';

const path = '/operator/services';
const maxRequests = 200;

/** Every service, and those that ask to go live. */
export function operatorServicePages(pages: Pages, app: ConsoleApp): void {
  addListPage(pages, app, {
    path,
    menu: 'Services',
    lead: (total, state) =>
      `${count(total)} ${total === 1 ? 'service' : 'services'}${state ? `: ${stateNames[state].toLowerCase()}` : ''}.`,
    actions: () => <ButtonLink to={`${path}/going-live`}>Requests to go live</ButtonLink>,
    searchLabel: 'Name or id of a service',
    groups: { name: 'State', parameter: 'state', names: stateNames },
    async read({ group, ...selection }) {
      const { services, total } = await searchServices(app.db, { ...selection, state: group });
      return { rows: services, total };
    },
    empty: {
      title: 'No service found',
      text: 'Search for another part of the name, or show services of another state.',
    },
    list: (services, now) => <ServiceList services={services} now={now} />,
  });

  pages.add(`${path}/going-live`, {
    who: 'operator',
    below: 'Services',
    async show() {
      const requests = await listGoLiveRequests(app.db, maxRequests);
      return {
        title: 'Requests to go live',
        lead: 'Those that have waited longest come first.',
        crumbs: [{ label: 'Services', to: path }],
        content:
          requests.length === 0 ? (
            <Empty title="Nobody asks to go live">
              A service in trial mode can ask when its checklist is done. You see it here and on the overview.
            </Empty>
          ) : (
            <RequestList requests={requests} now={app.clock.now()} />
          ),
      };
    },
  });
}

type Listed = Awaited<ReturnType<typeof searchServices>>['services'][number];
type Request = Awaited<ReturnType<typeof listGoLiveRequests>>[number];

const stateNames: Record<ServiceState, string> = {
  live: 'Live',
  trial: 'Trial mode',
  asking: 'Asks to go live',
  suspended: 'Suspended',
  archived: 'Archived',
};

const tones: Record<ServiceState, string> = {
  live: 'tone-green',
  trial: 'tone-amber',
  asking: 'tone-blue',
  suspended: 'tone-red',
  archived: '',
};

type Stateful = Pick<Listed, 'active' | 'restricted' | 'has_active_go_live_request' | 'suspended'>;

function stateOf({ active, restricted, has_active_go_live_request, suspended }: Stateful): ServiceState {
  if (!active) return 'archived';
  if (suspended) return 'suspended';
  if (!restricted) return 'live';
  return has_active_go_live_request ? 'asking' : 'trial';
}

export function ServiceBadge(service: Stateful) {
  const state = stateOf(service);
  return <span class={`badge ${tones[state]}`}>{stateNames[state]}</span>;
}

function ServiceList({ services, now }: { services: readonly Listed[]; now: Date }) {
  return (
    <Table
      caption="Services"
      rows={services}
      keyOf={({ id }) => id}
      columns={[
        { head: 'Service', cell: ({ id, name }) => <a href={pageUrl(`/operator/services/${id}`)}>{name}</a> },
        { head: 'State', cell: (service) => <ServiceBadge {...service} /> },
        {
          head: 'Organisation',
          cell: ({ organisation_name }) => organisation_name ?? <span class="muted">None</span>,
        },
        { head: 'Created', cell: ({ created_at }) => <Time at={created_at} now={now} /> },
      ]}
    />
  );
}

function RequestList({ requests, now }: { requests: readonly Request[]; now: Date }) {
  return (
    <Table
      caption="Requests to go live"
      rows={requests}
      keyOf={({ id }) => id}
      columns={[
        {
          head: 'Service',
          cell: ({ id, name, organisation_name }) => (
            <>
              <a href={pageUrl(`/operator/services/${id}`)}>{name}</a>
              {organisation_name && <small>{organisation_name}</small>}
            </>
          ),
        },
        {
          head: 'Asked by',
          cell: ({ asked_by_name, asked_by_email_address }) => (
            <>
              {asked_by_name ?? 'Unknown'}
              {asked_by_email_address && <small>{asked_by_email_address}</small>}
            </>
          ),
        },
        { head: 'Will send in a year', cell: volumes },
        {
          head: 'Last change',
          cell: ({ updated_at }) => updated_at && <Time at={updated_at} now={now} />,
        },
        {
          head: 'Decision',
          hidden: true,
          cell: ({ id, name }) => (
            <ButtonLink to={`/services/${id}/make-service-live`} small>
              Decide<span class="sr"> about {name}</span>
            </ButtonLink>
          ),
        },
      ]}
    />
  );
}

function volumes({ volume_email, volume_sms, volume_letter }: Request): string {
  const parts = [
    [volume_email, 'emails'],
    [volume_sms, 'texts'],
    [volume_letter, 'letters'],
  ] as const;
  const told = parts.flatMap(([amount, unit]) => (amount ? [`${count(amount)} ${unit}`] : []));
  return told.join(', ') || 'Not said';
}
