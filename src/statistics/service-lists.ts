import { financialYear, financialYearDays } from '../platform/calendar.ts';
import type { Platform } from '../platform/platform.ts';
import { spansOf, withinRecords } from '../platform/spans.ts';
import type { InStores } from '../stores/stores.ts';
import { type LiveService, selectLiveServicesSince, selectMonthsOfServices } from './service-lists.sql.ts';

type InDatabase = Pick<Platform, 'store' | 'db' | 'clock'>;
type Deps = InDatabase & InStores<InDatabase>;

/** Returns JSON with one line per month, service and type, which the front end exports as a spreadsheet. */
export async function listMonthsOfServices(
  { stores }: Deps,
  query: { start_date: string; end_date: string },
): Promise<string> {
  const days = withinRecords({ first_day: query.start_date, last_day: query.end_date });
  const [first = '[]', ...others] = await stores.collect(async ({ db }) => [
    await selectMonthsOfServices(db, days, spansOf(days)),
  ]);
  if (others.length === 0) return first;
  const lines: MonthOfService[] = [first, ...others].flatMap((line) => JSON.parse(line));
  const order = ([month, service_id, , notification_type]: MonthOfService) =>
    `${month} ${service_id} ${notification_type}`;
  return JSON.stringify(lines.sort((one, other) => (order(one) < order(other) ? -1 : 1)));
}

type MonthOfService = [month: string, service_id: string, name: string, notification_type: string, ...counts: number[]];

/** Includes message counts of the current financial year. */
export async function listLiveServices({ stores, clock }: Deps): Promise<LiveService[]> {
  const year = financialYear(clock.now());
  const { first_day } = financialYearDays(year);
  const found = await stores.collect(async ({ db }) => [await selectLiveServicesSince(db, first_day, year)]);
  const [services = [], ...inOthers] = found;
  const counted = new Map(
    inOthers
      .flat()
      .filter(hasSent)
      .map((service) => [service.service_id, service]),
  );
  return services.map(({ live_date, ...service }) => ({
    ...service,
    ...countsOf(counted.get(service.service_id) ?? service),
    live_date: live_date && new Date(live_date).toUTCString(),
  }));
}

/** A service is counted in the store that it is at home in. */
type Counts = Pick<LiveService, 'sms_totals' | 'email_totals' | 'letter_totals'>;

function hasSent({ sms_totals, email_totals, letter_totals }: Counts): boolean {
  return sms_totals + email_totals + letter_totals > 0;
}

function countsOf({ sms_totals, email_totals, letter_totals }: Counts) {
  return { sms_totals, email_totals, letter_totals };
}
