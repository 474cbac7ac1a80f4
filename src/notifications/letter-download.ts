import type { ApiCaller } from '../auth/api-caller.ts';
import { Failure, invalid, notFound } from '../platform/failure.ts';
import type { Platform } from '../platform/platform.ts';
import { letterFiles } from './letter-work.ts';
import { type StoredNotification, selectNotification } from './stored-notifications.sql.ts';

/** The letter as it is printed. One that was refused or cancelled can still be looked at. */
export async function getLetterPdf(
  app: Pick<Platform, 'db' | 'files'>,
  caller: ApiCaller,
  notificationId: string,
): Promise<Buffer> {
  const letter = await selectNotification(app.db, caller.service_id, notificationId);
  if (!letter) throw notFound();
  if (letter.notification_type !== 'letter') throw invalid('Notification is not a letter');
  refuseIfThereIsNothingToSee(letter);
  const pdf =
    letter.status === 'pending-virus-check'
      ? undefined
      : ((await app.files.get(letterFiles.finished(letter.id))) ??
        (await app.files.get(letterFiles.uploaded(letter.id))));
  if (!pdf) throw new Failure('invalid', 'PDFNotReadyError', 'PDF not available yet, try again later');
  return pdf;
}

function refuseIfThereIsNothingToSee({ status }: StoredNotification): void {
  if (status === 'virus-scan-failed') throw invalid('File did not pass the virus scan');
  if (status === 'technical-failure') throw invalid('PDF not available for letters in status technical-failure');
}
