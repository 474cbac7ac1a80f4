import type { ApiCaller } from '../../auth/api-caller.ts';
import { Failure, invalid, notFound } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Files } from '../../platform/storage/files.ts';
import { letterFiles } from '../letter-tasks.ts';
import type { Status } from '../notification.ts';
import { selectNotification } from './stored-notifications.sql.ts';

/** Returns the printable PDF, even of a cancelled letter or one that failed validation. */
export async function getLetterPdf(app: Platform, caller: ApiCaller, notificationId: string): Promise<Buffer> {
  const letter = await selectNotification(app.db, caller.service_id, notificationId);
  if (!letter) throw notFound();
  if (letter.notification_type !== 'letter') throw invalid('Notification is not a letter');
  if (letter.status === 'technical-failure') {
    throw invalid('PDF not available for letters in status technical-failure');
  }
  return readLetterPdf(app.files, letter);
}

/** Returns an upload only after its virus scan. */
export async function readLetterPdf(files: Files, { id, status }: { id: string; status: Status }): Promise<Buffer> {
  if (status === 'virus-scan-failed') throw invalid('File did not pass the virus scan');
  const pdf =
    status === 'pending-virus-check'
      ? undefined
      : ((await files.get(letterFiles.finished(id))) ?? (await files.get(letterFiles.uploaded(id))));
  if (!pdf) throw new Failure('invalid', 'PDFNotReadyError', 'PDF not available yet, try again later');
  return pdf;
}
