import { day_ms, later } from '../../platform/clock.ts';
import { forbidden, invalid } from '../../platform/failure.ts';
import { isUuid, momentOfId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import type { SecretBox } from '../../platform/secrets/secrets.ts';
import type { Urls } from '../../platform/settings.ts';
import { type PrinterReport, recordPrinterReports } from './despatch.ts';

const purpose = 'printer-callback';

/** Returns the URL at which the printer reports about a letter. Its token is valid for this letter only. */
export function printerCallbackUrl(
  { secrets, config }: { secrets: SecretBox; config: { urls: Urls } },
  notificationId: string,
): string {
  return `${config.urls.api}/notifications/letter/status?token=${tokenOf(secrets, notificationId)}`;
}

function tokenOf(secrets: SecretBox, notificationId: string): string {
  return `${notificationId}.${secrets.digest(purpose, notificationId)}`;
}

/** A letter is posted within days, but printers may report late. */
const tokenValidity_ms = 90 * day_ms;

export function readPrinterToken({ secrets, clock }: Platform, token: unknown): string {
  const [, id = '', digest = ''] = typeof token === 'string' ? (/^([^.]*)\.(.*)$/s.exec(token) ?? []) : [];
  if (isUuid(id) && secrets.isDigest(purpose, id, digest)) {
    if (later(momentOfId(id), tokenValidity_ms) > clock.now()) return id;
  }
  throw forbidden('A valid token must be provided in the query string');
}

interface PrinterCallback {
  id: string;
  data: Pick<PrinterReport, 'jobStatus' | 'transitionDate'> & {
    jobId: string;
    despatchProperties?: { key: string; value: string }[];
  };
}

export async function recordPrinterCallback(
  app: Platform,
  token: unknown,
  { id, data }: PrinterCallback,
): Promise<void> {
  const notification_id = readPrinterToken(app, token);
  // Some printers put the letter's id into the job id, others into the event id.
  if (![data.jobId, id].some((named) => named.toLowerCase() === notification_id)) {
    throw invalid('Notification ID in letter callback data does not match ID in token');
  }
  const { jobStatus, transitionDate, despatchProperties = [] } = data;
  const properties = new Map(despatchProperties.map(({ key, value }) => [key, value]));
  const [totalSheets = '', postageClass = '', mailingProduct = ''] = [
    properties.get('totalSheets'),
    properties.get('postageClass'),
    properties.get('mailingProduct'),
  ];
  await recordPrinterReports(app, [
    { notification_id, jobStatus, transitionDate, totalSheets, postageClass, mailingProduct },
  ]);
}
