import type { Country } from '../countries/country.ts';
import { timestamp } from '../platform/clock.ts';
import { type Db, inTransaction, type Tx } from '../platform/db/database.ts';
import { invalid, notFound } from '../platform/failure.ts';
import type { Platform } from '../platform/platform.ts';
import type { Allowances } from '../services/services.ts';
import {
  type Allowance,
  type ImpliedAllowance,
  type ImpliedQuestion,
  insertMissingAllowances,
  selectAllowance,
  selectDefault,
  selectImplied,
  selectInstalledAt,
  selectOrganisationType,
  upsertAllowance,
  upsertLimit,
} from './allowance.sql.ts';

export type { ImpliedAllowance } from './allowance.sql.ts';

/** The free text message fragments of a service in a financial year. */

/** Returns the stored allowance of a year, or computes it without storing it. */
export async function getAllowance(
  country: Country,
  db: Db,
  serviceId: string,
  year: number,
  now: Date,
): Promise<Allowance> {
  return (await selectAllowance(db, serviceId, year)) ?? (await impliedAllowance(country, db, serviceId, year, now));
}

/** Like `getAllowance`, but stores a computed allowance. */
export async function ensureAllowance(
  country: Country,
  tx: Tx,
  serviceId: string,
  year: number,
  now: Date,
): Promise<Allowance> {
  const stored = await selectAllowance(tx, serviceId, year);
  if (stored) return stored;
  const implied = await impliedAllowance(country, tx, serviceId, year, now);
  const current = country.calendar.financialYear(now);
  if (year < (await findFirstYear(country, tx, current)) || year > current) throw invalid('Invalid financial year');
  await insertMissingAllowances(tx, [implied], timestamp(now));
  return (await selectAllowance(tx, serviceId, year)) ?? implied;
}

/** Returns the first year with an allowance. For a country without any, returns the year before the installation at the latest. */
async function findFirstYear({ prices, calendar }: Country, tx: Tx, current: number): Promise<number> {
  const years = Object.values(prices.allowances).flatMap((byYear) => Object.keys(byYear).map(Number));
  if (years.length > 0) return Math.min(...years);
  const installed_at = await selectInstalledAt(tx);
  return Math.min(current, installed_at ? calendar.financialYear(new Date(installed_at)) : current) - 1;
}

export const allowances: Allowances = {
  async reset(country, tx, serviceId, now) {
    const year = country.calendar.financialYear(now);
    await upsertAllowance(tx, await impliedAllowance(country, tx, serviceId, year, now), timestamp(now));
  },
};

/** Sets the limit of the current year only. */
export async function setAllowance(
  country: Country,
  tx: Tx,
  serviceId: string,
  limit: number,
  now: Date,
): Promise<void> {
  const service = await selectOrganisationType(tx, serviceId);
  if (!service) throw notFound();
  const year = country.calendar.financialYear(now);
  const standard = await selectDefault(tx, service.organisation_type, year);
  await upsertLimit(
    tx,
    {
      service_id: serviceId,
      financial_year_start: year,
      free_sms_fragment_limit: limit,
      has_custom_allowance: limit !== standard,
    },
    timestamp(now),
  );
}

/** Returns the allowance that pages mention, or undefined if no service of the country has one. */
export function mentionedAllowance({ prices }: Country, limit: number): number | undefined {
  return limit > 0 || Object.keys(prices.allowances).length > 0 ? limit : undefined;
}

/** Computes the allowances of services without a stored one in a year, for reports on all services. */
export function listImpliedAllowances(country: Country, db: Db, year: number, now: Date): Promise<ImpliedAllowance[]> {
  return selectImplied(db, question(country, year, now, 'services without a row'));
}

/** Creates the allowances of active services at the start of a financial year. Returns the number of missing ones. */
export async function openFinancialYear(country: Country, tx: Tx, now: Date): Promise<number> {
  const year = country.calendar.financialYear(now);
  const missing = await selectImplied(tx, question(country, year, now, 'active services without a row'));
  await insertMissingAllowances(tx, missing, timestamp(now));
  return missing.length;
}

async function impliedAllowance(
  country: Country,
  db: Db,
  serviceId: string,
  year: number,
  now: Date,
): Promise<ImpliedAllowance> {
  const [implied] = await selectImplied(db, question(country, year, now, { service_id: serviceId }));
  if (!implied) throw notFound();
  return implied;
}

/** High volume is measured in the year before the current one, whatever the requested year. */
function question(
  { calendar, prices }: Country,
  year: number,
  now: Date,
  which: ImpliedQuestion['which'],
): ImpliedQuestion {
  const current = calendar.financialYear(now);
  return {
    year,
    volumeDays: calendar.financialYearDays(current - 1),
    highVolume: prices.highVolume,
    which,
  };
}

export async function createAllowances(app: Platform): Promise<void> {
  const services = await inTransaction(app.db, (tx) => openFinancialYear(app.country, tx, app.clock.now()));
  app.log.info({ event: 'allowances.created', services }, 'Created the allowances of the financial year');
}
