import type { Days } from '../countries/calendar.ts';
import type { Country } from '../countries/country.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { invalidField, notFound } from '../platform/failure.ts';
import type { Platform } from '../platform/platform.ts';
import { isTrue } from '../protocol/fields.ts';
import { getRecentStatistics, noStatistics, type Statistics, statisticsByService } from './service-statistics.ts';
import {
  lockService,
  type ServiceQuery,
  selectGoLiveRequests,
  selectService,
  selectServices,
  selectServicesByName,
  selectServicesBySearch,
} from './services.sql.ts';

export type { ServiceState } from './services.sql.ts';

export type Service = NonNullable<Awaited<ReturnType<typeof selectService>>>;

export async function findService(db: Db, id: string): Promise<Service | undefined> {
  return selectService(db, id);
}

export async function getService(db: Db, id: string): Promise<Service> {
  const service = await findService(db, id);
  if (!service) throw notFound();
  return service;
}

/** Returns the whole row and locks it until the transaction ends. */
export async function getServiceForUpdate(tx: Tx, id: string) {
  const service = await lockService(tx, id);
  if (!service) throw notFound();
  return service;
}

export async function findServicesByName(db: Db, name: string | undefined) {
  if (!name) throw invalidField('service_name', 'Missing data for required field.');
  return selectServicesByName(db, name);
}

/** Sorted by name, archived services last. */
export function searchServices(db: Db, query: ServiceQuery) {
  return selectServicesBySearch(db, query);
}

/** Sorted by waiting time, longest first. */
export function listGoLiveRequests(db: Db, limit: number) {
  return selectGoLiveRequests(db, limit);
}

/** The part of billing that services use. Billing is above services, so it is passed in. */
export interface Allowances {
  /**
   * Recomputes and overwrites the allowance of the current year. Used for a new service, a service that joins an organisation, and the
   * services of an organisation whose type changes.
   */
  reset(country: Country, tx: Tx, serviceId: string, now: Date): Promise<void>;
}

interface ListQuery {
  only_active?: string;
  detailed?: string;
  user_id?: string;
  include_from_test_key?: string;
  start_date?: string;
  end_date?: string;
}

type Listed = Service & { statistics?: Statistics };

export async function listServices(app: Platform, query: ListQuery): Promise<Listed[]> {
  const only_active = isTrue(query.only_active);
  const days = daysOf(query, app.country.calendar.day(app.clock.now()));
  if (query.user_id !== undefined) return selectServices(app.db, { user_id: query.user_id, only_active });
  if (!isTrue(query.detailed)) return selectServices(app.db, { only_active });
  return listWithStatistics(app, { only_active, days, with_test_keys: isTrue(query.include_from_test_key, true) });
}

/** Runs two queries for any number of services. A past range lists only services that sent messages in it. */
async function listWithStatistics(
  { db, clock, country }: Platform,
  options: { only_active: boolean; days: Days; with_test_keys: boolean },
): Promise<Listed[]> {
  const { only_active, days, with_test_keys } = options;
  const today = country.calendar.day(clock.now());
  const everyone = days.first_day <= today && today <= days.last_day;
  const counting = statisticsByService(db, days, { with_test_keys });
  const [services, statistics] = await Promise.all([
    everyone
      ? selectServices(db, { only_active })
      : counting.then((found) => selectServices(db, { only_active, ids: [...found.keys()] })),
    counting,
  ]);
  return services.map((service) =>
    Object.assign(service, { statistics: statistics.get(service.id) ?? noStatistics() }),
  );
}

/** Defaults to today; with only one end given, the range extends to today. */
function daysOf({ start_date, end_date }: ListQuery, today: string): Days {
  if (start_date !== undefined && end_date !== undefined && start_date > end_date) {
    throw invalidField('start_date', 'Start date must be before end date');
  }
  const first_day = start_date ?? (end_date !== undefined && end_date < today ? end_date : today);
  const last_day = end_date ?? (start_date !== undefined && start_date > today ? start_date : today);
  return { first_day, last_day };
}

export async function getServiceForQuery(
  app: Platform,
  id: string,
  query: { detailed?: string; today_only?: string },
): Promise<Listed> {
  const service = await getService(app.db, id);
  if (!isTrue(query.detailed)) return service;
  return { ...service, statistics: await getRecentStatistics(app, id, { today_only: isTrue(query.today_only) }) };
}
