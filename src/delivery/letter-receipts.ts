import { costThreshold, recordDespatches, recordRejection } from '../letters/despatch.ts';
import { inTransaction } from '../platform/db/database.ts';
import { Failure, invalid } from '../platform/failure.ts';
import type { Platform } from '../platform/platform.ts';

export interface PrintReport {
  jobId: string;
  jobStatus: 'DESPATCHED' | 'REJECTED';
  transitionDate: string;
  despatchProperties?: { key: string; value: unknown }[];
}

const postageClasses = ['1ST', '2ND', 'INTERNATIONAL'];
const mailingProducts = ['UNCODED', 'MM UNSORTED', 'UNSORTED', 'MM', 'INT EU', 'INT ROW', 'UNSORTEDE', 'MM ECONOMY'];

/** Posted or not. A report about a letter that already ended, or that is gone, changes nothing. */
export async function recordPrintReport(app: Platform, notificationId: string, report: PrintReport): Promise<void> {
  if (report.jobId.toLowerCase() !== notificationId.toLowerCase()) {
    throw invalid('Notification ID in letter callback data does not match ID in token');
  }
  const now = app.clock.now();
  if (report.jobStatus === 'REJECTED') {
    app.log.warn({ notification_id: notificationId }, 'the printer rejected a letter');
    await inTransaction(app.db, (tx) => recordRejection(tx, notificationId, now));
    return;
  }
  const { postageClass, mailingProduct } = despatchProperties(report);
  const despatch = {
    notification_id: notificationId,
    despatched_at: new Date(report.transitionDate),
    cost_threshold: costThreshold(mailingProduct, postageClass),
  };
  await inTransaction(app.db, (tx) => recordDespatches(tx, [despatch], now));
}

function despatchProperties({ despatchProperties: list }: PrintReport) {
  if (!list) throw schemaFailure('despatchProperties is a required property');
  const valueAt = (key: string) => list.find((property) => property.key === key)?.value;
  const oneOf = (key: string, allowed: string[]) => {
    const value = String(valueAt(key));
    if (!allowed.includes(value)) throw schemaFailure(`data ${value} is not one of [${allowed.join(', ')}]`);
    return value;
  };
  if (valueAt('totalSheets') === undefined) throw schemaFailure('totalSheets is a required property');
  return {
    postageClass: oneOf('postageClass', postageClasses),
    mailingProduct: oneOf('mailingProduct', mailingProducts),
  };
}

function schemaFailure(text: string): Failure {
  return new Failure('invalid', 'ValidationError', text);
}
