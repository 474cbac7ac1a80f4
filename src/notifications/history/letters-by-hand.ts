import { addDays } from '../../countries/calendar.ts';
import type { LetterDays } from '../../countries/letter-days.ts';
import { earlier, hour_ms, later, type Timestamp, timestamp } from '../../platform/clock.ts';
import { firstIdAt } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import type { CompiledTemplates } from '../../templates/compiled-templates.ts';
import { type ActivityRecord, activityRecords } from './activity-record.ts';
import { countByHand, countByPrintRun, type Span, selectByHand } from './letters-by-hand.sql.ts';
import type { Page } from './stored-notifications.sql.ts';

/** Letters that users of a service uploaded as PDF, by the day of their print run. */

type Deps = Platform & { compiledTemplates: CompiledTemplates };

/** Returns one entry per day with letters; `at` is the start of the day's print run. */
export async function listDaysByHand({ db, clock, country }: Platform, serviceId: string, since: Timestamp) {
  const first = country.calendar.day(new Date(since));
  // Clocks of several processes may differ, so the list ends a day later than the last possible letter.
  const last = addDays(country.calendar.day(clock.now()), 2);
  const runs: Date[] = [];
  for (let day = first; day <= last; day = addDays(day, 1)) runs.push(country.letterDays.cutOffOf(day));
  const counts = await countByPrintRun(db, serviceId, runs.map(timestamp), {
    created_at: since,
    first_id: firstIdAt(earlier(new Date(since), hour_ms)),
  });
  return counts.flatMap(({ run, count }) => {
    const at = runs[run];
    return at ? [{ at, count }] : [];
  });
}

export function countLettersByHand({ db, country }: Platform, serviceId: string, day: string): Promise<number> {
  return countByHand(db, serviceId, spanOf(country.letterDays, day));
}

export async function listLettersByHand(
  app: Deps,
  serviceId: string,
  day: string,
  page: Required<Page>,
): Promise<ActivityRecord[]> {
  return activityRecords(app, await selectByHand(app.db, serviceId, spanOf(app.country.letterDays, day), page));
}

function spanOf(days: LetterDays, day: string): Span {
  const [from, to] = [days.cutOffOf(addDays(day, -1)), days.cutOffOf(day)];
  return {
    from: timestamp(from),
    to: timestamp(to),
    first_id: firstIdAt(earlier(from, hour_ms)),
    end_id: firstIdAt(later(to, hour_ms)),
  };
}
