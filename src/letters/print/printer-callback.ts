import type { Config } from '../../config.ts';
import { day_ms, later } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { forbidden, invalid } from '../../platform/failure.ts';
import { isUuid, momentOfId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import type { SecretBox } from '../../platform/secrets/secrets.ts';
import { costThreshold, recordDespatches, recordRejection } from './despatch.ts';

const purpose = 'printer-callback';

/** The callback URL of the printer for a letter. Its token is valid for this letter only. */
export function printerCallbackUrl(
  { secrets, config }: { secrets: SecretBox; config: Pick<Config, 'urls'> },
  notificationId: string,
): string {
  return `${config.urls.api}/notifications/letter/status?token=${tokenOf(secrets, notificationId)}`;
}

function tokenOf(secrets: SecretBox, notificationId: string): string {
  return `${notificationId}.${secrets.digest(purpose, notificationId)}`;
}

/** A letter is posted within days, but printers may report late. */
const tokenValidity_ms = 90 * day_ms;

export function readPrinterToken({ secrets, clock }: Pick<Platform, 'secrets' | 'clock'>, token: unknown): string {
  const [, id = '', digest = ''] = typeof token === 'string' ? (/^([^.]*)\.(.*)$/s.exec(token) ?? []) : [];
  if (isUuid(id) && secrets.isDigest(purpose, id, digest)) {
    if (later(momentOfId(id), tokenValidity_ms) > clock.now()) return id;
  }
  throw forbidden('A valid token must be provided in the query string');
}

interface PrinterReport {
  id: string;
  data: {
    jobId: string;
    jobStatus: 'DESPATCHED' | 'REJECTED';
    transitionDate: string;
    despatchProperties?: { key: string; value: string }[];
  };
}

/** Records a report of the printer. A letter with a final status does not change. */
export async function recordPrinterReport(
  app: Pick<Platform, 'db' | 'clock' | 'log' | 'secrets'>,
  token: unknown,
  { id, data }: PrinterReport,
): Promise<void> {
  const notificationId = readPrinterToken(app, token);
  // Some printers put the id of the letter in the job id, others in the event id.
  if (![data.jobId, id].some((named) => named.toLowerCase() === notificationId)) {
    throw invalid('Notification ID in letter callback data does not match ID in token');
  }
  const now = app.clock.now();
  if (data.jobStatus === 'REJECTED') {
    await inTransaction(app.db, (tx) => recordRejection(tx, notificationId, now));
    app.log.error({ event: 'letter.rejected', notification_id: notificationId }, 'The printer rejected a letter');
    return;
  }
  const properties = new Map((data.despatchProperties ?? []).map(({ key, value }) => [key, value]));
  const despatch = {
    notification_id: notificationId,
    despatched_at: new Date(data.transitionDate),
    cost_threshold: costThreshold(properties.get('mailingProduct') ?? '', properties.get('postageClass') ?? ''),
  };
  const [posted] = await inTransaction(app.db, (tx) => recordDespatches(tx, [despatch], now));
  const reportedSheets = Number(properties.get('totalSheets'));
  if (posted && posted.sheets !== reportedSheets) {
    app.log.warn(
      {
        event: 'letter.sheets_differ',
        notification_id: notificationId,
        sheets: posted.sheets,
        reported_sheets: reportedSheets,
      },
      'The printer reported a different number of sheets',
    );
  }
}
