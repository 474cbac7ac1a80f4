import { asIs, type Text, t } from '../../../language/text.ts';
import { mayChangeDomains } from '../../../sending-domains/owners.ts';
import { type DomainState, listDomains, type SendingDomain } from '../../../sending-domains/sending-domains.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { addListPage } from '../../list-page.tsx';
import type { Pages } from '../../page.ts';
import { Empty } from '../../parts/notice.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { members, organisationView, pathOf } from '../organisations/organisation-view.tsx';
import { settingsOf, team } from '../settings/service-setting.ts';
import { AddDomain, addDomainPages, DomainLink, DomainStatus } from './domain-pages.tsx';

/** The domains that the emails of a service come from. */
export function serviceDomainPages(pages: Pages, app: ConsoleApp): void {
  const path = '/services/:service_id/settings/email/domain';
  const at = (service: { id: string }) => `${settingsOf(service)}/email/domain`;
  pages.add(path, {
    who: team,
    below: 'Settings',
    name: t('Sending domains'),
    async show({ service, visitor }) {
      const { domains } = await listDomains(app.db, { service_id: service.id });
      const owner = { scope: 'service', service_id: service.id } as const;
      const mayAdd = mayChangeDomains(app.config.domains, visitor.user, owner);
      return {
        title: t('Sending domains'),
        lead: t('Emails come from {domain} until a domain of your own is verified.', {
          domain: app.config.email.domain,
        }),
        crumbs: [{ label: t('Settings'), to: settingsOf(service) }],
        actions: mayAdd && <AddDomain at={at(service)} />,
        content: <Domains domains={domains} at={at(service)} mayAdd={mayAdd} now={app.clock.now()} />,
      };
    },
  });
  addDomainPages(pages, app, {
    path,
    who: team,
    below: 'Settings',
    at: ({ service }) => at(service),
    ownerOf: ({ service }) => ({ scope: 'service', service_id: service.id }),
    newOwner: ({ service }) => ({ scope: 'service', service_id: service.id }),
    crumbs: ({ service }) => [{ label: t('Settings'), to: settingsOf(service) }],
  });
}

/** Domains of an organisation, for all its services. */
export function organisationDomainPages(pages: Pages, app: ConsoleApp): void {
  const path = '/organisations/:organisation_id/domain';
  const at = (organisation: { id: string }) => `${pathOf(organisation)}/domain`;
  pages.add(path, {
    who: members,
    below: 'Organisations',
    async show({ organisation, visitor }) {
      const { domains } = await listDomains(app.db, { organisation_id: organisation.id });
      const owner = { scope: 'organisation', organisation_id: organisation.id } as const;
      const mayAdd = mayChangeDomains(app.config.domains, visitor.user, owner);
      return organisationView(pages, {
        organisation,
        visitor,
        at: '/domain',
        lead: t('Emails of its services come from this domain, unless a service has its own.'),
        actions: mayAdd && <AddDomain at={at(organisation)} />,
        content: <Domains domains={domains} at={at(organisation)} mayAdd={mayAdd} now={app.clock.now()} />,
      });
    },
  });
  addDomainPages(pages, app, {
    path,
    who: members,
    below: 'Organisations',
    param: 'organisation_domain_id',
    at: ({ organisation }) => at(organisation),
    ownerOf: ({ organisation }) => ({ scope: 'organisation', organisation_id: organisation.id }),
    newOwner: ({ organisation }) => ({ scope: 'organisation', organisation_id: organisation.id }),
    crumbs: ({ organisation }) => [{ label: asIs(organisation.name), to: at(organisation) }],
  });
}

const groupNames: Record<Exclude<DomainState, 'retired'>, Text> = {
  suspended: t('Suspended'),
  warning: t('With a warning'),
  verified: t('Verified'),
  pending: t('Not verified'),
};

/** Every domain, for operators. */
export function operatorDomainPages(pages: Pages, app: ConsoleApp): void {
  const path = '/operator/domains';
  addListPage<SendingDomain, Exclude<DomainState, 'retired'>>(pages, app, {
    path,
    menu: 'Domains',
    lead: (total) =>
      t(
        '{count, plural, one {# domain that emails come from.} other {# domains that emails come from.}} All others come from {domain}.',
        { count: total, domain: app.config.email.domain },
      ),
    actions: ({ visitor }) =>
      visitor.user.platform_admin && app.config.domains.mode !== 'off' && <AddDomain at={path} />,
    searchLabel: t('Part of a domain name'),
    groups: { name: t('State'), parameter: 'state', names: groupNames },
    async read({ text, group, skip, limit }) {
      const { domains, total } = await listDomains(app.db, { text, state: group }, { skip, limit });
      return { rows: domains, total };
    },
    empty: {
      title: t('No domains'),
      text: t('Domains of services, organisations and the installation appear here.'),
    },
    list: (domains, now) => <DomainTable domains={domains} at={path} now={now} withScope />,
  });
  addDomainPages(pages, app, {
    path,
    who: 'operator',
    below: 'Domains',
    at: () => path,
    ownerOf: () => undefined,
    newOwner: () => ({ scope: 'installation' }),
    crumbs: () => [],
  });
}

interface DomainsProps {
  domains: readonly SendingDomain[];
  at: string;
  now: Date;
}

function Domains({ domains, at, mayAdd, now }: DomainsProps & { mayAdd: boolean }) {
  if (domains.length > 0) return <DomainTable domains={domains} at={at} now={now} />;
  return (
    <Empty title={t('No domains yet')}>
      {mayAdd
        ? t('Add a domain of yours, so that people recognise who writes to them.')
        : t('To send from a domain of your own, ask the people who run this Pennypost.')}
    </Empty>
  );
}

const scopeLabels = { installation: t('Installation'), organisation: t('Organisation'), service: t('Service') };

function DomainTable({ domains, at, now, withScope }: DomainsProps & { withScope?: boolean }) {
  return (
    <Table
      caption={t('Sending domains')}
      rows={domains}
      keyOf={({ id }) => id}
      columns={[
        { head: t('Domain'), cell: (domain) => <DomainLink domain={domain} at={at} /> },
        ...(withScope
          ? [
              {
                head: t('Owner', { context: 'column: who a domain belongs to' }),
                cell: ({ scope }: SendingDomain) => scopeLabels[scope],
              },
            ]
          : []),
        {
          head: t('State'),
          cell: ({ state, is_chosen, scope }) => (
            <>
              <DomainStatus state={state} />
              {is_chosen && scope !== 'installation' && !withScope && <small>{t('Chosen for emails')}</small>}
            </>
          ),
        },
        {
          head: t('Last check'),
          cell: ({ checked_at }) => (checked_at ? <Time at={checked_at} now={now} /> : t('Not yet')),
        },
      ]}
    />
  );
}
