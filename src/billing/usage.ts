import type { Days } from '../countries/calendar.ts';
import { timestamp } from '../platform/clock.ts';
import { refuseUnlessExists } from '../platform/db/exists.ts';
import type { Platform } from '../platform/platform.ts';
import { spansOf, withinRecords } from '../platform/spans.ts';
import type { Channel } from '../protocol/channels.ts';
import { getAllowance, type ImpliedAllowance, listImpliedAllowances } from './allowance.ts';
import { findKnownPrices, loadPriceList } from './rates.ts';
import {
  type LetterPrice,
  type ServiceCosts,
  type Slot,
  selectDaysWithoutRate,
  selectLiveServicesOf,
  selectUsageByMonth,
  selectUsageByService,
  selectUsageByType,
  type UsageQuery,
} from './usage.sql.ts';

export type { LettersAtRate } from './usage.sql.ts';

export async function listMonthlyUsage(app: Platform, serviceId: string, year: number) {
  const months = app.country.calendar.financialYearMonths(year);
  const rows = await selectUsageByMonth(app.db, await yearOfService(app, serviceId, year, months));
  const unpriced = await listDaysWithoutRate(app, year, { service_id: serviceId });
  const names = new Set(unpriced.map(({ day }) => nameOfMonth(monthOf(months, day))));
  return withPriceFacts(app, rows, ({ month }) => names.has(month));
}

export async function listYearlyUsage(app: Platform, serviceId: string, year: number) {
  const rows = await selectUsageByType(app.db, await yearOfService(app, serviceId, year));
  const unpriced = await listDaysWithoutRate(app, year, { service_id: serviceId });
  return withPriceFacts(app, rows, () => unpriced.length > 0);
}

/** Returns the days on which a service sent international texts before their price was configured. */
async function listDaysWithoutRate({ db, country }: Platform, year: number, which: UsageQuery['which']) {
  const { calendar, phone } = country;
  if (!phone.hasRatesAbroad || phone.multiplierAbroad !== undefined) return [];
  return selectDaysWithoutRate(calendar, db, calendar.financialYearDays(year), which);
}

/** Returns the month of the financial year with this day, as `YYYY-MM`, after its first day. */
function monthOf(months: Days[], day: string): string {
  return (months.findLast(({ first_day }) => first_day <= day)?.first_day ?? day).slice(0, 7);
}

const englishMonths = 'January February March April May June July August September October November December'.split(
  ' ',
);

/** The API uses English month names in every country. */
function nameOfMonth(month: string): string {
  return englishMonths[Number(month.slice(5)) - 1] ?? month;
}

interface PriceFacts {
  /** Omitted for GBP. */
  currency?: string;
  /** False if there is no rate, or none for a country that got texts: then the cost does not include these. */
  price_known?: false;
}

async function withPriceFacts<Row extends { notification_type: Channel }>(
  app: Platform,
  rows: Row[],
  lacksRateAbroad: (row: Row) => boolean,
): Promise<(Row & PriceFacts)[]> {
  const { code, money } = app.country;
  if (code === 'gb') return rows;
  const known = { email: true, ...(await findKnownPrices(app)) };
  const isKnown = (row: Row) =>
    known[row.notification_type] && !(row.notification_type === 'sms' && lacksRateAbroad(row));
  return rows.map((row) => ({ ...row, ...money.currencyField, ...unlessKnown(isKnown(row)) }));
}

const unlessKnown = (isKnown: boolean): PriceFacts => (isKnown ? {} : { price_known: false });

/**
 * Returns the usage and costs of all services on days of one financial year. The allowance is consumed from the first day of the year, even
 * if `days` begins later.
 */
export async function listServiceCosts(app: Platform, days: Days): Promise<ServiceCosts[]> {
  const { calendar } = app.country;
  const year = calendar.financialYearOfDay(days.first_day);
  const implied = await listImpliedAllowances(app.country, app.db, year, app.clock.now());
  const { first_day } = calendar.financialYearDays(year);
  const slots = await slotsOf(app, { ...days, first_day }, { countedFrom: days.first_day });
  return selectUsageByService(app.db, { ...slots, allowances: { year, implied }, which: 'all services' }, 'by price');
}

