import { addDays, type Days, londonDay, londonInstant } from '../platform/calendar.ts';
import { percentage } from '../platform/decimal.ts';
import { firstIdAt } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import { defaultRetentionDays } from '../services/settings/data-retention.ts';
import { addUp } from '../stores/add-up.ts';
import type { InStores } from '../stores/stores.ts';
import {
  countLive,
  countMessages,
  selectLiveServiceNames,
  selectMessagesByDay,
  selectProcessingTimes,
  upsertProcessingTime,
} from './performance-dashboard.sql.ts';

type InDatabase = Pick<Platform, 'store' | 'db' | 'clock'>;
type Deps = InDatabase & InStores<InDatabase>;

const allDays: Days = { first_day: '2000-01-01', last_day: '2099-12-31' };

/** Public figures: message volumes, processing times and live services. */
export async function getPerformance({ db, stores }: Deps, days: Days) {
  const [[allTime = noMessages], byDay, times, { services: live_service_count }, services_using_notify] =
    await Promise.all([
      stores.collect(async (store) => [await countMessages(store.db, allDays)]).then(addUp),
      stores.collect((store) => selectMessagesByDay(store.db, days)).then(addUp),
      stores.collect((store) => selectProcessingTimes(store.db, days)).then(addUp),
      countLive(db),
      selectLiveServiceNames(db),
    ]);
  return {
    total_notifications: allTime.emails + allTime.sms + allTime.letters,
    email_notifications: allTime.emails,
    sms_notifications: allTime.sms,
    letter_notifications: allTime.letters,
    notifications_by_type: byDay.sort(byDate),
    processing_time: times.sort(byDate).map(({ date, messages, within_ten_seconds }) => ({
      date,
      // A day without messages counts as 100 %.
      percentage_under_10_seconds: messages === 0 ? 100 : percentage(within_ten_seconds, messages),
    })),
    live_service_count,
    services_using_notify,
  };
}

const noMessages = { emails: 0, sms: 0, letters: 0 };

function byDate(one: { date: string }, other: { date: string }): number {
  return one.date < other.date ? -1 : 1;
}

/** Defaults to the last week, today included. */
export function performanceDays(now: Date, query: { start_date?: string; end_date?: string }): Days {
  const last_day = query.end_date ?? londonDay(now);
  return { first_day: query.start_date ?? addDays(last_day, -7), last_day };
}

export function countLiveServices({ db }: Pick<Platform, 'db'>) {
  return countLive(db);
}

/** Records yesterday, and earlier days that a missed run left out, as far back as their messages are retained. */
export async function recordProcessingTime({ db, clock }: InDatabase): Promise<void> {
  const yesterday = addDays(londonDay(clock.now()), -1);
  const earliest = addDays(yesterday, 2 - defaultRetentionDays);
  const last = (await selectProcessingTimes(db, { ...allDays, last_day: addDays(yesterday, -1) })).at(-1)?.date;
  const next = last === undefined ? yesterday : addDays(last, 1);
  const [, first_day = yesterday] = [next, earliest].sort();
  for (let day = first_day; day <= yesterday; day = addDays(day, 1)) {
    await upsertProcessingTime(db, {
      london_day: day,
      first_id: firstIdAt(londonInstant(day)),
      end_id: firstIdAt(londonInstant(addDays(day, 1))),
    });
  }
}
