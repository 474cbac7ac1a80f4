import { defaultRetentionDays } from '../notifications/retention.ts';
import { addDays, type Days, londonDay, londonInstant } from '../platform/calendar.ts';
import { firstIdAt } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import {
  countLive,
  countMessages,
  selectLiveServiceNames,
  selectMessagesByDay,
  selectProcessingTimes,
  upsertProcessingTime,
} from './performance-dashboard.sql.ts';

type Needs = Pick<Platform, 'db' | 'clock'>;

const everything: Days = { first_day: '2000-01-01', last_day: '2099-12-31' };

/** What the public may know: how much is sent, how fast, and by whom. */
export async function getPerformance({ db }: Needs, days: Days) {
  const [ever, byDay, processing_time, { services: live_service_count }, services_using_notify] = await Promise.all([
    countMessages(db, everything),
    selectMessagesByDay(db, days),
    selectProcessingTimes(db, days),
    countLive(db),
    selectLiveServiceNames(db),
  ]);
  return {
    total_notifications: ever.emails + ever.sms + ever.letters,
    email_notifications: ever.emails,
    sms_notifications: ever.sms,
    letter_notifications: ever.letters,
    notifications_by_type: byDay,
    processing_time,
    live_service_count,
    services_using_notify,
  };
}

/** The last week, today included, unless the days are given. */
export function performanceDays(now: Date, asked: { start_date?: string; end_date?: string }): Days {
  const last_day = asked.end_date ?? londonDay(now);
  return { first_day: asked.start_date ?? addDays(last_day, -7), last_day };
}

export function countLiveServices({ db }: Needs) {
  return countLive(db);
}

/** Yesterday is over: how fast was it? Days before it are counted too if nothing ran then, while their messages are there. */
export async function recordProcessingTime({ db, clock }: Needs): Promise<void> {
  const yesterday = addDays(londonDay(clock.now()), -1);
  const earliest = addDays(yesterday, 2 - defaultRetentionDays);
  const last = (await selectProcessingTimes(db, { ...everything, last_day: addDays(yesterday, -1) })).at(-1)?.date;
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
