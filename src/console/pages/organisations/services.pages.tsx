import { getOrganisationUsage } from '../../../billing/usage.ts';
import type { Money } from '../../../countries/money.ts';
import { T } from '../../../language/sentence.tsx';
import { t } from '../../../language/text.ts';
import { fromStandby } from '../../../platform/db/servers/standby.ts';
import { csvText, sendCsv } from '../../../platform/http/csv.ts';
import { listServicesOfOrganisation } from '../../../services/organisations/organisation-services.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { pageUrl } from '../../links.ts';
import { count } from '../../money.ts';
import type { Pages } from '../../page.ts';
import { ButtonLink } from '../../parts/form.tsx';
import { Empty, NoPrices } from '../../parts/notice.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { chosenYear, FinancialYears, yearLabel } from '../../parts/tabs.tsx';
import { members, organisationView, pathOf } from './organisation-view.tsx';

type Usage = Awaited<ReturnType<typeof getOrganisationUsage>>['services'][number];

const maxShown = 500;

/** The live services of an organisation, with their usage in a year. */
export function organisationUsagePages(pages: Pages, app: ConsoleApp): void {
  pages.add('/organisations/:organisation_id', {
    who: members,
    below: 'Organisations',
    async show({ organisation, visitor, query }) {
      const now = app.clock.now();
      const year = chosenYear(app.country.calendar, query('year'), now);
      const { services, price_known } = await fromStandby(app, 'page', (reader) =>
        getOrganisationUsage(reader, organisation.id, year),
      );
      const hasPrices = price_known !== false || services.some((each) => each.sms_cost + each.letter_cost > 0);
      const money = hasPrices ? app.country.money : undefined;
      const path = pageUrl(pathOf(organisation));
      return organisationView(pages, {
        organisation,
        visitor,
        at: '',
        lead: yearLabel(app.country.calendar, year),
        actions: <ButtonLink to={`${pathOf(organisation)}/csv?year=${year}`}>{t('Download CSV')}</ButtonLink>,
        content: (
          <>
            <div>
              <FinancialYears year={year} path={path} now={now} />
            </div>
            {services.length === 0 ? (
              <Empty title={t('No live services')}>
                {t('A service of this organisation appears here when it goes live.')}
              </Empty>
            ) : (
              <>
                {!money && <NoPrices visitor={visitor} />}
                <Totals services={services} money={money} />
                <ServicesWithUsage services={services.slice(0, maxShown)} money={money} />
                {services.length > maxShown && (
                  <p class="small muted">
                    <T>We show the first {{ maxShown }}. The CSV file has all of them.</T>
                  </p>
                )}
              </>
            )}
          </>
        ),
      });
    },
  });

  pages.add('/organisations/:organisation_id/csv', {
    who: members,
    async show({ organisation, query, reply }) {
      const year = chosenYear(app.country.calendar, query('year'), app.clock.now());
      const { services, currency } = await fromStandby(app, 'file', (reader) =>
        getOrganisationUsage(reader, organisation.id, year),
      );
      const columns = [
        'service_id',
        'service_name',
        'emails_sent',
        'free_sms_limit',
        'sms_remainder',
        'sms_billable_units',
        'chargeable_billable_sms',
        'sms_cost',
        'letter_cost',
      ] as const;
      const text = csvText(
        [...columns, ...(currency === undefined ? [] : ['currency' as const])],
        services.map((service) => ({ ...service, currency })),
      );
      return {
        sent: sendCsv(reply, `${organisation.name} ${app.country.calendar.financialYearLabel(year)}.csv`, [text]),
      };
    },
  });
}

interface UsageProps {
  services: readonly Usage[];
  /** The currency of the amounts; undefined if there are no prices. */
  money: Money | undefined;
}

function Totals({ services, money }: UsageProps) {
  const sum = (value: (usage: Usage) => number) => services.reduce((total, usage) => total + value(usage), 0);
  return (
    <dl class="stats">
      <Total label={t('live services')} value={count(services.filter(({ active }) => active).length)} />
      <Total label={t('emails')} value={count(sum(({ emails_sent }) => emails_sent))} />
      <Total label={t('parts of texts')} value={count(sum(({ sms_billable_units }) => sms_billable_units))} />
      {money && (
        <>
          <Total label={t('for texts')} value={money.total(sum(({ sms_cost }) => sms_cost))} />
          <Total label={t('for letters')} value={money.total(sum(({ letter_cost }) => letter_cost))} />
        </>
      )}
    </dl>
  );
}

function Total({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd class="figure-mid">{value}</dd>
    </div>
  );
}

function ServicesWithUsage({ services, money }: UsageProps) {
  return (
    <Table
      caption={t('Live services with their usage')}
      rows={services}
      keyOf={({ service_id }) => service_id}
      columns={[
        {
          head: t('Service'),
          cell: ({ service_id, service_name, active }) => (
            <>
              <a href={pageUrl(`/services/${service_id}`)} dir="auto">
                {service_name}
              </a>
              {!active && <small>{t('archived')}</small>}
            </>
          ),
        },
        { head: t('Emails'), cell: ({ emails_sent }) => count(emails_sent), numeric: true },
        {
          head: t('Parts of texts'),
          cell: ({ sms_billable_units, sms_remainder }) => (
            <>
              {count(sms_billable_units)}
              {sms_remainder > 0 && (
                <small>
                  {t('{count, plural, one {# free part left} other {# free parts left}}', { count: sms_remainder })}
                </small>
              )}
            </>
          ),
          numeric: true,
        },
        ...(money ? amounts(money) : []),
      ]}
    />
  );
}

function amounts(money: Money): Column<Usage>[] {
  return [
    { head: t('Texts'), cell: ({ sms_cost }) => money.total(sms_cost), numeric: true },
    { head: t('Letters'), cell: ({ letter_cost }) => money.total(letter_cost), numeric: true },
  ];
}

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
          ? t('Members who can make services live decide about requests.')
          : t('The people who run this Pennypost decide about requests.'),
        content:
          services.length === 0 ? (
            <Empty title={t('No services in trial mode')}>{t('Every service of this organisation is live.')}</Empty>
          ) : (
            <Table
              caption={t('Services in trial mode')}
              rows={services.slice(0, maxShown)}
              keyOf={({ id }) => id}
              columns={[
                {
                  head: t('Service'),
                  cell: ({ id, name }) => (
                    <a href={pageUrl(`/services/${id}`)} dir="auto">
                      {name}
                    </a>
                  ),
                },
                {
                  head: t('State'),
                  cell: ({ has_active_go_live_request }) =>
                    has_active_go_live_request ? (
                      <span class="badge tone-blue">{t('Wants to go live')}</span>
                    ) : (
                      <span class="badge tone-amber">{t('Trial mode')}</span>
                    ),
                },
                {
                  head: t('Decision'),
                  hidden: true,
                  cell: ({ id, name, has_active_go_live_request }) =>
                    has_active_go_live_request && (
                      <ButtonLink to={`/services/${id}/make-service-live`} small>
                        <T>
                          Decide<span class="sr"> about {{ name }}</span>
                        </T>
                      </ButtonLink>
                    ),
                },
              ]}
            />
          ),
      });
    },
  });
}
