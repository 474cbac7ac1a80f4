import { addDays, type Days } from '../countries/calendar.ts';
import type { Db } from '../platform/db/database.ts';
import { firstIdAt } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import { defaultRetentionDays } from '../services/settings/data-retention.ts';
import {
  countLive,
  countMessages,
  selectLiveServiceNames,
  selectMessagesByDay,
  selectProcessingTimes,
  upsertProcessingTime,
} from './performance-dashboard.sql.ts';

const allDays: Days = { first_day: '2000-01-01', last_day: '2099-12-31' };

/** Returns public figures: message volumes, processing times and live services. */
export async function getPerformance(db: Db, days: Days) {
  const [allTime, byDay, processing_time, { services: live_service_count }, services_using_notify] = await Promise.all([
    countMessages(db, allDays),
    selectMessagesByDay(db, days),
    selectProcessingTimes(db, days),
    countLive(db),
    selectLiveServiceNames(db),
  ]);
  return {
    total_notifications: allTime.emails + allTime.sms + allTime.letters,
    email_notifications: allTime.emails,
    sms_notifications: allTime.sms,
    letter_notifications: allTime.letters,
    notifications_by_type: byDay,
    processing_time,
    live_service_count,
    services_using_notify,
  };
}

/** Defaults to the last week including today. */
export function performanceDays(today: string, query: { start_date?: string; end_date?: string }): Days {
  const last_day = query.end_date ?? today;
  return { first_day: query.start_date ?? addDays(last_day, -7), last_day };
}

export function countLiveServices(db: Db) {
  return countLive(db);
}

/** Records yesterday, and earlier days missed by failed runs, as far back as their messages are retained. */
export async function recordProcessingTime({ db, clock, country: { calendar } }: Platform): Promise<void> {
  const yesterday = addDays(calendar.day(clock.now()), -1);
  const earliest = addDays(yesterday, 2 - defaultRetentionDays);
  const last = (await selectProcessingTimes(db, { ...allDays, last_day: addDays(yesterday, -1) })).at(-1)?.date;
  const next = last === undefined ? yesterday : addDays(last, 1);
  const [, first_day = yesterday] = [next, earliest].sort();
  for (let day = first_day; day <= yesterday; day = addDays(day, 1)) {
    await upsertProcessingTime(db, {
      london_day: day,
      first_id: firstIdAt(calendar.start(day)),
      end_id: firstIdAt(calendar.start(addDays(day, 1))),
    });
  }
}