/** Returns the usage and costs of an organisation's services in a financial year. */
async function listOrganisationCosts(
  app: Platform,
  organisationId: string,
  year: number,
  implied: ImpliedAllowance[],
): Promise<ServiceCosts[]> {
  const slots = await slotsOf(app, app.country.calendar.financialYearDays(year));
  const which = { organisation_id: organisationId };
  return selectUsageByService(app.db, { ...slots, allowances: { year, implied }, which }, 'total only');
}

/** Returns the usage of all services on any days. Text messages are not priced, because their price depends on the year's allowance. */
export async function listServiceVolumes(
  app: Platform,
  days: Days,
): Promise<Omit<ServiceCosts, 'sms_charged_units' | 'sms_cost' | 'letters'>[]> {
  const slots = await slotsOf(app, days);
  const query: UsageQuery = { ...slots, allowances: { year: null, implied: [] }, which: 'all services' };
  return selectUsageByService(app.db, query, 'total only');
}

async function yearOfService(app: Platform, serviceId: string, year: number, months: Days[] = []): Promise<UsageQuery> {
  const { free_sms_fragment_limit } = await getAllowance(app.country, app.db, serviceId, year, app.clock.now());
  return {
    ...(await slotsOf(app, app.country.calendar.financialYearDays(year), { months })),
    allowances: { year: null, implied: [{ service_id: serviceId, free_sms_fragment_limit }] },
    which: { service_id: serviceId },
  };
}

type Slots = Pick<UsageQuery, 'slots' | 'spans' | 'letterPrices'>;

async function slotsOf(
  { db, country }: Platform,
  requested: Days,
  { countedFrom = requested.first_day, months = [] }: { countedFrom?: string; months?: Days[] } = {},
): Promise<Slots> {
  const priceList = await loadPriceList(country.calendar, db);
  const periods = priceList.periods(withinRecords(requested), [
    countedFrom,
    ...months.map(({ first_day }) => first_day),
  ]);
  const slots = periods.map(
    ({ first_day, last_day, smsRate }, slot): Slot => ({
      slot,
      month: `${monthOf(months, first_day)}-01`,
      first_day,
      last_day,
      // Usage without a price costs nothing.
      sms_rate: smsRate ?? '0',
      counted: first_day >= countedFrom,
    }),
  );
  return {
    slots,
    spans: periods.flatMap((days, slot) => spansOf(days).map(({ span, first_day }) => ({ slot, span, first_day }))),
    letterPrices: periods.flatMap(({ letterRates }, slot): LetterPrice[] =>
      letterRates.map((rate) => ({ slot, ...rate })),
    ),
  };
}

/** Returns the usage of each live service of an organisation in a financial year, up to now. */
export async function getOrganisationUsage(app: Platform, organisationId: string, year: number) {
  await refuseUnlessExists(app.db, 'organisations', organisationId);
  const now = app.clock.now();
  const implied = await listImpliedAllowances(app.country, app.db, year, now);
  const [services, costs, known, unpriced] = await Promise.all([
    selectLiveServicesOf(app.db, organisationId, year),
    listOrganisationCosts(app, organisationId, year, implied),
    findKnownPrices(app),
    listDaysWithoutRate(app, year, { organisation_id: organisationId }),
  ]);
  const costsOf = new Map(costs.map((cost) => [cost.service_id, cost]));
  const impliedOf = new Map(implied.map((allowance) => [allowance.service_id, allowance.free_sms_fragment_limit]));
  return {
    services: services.map(({ id, name, active, free_sms_fragment_limit }) => {
      const cost = costsOf.get(id);
      const limit = free_sms_fragment_limit ?? impliedOf.get(id) ?? 0;
      const used = cost?.sms_chargeable_units ?? 0;
      return {
        service_id: id,
        service_name: name,
        free_sms_limit: limit,
        sms_remainder: Math.max(limit - used, 0),
        sms_billable_units: used,
        chargeable_billable_sms: cost?.sms_charged_units ?? 0,
        sms_cost: cost?.sms_cost ?? 0,
        letter_cost: cost?.letter_cost ?? 0,
        emails_sent: cost?.emails_sent ?? 0,
        active,
      };
    }),
    updated_at: timestamp(now),
    ...app.country.money.currencyField,
    ...unlessKnown((unpriced.length === 0 && (known.sms || known.letter)) || app.country.code === 'gb'),
  };
}
