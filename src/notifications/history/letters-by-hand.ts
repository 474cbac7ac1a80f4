import { addDays, londonInstant } from '../../platform/calendar.ts';
import { earlier, hour_ms, later, type Timestamp, timestamp } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import { firstIdAt } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import type { CompiledTemplates } from '../../templates/compiled-templates.ts';
import { type ActivityRecord, activityRecords } from './activity-record.ts';
import { printCutOff } from './estimated-delivery.ts';
import { countByHand, countByPrintDay, type Span, selectByHand } from './letters-by-hand.sql.ts';
import type { Page } from './stored-notifications.sql.ts';

/** Letters that users of a service uploaded as PDF, by the day of their print run. */

type Deps = Platform & { compiledTemplates: CompiledTemplates };

/** One entry per day with letters; `at` is when the print run of the day begins. */
export async function listDaysByHand(db: Db, serviceId: string, since: Timestamp) {
  const days = await countByPrintDay(db, serviceId, {
    created_at: since,
    first_id: firstIdAt(earlier(new Date(since), hour_ms)),
  });
  return days.map(({ day, count }) => ({ at: runOf(day), count }));
}

function runOf(day: string): Date {
  return londonInstant(day, printCutOff.hour, printCutOff.minute);
}

export function countLettersByHand(db: Db, serviceId: string, day: string): Promise<number> {
  return countByHand(db, serviceId, spanOf(day));
}

export async function listLettersByHand(
  app: Deps,
  serviceId: string,
  day: string,
  page: Required<Page>,
): Promise<ActivityRecord[]> {
  return activityRecords(app, await selectByHand(app.db, serviceId, spanOf(day), page));
}

function spanOf(day: string): Span {
  const [from, to] = [runOf(addDays(day, -1)), runOf(day)];
  return {
    from: timestamp(from),
    to: timestamp(to),
    first_id: firstIdAt(earlier(from, hour_ms)),
    end_id: firstIdAt(later(to, hour_ms)),
  };
}
