import { Failure, invalid } from '../../platform/failure.ts';
import type { Files } from '../../platform/storage/files.ts';
import type { Status } from '../notification.ts';
import { letterFiles } from '../tasks-for-others.ts';

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
