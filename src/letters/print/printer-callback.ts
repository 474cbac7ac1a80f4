import type { Config } from '../../config.ts';
import { day_ms, later } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { forbidden, invalid } from '../../platform/failure.ts';
import { isUuid, momentOfId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import type { SecretBox } from '../../platform/secrets/secrets.ts';
import { costThreshold, recordDespatches, recordRejection } from './despatch.ts';

const purpose = 'printer-callback';

/** Where the printer tells what became of a letter; the token in it opens this letter only. */
export function printerCallbackUrl(
  { secrets, config }: { secrets: SecretBox; config: Pick<Config, 'BASE_URL'> },
  notificationId: string,
): string {
  return `${config.BASE_URL}/notifications/letter/status?token=${tokenOf(secrets, notificationId)}`;
}

function tokenOf(secrets: SecretBox, notificationId: string): string {
  return `${notificationId}.${secrets.digest(purpose, notificationId)}`;
}

/** A letter is posted within days; printers may report late. */
const tokensWorkFor_ms = 90 * day_ms;

export function readPrinterToken({ secrets, clock }: Pick<Platform, 'secrets' | 'clock'>, token: unknown): string {
  const [, id = '', digest = ''] = typeof token === 'string' ? (/^([^.]*)\.(.*)$/s.exec(token) ?? []) : [];
  if (isUuid(id) && secrets.isDigest(purpose, id, digest)) {
    if (later(momentOfId(id), tokensWorkFor_ms) > clock.now()) return id;
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

/** What the printer says of a letter. A letter that already ended stays as it is. */
export async function recordPrinterReport(
  app: Pick<Platform, 'db' | 'clock' | 'log' | 'secrets'>,
  token: unknown,
  { id, data }: PrinterReport,
): Promise<void> {
  const notificationId = readPrinterToken(app, token);
  // Printers name the letter as the job, some also as the event.
  if (![data.jobId, id].some((named) => named.toLowerCase() === notificationId)) {
    throw invalid('Notification ID in letter callback data does not match ID in token');
  }
  const now = app.clock.now();
  if (data.jobStatus === 'REJECTED') {
    await inTransaction(app.db, (tx) => recordRejection(tx, notificationId, now));
    app.log.error({ notification_id: notificationId }, 'the printer rejected a letter');
    return;
  }
  const properties = new Map((data.despatchProperties ?? []).map(({ key, value }) => [key, value]));
  const despatch = {
    notification_id: notificationId,
    despatched_at: new Date(data.transitionDate),
    cost_threshold: costThreshold(properties.get('mailingProduct') ?? '', properties.get('postageClass') ?? ''),
  };
  const [posted] = await inTransaction(app.db, (tx) => recordDespatches(tx, [despatch], now));
  if (posted && posted.sheets !== Number(properties.get('totalSheets'))) {
    app.log.warn({ notification_id: notificationId, sheets: posted.sheets }, 'the printer counted other sheets');
  }
}
