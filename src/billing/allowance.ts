import { financialYear, financialYearDays } from '../platform/calendar.ts';
import { timestamp } from '../platform/clock.ts';
import type { Tx } from '../platform/db/database.ts';
import { invalid, notFound } from '../platform/failure.ts';
import type { Platform } from '../platform/platform.ts';
import type { Allowances } from '../services/allowances.ts';
import { mainStore } from '../stores/service-stores.ts';
import type { InStores, Stores } from '../stores/stores.ts';
import {
  type Allowance,
  type ImpliedAllowance,
  insertMissingAllowances,
  selectAllowance,
  selectDefault,
  selectHighVolume,
  selectImplied,
  selectOrganisationType,
  upsertAllowance,
  upsertLimit,
  type VolumeQuestion,
} from './allowance.sql.ts';

export type { ImpliedAllowance } from './allowance.sql.ts';

/** Free SMS fragments of a service in a financial year. */

const firstYear = 2016;

/** A service with this many chargeable units in the last financial year gets no free allowance. */
const highVolume_units = 300_000;

type InDatabase = Pick<Platform, 'store' | 'db'>;
/** Usage is in the store of the service. A transaction is one in the main database. */
type Deps = InDatabase & InStores<InDatabase>;
type InTransaction = Deps & { db: Tx };

/** Returns the stored allowance of a year, or computes it without storing it. */
export async function getAllowance(app: Deps, serviceId: string, year: number, now: Date): Promise<Allowance> {
  return (await selectAllowance(app.db, serviceId, year)) ?? (await impliedAllowance(app, serviceId, year, now));
}

/** Like `getAllowance`, but stores a computed allowance. */
export async function ensureAllowance(
  app: InTransaction,
  serviceId: string,
  year: number,
  now: Date,
): Promise<Allowance> {
  const stored = await selectAllowance(app.db, serviceId, year);
  if (stored) return stored;
  const implied = await impliedAllowance(app, serviceId, year, now);
  if (year < firstYear || year > financialYear(now)) throw invalid('Invalid financial year');
  await insertMissingAllowances(app.db, [implied], timestamp(now));
  return (await selectAllowance(app.db, serviceId, year)) ?? implied;
}

export function allowancesIn(stores: () => Stores<InDatabase>): Allowances {
  return {
    async create(tx, serviceId, now) {
      const question = { year: financialYear(now), which: { service_id: serviceId }, highVolume: [] };
      await insertMissingAllowances(tx, await selectImplied(tx, question), timestamp(now));
    },
    async reset(tx, serviceId, now) {
      const app = { store: mainStore, db: tx, stores: stores() };
      await upsertAllowance(tx, await impliedAllowance(app, serviceId, financialYear(now), now), timestamp(now));
    },
  };
}

/** Sets the limit of the current year only. */
export async function setAllowance(tx: Tx, serviceId: string, limit: number, now: Date): Promise<void> {
  const service = await selectOrganisationType(tx, serviceId);
  if (!service) throw notFound();
  const year = financialYear(now);
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

/** For reports on all services: the computed allowances of services without a stored one in a year. */
export async function listImpliedAllowances(app: Deps, year: number, now: Date): Promise<ImpliedAllowance[]> {
  const highVolume = await listHighVolume(app, now);
  return selectImplied(app.db, { year, which: 'services without a row', highVolume });
}

/** Creates the allowances of active services at the start of a financial year. Returns how many were missing. */
export async function openFinancialYear(app: InTransaction, now: Date): Promise<number> {
  const highVolume = await listHighVolume(app, now);
  const year = financialYear(now);
  const missing = await selectImplied(app.db, { year, which: 'active services without a row', highVolume });
  await insertMissingAllowances(app.db, missing, timestamp(now));
  return missing.length;
}

async function impliedAllowance(app: Deps, serviceId: string, year: number, now: Date): Promise<ImpliedAllowance> {
  const { db } = await app.stores.of(serviceId);
  const highVolume = await selectHighVolume(db, { ...highVolumeOf(now), service_id: serviceId });
  const [implied] = await selectImplied(app.db, { year, which: { service_id: serviceId }, highVolume });
  if (!implied) throw notFound();
  return implied;
}

function listHighVolume({ stores }: Deps, now: Date): Promise<string[]> {
  return stores.collect(({ db }) => selectHighVolume(db, highVolumeOf(now)));
}

/** High volume is measured in the year before the current one, whatever the requested year. */
function highVolumeOf(now: Date): VolumeQuestion {
  const current = financialYear(now);
  return {
    from: financialYearDays(current - 1).first_day,
    before: financialYearDays(current).first_day,
    chargeable_units: highVolume_units,
  };
}
