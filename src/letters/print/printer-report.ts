import { inTransaction } from '../../platform/db/database.ts';
import type { Platform } from '../../platform/platform.ts';
import { costThreshold, recordDespatches, recordRejections } from './despatch.ts';

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

/** What the printer says about a letter, by a call or in a file. The last three are about a posted letter. */
export interface PrinterReport {
  notification_id: string;
  jobStatus: (typeof jobStatuses)[number];
  transitionDate: string;
  totalSheets: string;
  postageClass: string;
  mailingProduct: string;
}

/** Records reports of the printer. A letter with a final status does not change. Returns how many letters changed. */
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
      tx,
      rejected.map(({ notification_id }) => notification_id),
      now,
    ),
    posted: await recordDespatches(tx, despatches, now),
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
