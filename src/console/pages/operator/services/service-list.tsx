import type { listGoLiveRequests, ServiceState, searchServices } from '../../../../services/services.ts';
import { count } from '../../../money.ts';
import { Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';

type Listed = Awaited<ReturnType<typeof searchServices>>['services'][number];
type Request = Awaited<ReturnType<typeof listGoLiveRequests>>[number];

export const stateNames: Record<ServiceState, string> = {
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

export function ServiceList({ services, now }: { services: readonly Listed[]; now: Date }) {
  return (
    <Table
      caption="Services"
      rows={services}
      keyOf={({ id }) => id}
      columns={[
        { head: 'Service', cell: ({ id, name }) => <a href={`/console/operator/services/${id}`}>{name}</a> },
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

export function RequestList({ requests, now }: { requests: readonly Request[]; now: Date }) {
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
              <a href={`/console/operator/services/${id}`}>{name}</a>
              {organisation_name && <small>{organisation_name}</small>}
            </>
          ),
        },
        {
          head: 'PageRequest by',
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
            <a class="button button--small" href={`/console/services/${id}/make-service-live`}>
              Decide<span class="sr"> about {name}</span>
            </a>
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
