import { type Days, financialYearDays, financialYearOfDay } from '../platform/calendar.ts';
import type { Db } from '../platform/db/database.ts';
import { invalid } from '../platform/failure.ts';
import type { Platform } from '../platform/platform.ts';
import { spansOf, withinRecords } from '../platform/spans.ts';
import { getAllowance, type ImpliedAllowance, listImpliedAllowances } from '../services/allowance.ts';
import { loadPriceList } from './rates.ts';
import {
  type LetterPrice,
  type ServiceCosts,
  type Slot,
  selectUsageByMonth,
  selectUsageByService,
  selectUsageByType,
  type UsageQuestion,
} from './usage.sql.ts';

export type { LettersAtRate } from './usage.sql.ts';

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
  const { first_day } = financialYearDays(year);
  const slots = await slotsOf(app.db, { ...days, first_day }, { countedFrom: days.first_day });
  return selectUsageByService(app.db, { ...slots, allowances: { year, implied }, which: 'all services' }, 'by price');
}

/** What the services of an organisation used in a financial year and what it costs them. */
export async function listOrganisationCosts(
  db: Db,
  organisationId: string,
  year: number,
  implied: ImpliedAllowance[],
): Promise<ServiceCosts[]> {
  const slots = await slotsOf(db, financialYearDays(year));
  const which = { organisation_id: organisationId };
  return selectUsageByService(db, { ...slots, allowances: { year, implied }, which }, 'altogether');
}

/** What services used on any days. Text messages are not priced: that depends on the year's allowance. */
export async function listServiceVolumes(
  db: Db,
  days: Days,
): Promise<Omit<ServiceCosts, 'sms_charged_units' | 'sms_cost' | 'letters'>[]> {
  const slots = await slotsOf(db, days);
  const question: UsageQuestion = { ...slots, allowances: { year: null, implied: [] }, which: 'all services' };
  return selectUsageByService(db, question, 'altogether');
}

async function yearOfService(
  { db, clock }: Needs,
  serviceId: string,
  year: number,
  cutBefore: string[] = [],
): Promise<UsageQuestion> {
  const { free_sms_fragment_limit } = await getAllowance(db, serviceId, year, clock.now());
  return {
    ...(await slotsOf(db, financialYearDays(year), { cutBefore })),
    allowances: { year: null, implied: [{ service_id: serviceId, free_sms_fragment_limit }] },
    which: { service_id: serviceId },
  };
}

type Slots = Pick<UsageQuestion, 'slots' | 'spans' | 'letterPrices'>;

async function slotsOf(
  db: Db,
  wanted: Days,
  { countedFrom = wanted.first_day, cutBefore = [] }: { countedFrom?: string; cutBefore?: string[] } = {},
): Promise<Slots> {
  const priceList = await loadPriceList(db);
  const periods = priceList.periods(withinRecords(wanted), [countedFrom, ...cutBefore]);
  const slots = periods.map(
    ({ first_day, last_day, smsRate }, slot): Slot => ({
      slot,
      month: `${first_day.slice(0, 7)}-01`,
      first_day,
      last_day,
      sms_rate: smsRate,
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

function firstDaysOfMonths(year: number): string[] {
  return spansOf(financialYearDays(year)).map(({ first_day }) => first_day);
}
