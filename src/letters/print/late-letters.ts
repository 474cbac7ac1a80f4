import { printRun_ms } from '../../countries/letter-days.ts';
import { day_ms, timestamp } from '../../platform/clock.ts';
import type { Platform } from '../../platform/platform.ts';
import { countLateLetters } from '../letters.sql.ts';

const scan_ms = 600_000;
const failuresShownFor_ms = 3 * day_ms;

const alerts = {
  not_printed: { event: 'letters.unprinted', message: 'Letters missed their print run' },
  not_despatched: {
    event: 'letters.overdue',
    message: 'Letters have been at the printer for two working days',
  },
  not_scanned: {
    event: 'letters.unscanned',
    message: 'Uploaded letters have been waiting for a virus scan for ten minutes',
  },
  failed: { event: 'letters.failed', message: 'Letters became technical failures in the last three days' },
} as const;

type Problem = keyof typeof alerts;

function find({ db, clock, country: { letterDays } }: Platform): Promise<Record<Problem, number>> {
  const now = clock.now().getTime();
  const lastRun = letterDays.lastRun(new Date(now - printRun_ms));
  return countLateLetters(db, {
    accepted_before: timestamp(lastRun),
    handed_over_before: timestamp(letterDays.twoDaysBefore(lastRun)),
    uploaded_before: timestamp(new Date(now - scan_ms)),
    failed_after: timestamp(new Date(now - failuresShownFor_ms)),
  });
}

/** Alerts the operator before recipients notice. */
export async function checkLetters(app: Platform): Promise<void> {
  for (const [problem, letters] of Object.entries(await find(app))) {
    if (letters === 0) continue;
    const { event, message } = alerts[problem as Problem];
    app.log.error({ event, problem, letters }, message);
  }
}

const cacheFor_ms = 300_000;

/** Provides the same numbers as a metric. The query scans all letters, so its result is cached between scrapes. */
export function measureLetters(app: Platform): void {
  let cached: { at: number; found: ReturnType<typeof find> } | undefined;
  app.metrics.gauges('late_letters', 'Letters that need attention, by problem', ['problem'], async () => {
    const now = app.clock.now().getTime();
    if (!cached || Math.abs(now - cached.at) >= cacheFor_ms) cached = { at: now, found: find(app) };
    return Object.entries(await cached.found).map(([problem, value]) => ({ labels: { problem }, value }));
  });
}
