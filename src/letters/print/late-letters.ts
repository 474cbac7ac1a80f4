import { isWorkingDay, printCutOff } from '../../notifications/history/estimated-delivery.ts';
import { addDays, londonDay, londonInstant } from '../../platform/calendar.ts';
import { day_ms, earlier, hour_ms, timestamp } from '../../platform/clock.ts';
import type { Platform } from '../../platform/platform.ts';
import { countLateLetters } from '../letters.sql.ts';

/** A print run goes on for some hours: letters that were still being drawn at the cut-off are taken later. */
const printRun_ms = 5 * hour_ms;
const scan_ms = 600_000;
const failuresShownFor_ms = 3 * day_ms;

const sentences = {
  not_printed: 'letters missed their print run',
  not_despatched: 'letters are at the printer’s for two working days',
  not_scanned: 'uploaded letters wait for their virus scan for ten minutes',
  failed: 'letters failed technically in the last three days',
} as const;

type Problem = keyof typeof sentences;

function find({ db, clock }: Pick<Platform, 'db' | 'clock'>): Promise<Record<Problem, number>> {
  const now = clock.now().getTime();
  const lastRun = printRunBefore(new Date(now - printRun_ms));
  return countLateLetters(db, {
    accepted_before: timestamp(lastRun),
    handed_over_before: timestamp(printRunBefore(earlier(printRunBefore(lastRun), 1))),
    uploaded_before: timestamp(new Date(now - scan_ms)),
    failed_after: timestamp(new Date(now - failuresShownFor_ms)),
  });
}

/** The newest cut-off until then, of a day on which letters are printed. */
function printRunBefore(moment: Date): Date {
  for (let day = londonDay(moment); ; day = addDays(day, -1)) {
    const cutOff = londonInstant(day, printCutOff.hour, printCutOff.minute);
    if (isWorkingDay(day) && cutOff <= moment) return cutOff;
  }
}

/** Somebody should know before the recipients do. */
export async function checkLetters(app: Pick<Platform, 'db' | 'clock' | 'log'>): Promise<void> {
  for (const [problem, letters] of Object.entries(await find(app))) {
    if (letters > 0) app.log.error({ problem, letters }, sentences[problem as Problem]);
  }
}

const fresh_ms = 300_000;

/** The same for whoever scrapes; all letters are looked at for it, so not at every scrape. */
export function measureLetters(app: Pick<Platform, 'metrics' | 'db' | 'clock'>): void {
  let known: { at: number; found: ReturnType<typeof find> } | undefined;
  app.metrics.gauges('late_letters', 'Letters that somebody should look after, by problem', ['problem'], async () => {
    const now = app.clock.now().getTime();
    if (!known || Math.abs(now - known.at) >= fresh_ms) known = { at: now, found: find(app) };
    return Object.entries(await known.found).map(([problem, value]) => ({ labels: { problem }, value }));
  });
}
