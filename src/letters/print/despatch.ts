import type { Country } from '../../countries/country.ts';
import type { ChangedNotification } from '../../notifications/notification.ts';
import { recordStatusChanges } from '../../notifications/status.ts';
import { timestamp } from '../../platform/clock.ts';
import { inTransaction, type Tx } from '../../platform/db/database.ts';
import type { Platform } from '../../platform/platform.ts';
import { insertDespatches, selectLettersToDespatch } from './print-run.sql.ts';

/** The printer's report that it posted a letter. */
interface Despatch {
  notification_id: string;
  despatched_at: Date;
  cost_threshold: CostThreshold;
}

interface PostedLetter {
  notification_id: string;
  sheets: number;
}

/** The printer's postal rate, which is lower for letters that it sorts itself. */
type CostThreshold = 'sorted' | 'unsorted';

function costThreshold(mailingProduct: string, postageClass: string): CostThreshold {
  const sorted = ['MM', 'MM ECONOMY'].includes(mailingProduct) && postageClass === '2ND';
  return sorted ? 'sorted' : 'unsorted';
}

/** Idempotent: repeated reports, and reports for letters with a final status, change nothing. */
export async function recordDespatches(
  country: Country,
  tx: Tx,
  despatches: Despatch[],
  now: Date,
): Promise<PostedLetter[]> {
  const changes = despatches.map(({ notification_id: id }) => ({
    id,
    status: 'delivered' as const,
    event: 'despatched' as const,
  }));
  const changed = await recordStatusChanges(country, tx, changes, now);
  if (changed.length === 0) return [];
  const letters = await selectLettersToDespatch(
    country,
    tx,
    changed.map(({ id }) => id),
  );
  const byId = new Map(despatches.map((despatch) => [despatch.notification_id, despatch]));
  const rows = letters.flatMap(({ id, service_id, postage, billable_units }) => {
    const despatch = byId.get(id);
    if (!despatch) return [];
    return {
      notification_id: id,
      service_id,
      despatched_on: country.calendar.day(despatch.despatched_at),
      postage,
      sheets: billable_units,
      cost_threshold: despatch.cost_threshold,
      created_at: timestamp(now),
    };
  });
  await insertDespatches(tx, rows);
  return rows;
}

/** Records that the printer rejected the letters and will not post them. */
export async function recordRejections(
  country: Country,
  tx: Tx,
  ids: string[],
  now: Date,
): Promise<ChangedNotification[]> {
  const changes = ids.map((id) => ({ id, status: 'technical-failure' as const, event: 'givenUp' as const }));
  return recordStatusChanges(country, tx, changes, now);
}

export const jobStatuses = ['DESPATCHED', 'REJECTED'] as const;
export const postageClasses = ['1ST', '2ND', 'INTERNATIONAL'] as const;
export const mailingProducts = [
  'UNCODED',
  'MM UNSORTED',
  'UNSORTED',
  'MM',
  'INT EU',
  'INT ROW',
  'UNSORTEDE',
  'MM ECONOMY',
] as const;
export const sheetsPattern = '^[0-9]+$';

/** The printer's report about a letter, by API call or in a file. The last three fields are about a posted letter. */
export interface PrinterReport {
  notification_id: string;
  jobStatus: (typeof jobStatuses)[number];
  transitionDate: string;
  totalSheets: string;
  postageClass: string;
  mailingProduct: string;
}

/** Records reports of the printer. A letter with a final status does not change. Returns the number of changed letters. */
export async function recordPrinterReports(app: Platform, reports: PrinterReport[]): Promise<number> {
  const now = app.clock.now();
  const rejected = reports.filter(({ jobStatus }) => jobStatus === 'REJECTED');
  const posted = reports.filter(({ jobStatus }) => jobStatus === 'DESPATCHED');
  const despatches = posted.map(({ notification_id, transitionDate, mailingProduct, postageClass }) => ({
    notification_id,
    despatched_at: new Date(transitionDate),
    cost_threshold: costThreshold(mailingProduct, postageClass),
  }));
  const changed = await inTransaction(app.db, async (tx) => ({
    rejected: await recordRejections(
      app.country,
      tx,
      rejected.map(({ notification_id }) => notification_id),
      now,
    ),
    posted: await recordDespatches(app.country, tx, despatches, now),
  }));
  for (const { id } of changed.rejected) {
    app.log.error({ event: 'letter.rejected', notification_id: id }, 'The printer rejected a letter');
  }
  const reportedSheets = new Map(
    posted.map(({ notification_id, totalSheets }) => [notification_id, Number(totalSheets)]),
  );
  for (const { notification_id, sheets } of changed.posted) {
    const reported_sheets = reportedSheets.get(notification_id);
    if (sheets === reported_sheets) continue;
    app.log.warn(
      { event: 'letter.sheets_differ', notification_id, sheets, reported_sheets },
      'The printer reported a different number of sheets',
    );
  }
  return changed.rejected.length + changed.posted.length;
}
