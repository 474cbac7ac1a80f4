import { spansOf, withinRecords } from '../notifications/spans.ts';
import { financialYearDays, financialYearOfDay } from '../platform/calendar.ts';
import type { Db } from '../platform/db/database.ts';
import { invalid } from '../platform/failure.ts';
import type { Platform } from '../platform/platform.ts';
import { getAllowance, listImpliedAllowances } from '../services/allowance.ts';
import { cut, type Days, loadPriceList } from './rates.ts';
import {
  type Price,
  type ServiceCosts,
  type Slot,
  selectUsageByMonth,
  selectUsageByService,
  selectUsageByType,
  type UsageQuestion,
} from './usage.sql.ts';

export type { ServiceCosts } from './usage.sql.ts';

type Needs = Pick<Platform, 'db' | 'clock'>;

/** A year as the query string has it. */
export function financialYearIn(text: unknown): number {
  const year = typeof text === 'string' && /^\d{1,4}$/.test(text) ? Number(text) : 0;
  // The year has to end in a year of four digits too.
  if (year < 1 || year > 9998) throw invalid('No valid year provided');
  return year;
}

export async function listMonthlyUsage(app: Needs, serviceId: string, year: number) {
  return selectUsageByMonth(app.db, await yearOfService(app, serviceId, year, firstDaysOfMonths(year)));
}

export async function listYearlyUsage(app: Needs, serviceId: string, year: number) {
  return selectUsageByType(app.db, await yearOfService(app, serviceId, year));
}

/**
 * What services used on days of one financial year and what it costs them: the allowance is eaten from the year's first
 * day on, also when those days begin later.
 */
export async function listServiceCosts(app: Needs, days: Days): Promise<ServiceCosts[]> {
  const year = financialYearOfDay(days.first_day);
  const implied = await listImpliedAllowances(app.db, year, app.clock.now());
  const slots = await slotsOf(
    app.db,
    { ...days, first_day: financialYearDays(year).first },
    {
      countedFrom: days.first_day,
    },
  );
  return selectUsageByService(app.db, { ...slots, allowances: { year, implied }, which: 'all services' });
}

/** What the services of an organisation used in a financial year and what it costs them. */
export async function listOrganisationCosts(app: Needs, organisationId: string, year: number): Promise<ServiceCosts[]> {
  const { first, last } = financialYearDays(year);
  const implied = await listImpliedAllowances(app.db, year, app.clock.now());
  const slots = await slotsOf(app.db, { first_day: first, last_day: last });
  const which = { organisation_id: organisationId };
  return selectUsageByService(app.db, { ...slots, allowances: { year, implied }, which });
}

/** What services used on any days. Text messages are not priced: that depends on the year's allowance. */
export async function listServiceVolumes(
  db: Db,
  days: Days,
): Promise<Omit<ServiceCosts, 'sms_charged_units' | 'sms_cost'>[]> {
  const slots = await slotsOf(db, days);
  return selectUsageByService(db, { ...slots, allowances: { year: null, implied: [] }, which: 'all services' });
}

async function yearOfService(
  { db, clock }: Needs,
  serviceId: string,
  year: number,
  cutBefore: string[] = [],
): Promise<UsageQuestion> {
  const { first, last } = financialYearDays(year);
  const { free_sms_fragment_limit } = await getAllowance(db, serviceId, year, clock.now());
  return {
    ...(await slotsOf(db, { first_day: first, last_day: last }, { cutBefore })),
    allowances: { year: null, implied: [{ service_id: serviceId, free_sms_fragment_limit }] },
    which: { service_id: serviceId },
  };
}

type Slots = Pick<UsageQuestion, 'slots' | 'spans' | 'prices'>;

/** Each type is cut at its own prices, so that the others are still read in whole months. */
async function slotsOf(
  db: Db,
  wanted: Days,
  { countedFrom = wanted.first_day, cutBefore = [] }: { countedFrom?: string; cutBefore?: string[] } = {},
): Promise<Slots> {
  const range = withinRecords(wanted);
  const cuts = [countedFrom, ...cutBefore];
  const priceList = await loadPriceList(db);
  const smsPeriods = priceList.smsPeriods(range, cuts);
  const letterPeriods = priceList.letterPeriods(range, cuts);
  const pieces = [
    ...smsPeriods.map((days) => ({ ...days, notification_type: 'sms' as const })),
    ...letterPeriods.map((days) => ({ ...days, notification_type: 'letter' as const })),
    ...cut(range, cuts).map((days) => ({ ...days, notification_type: 'email' as const })),
  ];
  const slots = pieces.map(
    ({ notification_type, first_day, last_day }, slot): Slot => ({
      slot,
      notification_type,
      month: `${first_day.slice(0, 7)}-01`,
      first_day,
      last_day,
      counted: first_day >= countedFrom,
    }),
  );
  const smsPrices = smsPeriods.map(({ rate }, slot): Price => ({ slot, postage: 'none', sheets: 0, rate }));
  const letterPrices = letterPeriods.flatMap(({ rates }, index) =>
    rates.map((rate): Price => ({ slot: smsPeriods.length + index, ...rate })),
  );
  return { slots, spans: slots.flatMap(spansOfSlot), prices: [...smsPrices, ...letterPrices] };
}

function spansOfSlot({ slot, notification_type, first_day, last_day, counted }: Slot): UsageQuestion['spans'] {
  // Before what is counted, only text messages matter: they eat the allowance.
  if (!counted && notification_type !== 'sms') return [];
  return spansOf(first_day, last_day).map(({ span, first_day }) => ({ slot, notification_type, span, first_day }));
}

function firstDaysOfMonths(year: number): string[] {
  const { first, last } = financialYearDays(year);
  return spansOf(first, last).map(({ first_day }) => first_day);
}
