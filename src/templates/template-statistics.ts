import { addDays } from '../countries/calendar.ts';
import { type Timestamp, timestamp } from '../platform/clock.ts';
import { refuseUnlessExists } from '../platform/db/exists.ts';
import { invalid, invalidField } from '../platform/failure.ts';
import type { Platform } from '../platform/platform.ts';
import { isPrecompiled } from './template-record.ts';
import {
  selectLastUsedDay,
  selectMonthlyUsage,
  selectStatusCounts,
  selectUsedDays,
} from './template-statistics.sql.ts';
import { getTemplate } from './templates.ts';

/** Counts messages by template and status, for today and the given number of London days before. */
export async function countByTemplateAndStatus(app: Platform, serviceId: string, wholeDays: number) {
  if (wholeDays < 0 || wholeDays > 7) throw invalidField('whole_days', 'whole_days must be between 0 and 7');
  await refuseUnlessExists(app.db, 'services', serviceId);
  const since = addDays(app.country.calendar.day(app.clock.now()), -wholeDays);
  const counts = await selectStatusCounts(app.db, serviceId, since);
  return counts.map((row) => ({ ...row, is_precompiled_letter: isPrecompiled({ ...row, name: row.template_name }) }));
}

/** Returns the start of the London day on which the template was last used, or null. */
export async function getLastUsed(app: Platform, serviceId: string, templateId: string): Promise<Timestamp | null> {
  await getTemplate(app.db, serviceId, templateId);
  const day = await selectLastUsedDay(app.db, serviceId, templateId);
  return day === null ? null : timestamp(app.country.calendar.start(day));
}

/** Counts messages by template and month of a financial year. */
export async function countByTemplateAndMonth(app: Platform, serviceId: string, year: string | undefined) {
  if (year === undefined || !/^[0-9]{4}$/.test(year)) throw invalid('Year must be a number');
  await refuseUnlessExists(app.db, 'services', serviceId);
  const usage = await selectMonthlyUsage(app.db, serviceId, app.country.calendar.financialYearMonths(Number(year)));
  return usage.map((row) => ({ ...row, type: row.template_type, is_precompiled_letter: isPrecompiled(row) }));
}

/** Returns the last day on which each template was used, for templates used within the last week. */
export async function listUsedDays(app: Platform, serviceId: string): Promise<Map<string, string>> {
  const used = await selectUsedDays(app.db, serviceId, addDays(app.country.calendar.day(app.clock.now()), -7));
  return new Map(used.map(({ template_id, day }) => [template_id, day]));
}
