import { addDays } from '../../countries/calendar.ts';
import type { Country } from '../../countries/country.ts';
import { inTransaction, type Tx } from '../../platform/db/database.ts';
import { Failure } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Channel } from '../../protocol/channels.ts';
import { unitOn } from '../../services/settings/text-unit.ts';
import type { LimitedChannel } from '../notification.ts';
import type { SendingService } from '../sending/sending-service.ts';
import {
  addToYearCounts,
  listYears,
  lockYearCounts,
  type Reserved,
  recountYear,
  selectYearCount,
  subtractFromYears,
  type YearOfLimit,
} from './annual-limits.sql.ts';

/** Limits per financial year of the country, in its time zone. Few services have them, so for services without them nothing is counted. */

/** An annual limit that a message counts towards. */
export interface AnnualQuota extends YearOfLimit {
  limit: number;
}

const none: readonly AnnualQuota[] = [];

/**
 * Lists the limit of the service first, then that of its organisation. An organisation counts messages, because its services may use
 * different units.
 */
export function annualQuotas(
  { calendar, limitCalendar }: Country,
  { annual_limits, text_unit }: Pick<SendingService, 'annual_limits' | 'text_unit'>,
  channel: Channel,
  at: () => Date,
): readonly AnnualQuota[] {
  if (annual_limits.length === 0) return none;
  const now = at();
  const year_start = startOfYear(calendar, now);
  const ofService = channel === 'sms' ? unitOn(text_unit, limitCalendar.day(now)) : 'messages';
  return annual_limits.flatMap(({ owner_kind, owner_id, limits }) => {
    const limit = limits[channel];
    return limit === null
      ? []
      : [
          {
            ...{ owner_kind, owner_id, year_start, channel, limit },
            unit: owner_kind === 'service' ? ofService : 'messages',
          },
        ];
  });
}

/** Contains no Retry-After header, because it may be months. */
export function annualLimitExceeded(
  { restricted }: Pick<SendingService, 'restricted'>,
  { owner_kind, limit, channel }: AnnualQuota,
): Failure {
  const name = owner_kind === 'service' ? 'annual' : 'annual of organisation';
  return new Failure('too-many', 'TooManyRequestsError', `Exceeded send limits (${name}: ${limit}) for this year`, {
    reason: 'annual_limit',
    facts: { channel, restricted, limit },
  });
}

/** Returns when the annual counts start again. */
export function endOfYear({ calendar }: Country, now: Date): Date {
  const { last_day } = calendar.financialYearDays(calendar.financialYear(now));
  return calendar.start(addDays(last_day, 1));
}

/**
 * Locks and reads counters until the transaction ends. A new counter starts with what was accepted so far, because nothing was counted
 * before there was a limit. `exceptJob` is a file that is about to reserve its rows.
 */
export async function lockYears(tx: Tx, years: readonly YearOfLimit[], exceptJob?: string): Promise<number[]> {
  if (years.length === 0) return [];
  const counts: number[] = [];
  for (const [index, { count, is_new }] of (await lockYearCounts(tx, years)).entries()) {
    const year = years[index];
    counts.push(is_new && year ? await recountYear(tx, year, exceptJob) : count);
  }
  return counts;
}

/** Reserves all messages of a file in every annual counter, or none. Returns the limit that prevents it and its remainder. */
export async function reserveInYears(
  tx: Tx,
  quotas: readonly AnnualQuota[],
  reserved: Reserved,
  job: string | undefined,
): Promise<{ quota: AnnualQuota; remaining: number } | undefined> {
  const counts = await lockYears(tx, quotas, job);
  for (const [index, quota] of quotas.entries()) {
    const remaining = Math.max(0, quota.limit - (counts[index] ?? 0));
    if (amountIn(quota, reserved) > remaining) return { quota, remaining };
  }
  await addToYearCounts(
    tx,
    quotas.map((quota) => ({ ...quota, added: amountIn(quota, reserved) })),
  );
  return undefined;
}

const amountIn = ({ unit }: AnnualQuota, { messages, parts }: Reserved) =>
  unit === 'parts' ? (parts ?? messages) : messages;

/** Returns the first annual limit with less left than a file needs. */
export async function findExceededYear(
  { country, clock, db }: Platform,
  service: Pick<SendingService, 'annual_limits' | 'text_unit'>,
  channel: Channel,
  needed: Reserved,
): Promise<{ quota: AnnualQuota; needed: number; remaining: number } | undefined> {
  for (const quota of annualQuotas(country, service, channel, () => clock.now())) {
    const remaining = Math.max(0, quota.limit - (await selectYearCount(db, quota)));
    const amount = amountIn(quota, needed);
    if (amount > remaining) return { quota, needed: amount, remaining };
  }
  return undefined;
}

/** Increments `limit_refusals_total`, which counts messages and files rejected by a daily or annual limit. */
export function countRefusal(
  { metrics }: Pick<Platform, 'metrics'>,
  period: 'day' | 'year',
  channel: LimitedChannel,
): void {
  metrics
    .counter('limit_refusals_total', 'Messages that a limit of the service refused', ['period', 'channel'])
    .inc({ period, channel });
}

/** Returns how much of the limit is used. */
export function countUsed({ db }: Pick<Platform, 'db'>, quota: AnnualQuota): Promise<number> {
  return selectYearCount(db, quota);
}

/** Returns messages that were reserved at that moment to the limits that count them. */
export async function returnInYears(
  tx: Tx,
  { calendar }: Country,
  { service_id, channel, at }: { service_id: string; channel: Channel; at: Date },
  returned: Reserved,
): Promise<void> {
  await subtractFromYears(tx, { service_id, channel, year_start: startOfYear(calendar, at) }, returned);
}

/** Returns the first day of the financial year that contains a moment. */
export function startOfYear(calendar: Country['calendar'], at: Date): string {
  return calendar.financialYearDays(calendar.financialYear(at)).first_day;
}

/**
 * Compares the counters of this year with the statistics and corrects them. They differ if a process did not know about a new limit yet.
 */
export async function reconcileAnnualCounts(app: Platform): Promise<void> {
  const year_start = startOfYear(app.country.calendar, app.clock.now());
  const corrected = app.metrics.counter('annual_counts_corrected_total', 'Counters of years that were corrected', []);
  for (const year of await listYears(app.db, year_start)) {
    const [before, after] = await inTransaction(app.db, async (tx) => {
      const [count] = await lockYears(tx, [year]);
      return [count, await recountYear(tx, year)] as const;
    });
    if (before === after) continue;
    corrected.inc();
    const { owner_kind, owner_id, channel } = year;
    app.log.info({ event: 'annual_count.corrected', owner_kind, owner_id, channel, before, after }, 'Count corrected');
  }
}
