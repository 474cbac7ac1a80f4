import { countComplaints } from '../../complaints/complaints.ts';
import { addDays } from '../../countries/calendar.ts';
import type { Country } from '../../countries/country.ts';
import type { Holidays } from '../../countries/holidays.ts';
import { summariseWaitingCallbacks } from '../../delivery/callbacks/callback-history.ts';
import { readProviderStates } from '../../delivery/failover/provider-states.ts';
import type { ProviderDescriptor } from '../../delivery/providers/descriptor.ts';
import type { ActiveProviders } from '../../delivery/providers/settings.ts';
import type { DeliverySettings } from '../../delivery/settings.ts';
import { summariseStalledJobs } from '../../jobs/unfinished-jobs.ts';
import { listLaneDepths, listRetries } from '../../notifications/queue/delivery-queue.ts';
import type { GuardSettings } from '../../notifications/settings.ts';
import { minute_ms } from '../../platform/clock.ts';
import type { Platform } from '../../platform/platform.ts';
import { statisticsByService } from '../../services/service-statistics.ts';
import { countLockedPeople } from '../../users/users.ts';
import type { LiveChecks } from './live-checks.ts';
import {
  countGoLiveRequests,
  selectDatabaseFacts,
  selectServiceNames,
  selectUnfinishedLetters,
} from './overview.sql.ts';
import { type Facts, findProblems, providersInUse } from './verdict.ts';

type Deps = Platform & {
  config: ActiveProviders & { delivery: DeliverySettings; guard: GuardSettings };
  providers: readonly ProviderDescriptor[];
};

const shownSenders = 5;
/** Older letters have been given up, so nobody waits for them. */
const lettersSince_days = 90;

/** Reads everything on the operator's overview from rollups and indexes, never by counting messages. */
export async function readOverview(app: Deps, { checks, rate }: { checks: LiveChecks; rate: AcceptedRate }) {
  const { db, clock, config } = app;
  const now = clock.now();
  const today = app.country.calendar.day(now);
  const began = performance.now();
  const database = await selectDatabaseFacts(db);
  const response_ms = performance.now() - began;
  const [
    health,
    lanes,
    retries,
    findings,
    late_letters,
    stalled_files,
    callbacks,
    go_live_requests,
    locked_people,
    complaints,
    senders,
  ] = await Promise.all([
    readProviderStates(app),
    listLaneDepths(app),
    listRetries(app),
    checks.list(),
    selectUnfinishedLetters(db, letterDays(app.country, today)),
    summariseStalledJobs(app),
    summariseWaitingCallbacks(app),
    countGoLiveRequests(db),
    countLockedPeople(db),
    countComplaints(app, { start_date: today, end_date: today }),
    listSendersOfDay(app, today),
  ]);
  const facts: Facts = {
    now,
    providers: health.states,
    in_use: { sms: config.sms.providers, email: config.email.providers },
    receipt_advice: new Map(
      app.providers.flatMap(({ name, receiptAdvice }) => (receiptAdvice ? [[name, receiptAdvice]] : [])),
    ),
    lanes,
    retries,
    retried_for_ms: Math.min(config.delivery.expiry_ms, config.delivery.maxRetries * config.delivery.retryDelay_ms),
    workers: database.workers,
    findings,
    late_letters,
    stalled_files,
    callbacks,
  };
  return {
    now,
    problems: findProblems(facts),
    providers: [...providersInUse(facts, 'sms'), ...providersInUse(facts, 'email')],
    periods: health.periods,
    lanes,
    retries,
    late_letters,
    callbacks,
    waiting: { go_live_requests, locked_people, complaints },
    senders: senders.top,
    accepted: { today: senders.accepted, per_minute: rate.perMinute(today, senders.accepted) },
    findings,
    database: { ...database, response_ms },
  };
}

export type Overview = Awaited<ReturnType<typeof readOverview>>;

/** Letters usually spend two working days at the printer. */
function letterDays({ holidays }: Country, today: string) {
  const [printed_before, , despatched_before] = workingDaysBefore(holidays, today, 3);
  return {
    first_day: addDays(today, -lettersSince_days),
    printed_before: addDays(printed_before ?? today, -1),
    despatched_before: addDays(despatched_before ?? today, -1),
  };
}

/** Returns the days, latest first. */
function workingDaysBefore(holidays: Holidays, day: string, length: number): string[] {
  const days: string[] = [];
  for (let at = addDays(day, -1); days.length < length; at = addDays(at, -1)) {
    if (holidays.isWorkingDay(at)) days.push(at);
  }
  return days;
}

async function listSendersOfDay({ db }: Platform, day: string) {
  const found = await statisticsByService(db, { first_day: day, last_day: day }, { with_test_keys: false });
  const all = [...found].map(([id, counts]) => ({
    id,
    count: Object.values(counts).reduce((sum, { requested }) => sum + requested, 0),
  }));
  const top = all.toSorted((one, other) => other.count - one.count).slice(0, shownSenders);
  const names = await selectServiceNames(
    db,
    top.map(({ id }) => id),
  );
  const nameOf = new Map(names.map(({ id, name }) => [id, name]));
  return {
    accepted: all.reduce((sum, { count }) => sum + count, 0),
    top: top.filter(({ count }) => count > 0).map(({ id, count }) => ({ id, count, name: nameOf.get(id) ?? '' })),
  };
}

interface Sample {
  at: number;
  day: string;
  total: number;
}

/** A shorter time gives no reliable rate. */
const least_ms = 10_000;
const most_ms = 90_000;

/** Computes the messages accepted per minute from the daily totals that pages read. */
export class AcceptedRate {
  private samples: Sample[] = [];

  /** Returns undefined for the first seconds. A new day begins with a total of 0. */
  perMinute(day: string, total: number): number | undefined {
    const at = performance.now();
    this.samples = this.samples.filter((sample) => sample.day === day && sample.at > at - most_ms);
    this.samples.push({ at, day, total });
    const [first] = this.samples;
    if (!first || at - first.at < least_ms) return undefined;
    return Math.max(0, Math.round(((total - first.total) * minute_ms) / (at - first.at)));
  }
}
