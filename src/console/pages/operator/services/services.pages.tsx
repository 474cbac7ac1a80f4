import { T } from '../../../../language/sentence.tsx';
import { joined, type Text, t, within } from '../../../../language/text.ts';
import { listGoLiveRequests, type ServiceState, searchServices } from '../../../../services/services.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import { pageUrl } from '../../../links.ts';
import { addListPage } from '../../../list-page.tsx';
import type { Pages } from '../../../page.ts';
import { ButtonLink } from '../../../parts/form.tsx';
import { Empty } from '../../../parts/notice.tsx';
import { Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';

const path = '/operator/services';
const maxRequests = 200;

/** Every service, and requests to go live. */
export function operatorServicePages(pages: Pages, app: ConsoleApp): void {
  addListPage(pages, app, {
    path,
    menu: 'Services',
    lead: (count, state) =>
      state
        ? t('{count, plural, one {# service: {state}.} other {# services: {state}.}}', {
            count,
            state: within(stateNames[state]),
          })
        : t('{count, plural, one {# service.} other {# services.}}', { count }),
    actions: () => <ButtonLink to={`${path}/going-live`}>{t('Requests to go live')}</ButtonLink>,
    searchLabel: t('Search services'),
    groups: { name: t('State'), parameter: 'state', names: stateNames },
    async read({ group, ...selection }) {
      const { services, total } = await searchServices(app.db, { ...selection, state: group });
      return { rows: services, total };
    },
    empty: {
      title: t('No services found'),
      text: t('Search for another part of the name or the whole id, or show services of another state.'),
    },
    list: (services, now) => <ServiceList services={services} now={now} />,
  });

  pages.add(`${path}/going-live`, {
    who: 'operator',
    below: 'Services',
    async show() {
      const requests = await listGoLiveRequests(app.db, maxRequests);
      return {
        title: t('Requests to go live'),
        lead: t('The service that has waited longest comes first.'),
        crumbs: [{ label: t('Services'), to: path }],
        content:
          requests.length === 0 ? (
            <Empty title={t('No requests to go live')}>
              {t(
                'A service in trial mode can ask once its checklist is done. You will see the request here and on the overview.',
              )}
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

const stateNames: Record<ServiceState, Text> = {
  live: t('Live'),
  trial: t('Trial mode'),
  asking: t('Wants to go live'),
  suspended: t('Suspended'),
  archived: t('Archived'),
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

function ServiceLink({ id, name }: { id: string; name: string }) {
  return (
    <a href={pageUrl(`/operator/services/${id}`)} dir="auto">
      {name}
    </a>
  );
}

function ServiceList({ services, now }: { services: readonly Listed[]; now: Date }) {
  return (
    <Table
      caption={t('Services')}
      rows={services}
      keyOf={({ id }) => id}
      columns={[
        { head: t('Service'), cell: ({ id, name }) => <ServiceLink id={id} name={name} /> },
        { head: t('State'), cell: (service) => <ServiceBadge {...service} /> },
        {
          head: t('Organisation'),
          cell: ({ organisation_name }) =>
            organisation_name ? (
              <span dir="auto">{organisation_name}</span>
            ) : (
              <span class="muted">{t('None', { context: 'no organisation' })}</span>
            ),
        },
        { head: t('Created'), cell: ({ created_at }) => <Time at={created_at} now={now} /> },
      ]}
    />
  );
}

function RequestList({ requests, now }: { requests: readonly Request[]; now: Date }) {
  return (
    <Table
      caption={t('Requests to go live')}
      rows={requests}
      keyOf={({ id }) => id}
      columns={[
        {
          head: t('Service'),
          cell: ({ id, name, organisation_name }) => (
            <>
              <ServiceLink id={id} name={name} />
              {organisation_name && <small dir="auto">{organisation_name}</small>}
            </>
          ),
        },
        {
          head: t('Asked by'),
          cell: ({ asked_by_name, asked_by_email_address }) => (
            <>
              <span dir="auto">{asked_by_name ?? t('Unknown')}</span>
              {asked_by_email_address && <small>{asked_by_email_address}</small>}
            </>
          ),
        },
        { head: t('Will send in a year'), cell: volumes },
        {
          head: t('Last change'),
          cell: ({ updated_at }) => updated_at && <Time at={updated_at} now={now} />,
        },
        {
          head: t('Decision'),
          hidden: true,
          cell: ({ id, name }) => (
            <ButtonLink to={`/services/${id}/make-service-live`} small>
              <T>
                Decide<span class="sr"> about {{ name }}</span>
              </T>
            </ButtonLink>
          ),
        },
      ]}
    />
  );
}

function volumes({ volume_email, volume_sms, volume_letter }: Request): Text {
  const counts = [
    ...(volume_email ? [t('{count, plural, one {# email} other {# emails}}', { count: volume_email })] : []),
    ...(volume_sms ? [t('{count, plural, one {# text} other {# texts}}', { count: volume_sms })] : []),
    ...(volume_letter ? [t('{count, plural, one {# letter} other {# letters}}', { count: volume_letter })] : []),
  ];
  return counts.length === 0 ? t('Not stated') : joined(counts, ', ');
}
