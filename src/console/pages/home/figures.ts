import { getAllowance, mentionedAllowance } from '../../../billing/allowance.ts';
import { findKnownPrices } from '../../../billing/rates.ts';
import { listYearlyUsage } from '../../../billing/usage.ts';
import { addDays } from '../../../countries/calendar.ts';
import { countRefusedCallbacks } from '../../../delivery/callbacks/callback-history.ts';
import { summariseInbox } from '../../../inbound/inbound-texts.ts';
import { listJobs } from '../../../jobs/jobs.ts';
import { countReturnedLetters } from '../../../letters/returned/returned-letters.ts';
import { listRemainingToday } from '../../../notifications/limits/daily-limits.ts';
import { notFound } from '../../../platform/failure.ts';
import type { Channel } from '../../../protocol/channels.ts';
import {
  listDailyStatistics,
  noStatistics,
  type Statistics,
  statisticsByService,
} from '../../../services/service-statistics.ts';
import type { Service } from '../../../services/services.ts';
import { countByTemplateAndStatus } from '../../../templates/template-statistics.ts';
import { countUnsubscribes } from '../../../unsubscribe/unsubscribe-reports.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { countedToday } from '../../message-labels.ts';

const shownDays = 7;
const usualDays = 28;
const shownTemplates = 5;
const shownFiles = 5;

/** Reads everything that Home shows. Uses only rollups and indexes, and never counts messages. */
export async function readFigures(app: ConsoleApp, service: Service) {
  const now = app.clock.now();
  const year = app.country.calendar.financialYear(now);
  const sending = await app.sending.services.find(service.id);
  if (!sending) throw notFound();
  const [days, usual, templates, inbox, unsubscribes, returned, files, usage, allowance, left, refusedCallbacks] =
    await Promise.all([
      listDailyStatistics(app, service.id, shownDays),
      readUsualStatistics(app, service.id),
      countByTemplateAndStatus(app, service.id, shownDays - 1),
      summariseInbox(app, service.id),
      countUnsubscribes(app, service.id),
      countReturnedLetters(app, service.id),
      listJobs(app, service.id, { page: 1, limit_days: shownDays, statuses: ['scheduled', 'pending', 'in progress'] }),
      listYearlyUsage(app, service.id, year),
      getAllowance(app.country, app.db, service.id, year, now),
      listRemainingToday(app, sending),
      countRefusedCallbacks(app.db, service.id),
    ]);
  const known = await findKnownPrices(app);
  const texts = usage.find(({ notification_type }) => notification_type === 'sms');
  return {
    days,
    week: sumStatistics(days.map(({ counts }) => counts)),
    usual,
    templates: listMostUsed(templates),
    inbox,
    unsubscribes,
    returned,
    files: files.data.slice(0, shownFiles),
    /** Undefined if there are no prices. */
    cost: known.sms || known.letter ? usage.reduce((sum, { cost }) => sum + cost, 0) : undefined,
    parts: texts?.chargeable_units ?? 0,
    freeUsed: texts?.free_allowance_used ?? 0,
    free: mentionedAllowance(app.country, allowance.free_sms_fragment_limit),
    left: {
      email: { ...left.email, counted: countedToday(app, sending, 'email') },
      sms: { ...left.sms, counted: countedToday(app, sending, 'sms') },
      letter: { ...left.letter, counted: countedToday(app, sending, 'letter') },
    },
    refusedCallbacks,
  };
}

export type Figures = Awaited<ReturnType<typeof readFigures>>;

/** Reads the four weeks before the displayed period, to compare failure rates. */
async function readUsualStatistics({ db, clock, country }: ConsoleApp, serviceId: string): Promise<Statistics> {
  const last_day = addDays(country.calendar.day(clock.now()), -shownDays);
  const days = { first_day: addDays(last_day, 1 - usualDays), last_day };
  const found = await statisticsByService(db, days, { service_id: serviceId, with_test_keys: false });
  return found.get(serviceId) ?? noStatistics();
}

function sumStatistics(counts: Statistics[]): Statistics {
  const sum = noStatistics();
  for (const statistics of counts) {
    for (const channel of Object.keys(sum) as Channel[]) {
      sum[channel].requested += statistics[channel].requested;
      sum[channel].delivered += statistics[channel].delivered;
      sum[channel].failed += statistics[channel].failed;
    }
  }
  return sum;
}

interface UsedTemplate {
  id: string;
  name: string;
  count: number;
}

function listMostUsed(
  counted: { template_id: string; template_name: string; status: string; count: number }[],
): UsedTemplate[] {
  const templates = new Map<string, UsedTemplate>();
  for (const { template_id: id, template_name: name, status, count } of counted) {
    if (status === 'cancelled') continue;
    templates.set(id, { id, name, count: (templates.get(id)?.count ?? 0) + count });
  }
  return [...templates.values()].toSorted((a, b) => b.count - a.count).slice(0, shownTemplates);
}
