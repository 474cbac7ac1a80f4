import { Failure } from '../../platform/failure.ts';
import type { Task } from '../../platform/queue/task.ts';
import { changeUpload, getService, type UploadDeps } from './uploads.ts';

interface UploadToCheck {
  service_id: string;
  upload_id: string;
  template_id: string;
  sender_id: string | null;
}

export const checkUpload: Task<UploadToCheck> = {
  name: 'check-upload',
  description: 'Checks the rows of a file that was uploaded in the console against its template.',
  maxAttempts: 5,
};

/** An upload that was deleted, sent or checked by another request meanwhile needs no check. */
export async function runUploadCheck(
  app: UploadDeps,
  { service_id, upload_id, ...request }: UploadToCheck,
): Promise<void> {
  try {
    await changeUpload(app, await getService(app, service_id), upload_id, request);
  } catch (error) {
    if (!(error instanceof Failure) || !['not-found', 'invalid', 'conflict'].includes(error.kind)) throw error;
    app.log.info({ event: 'upload.not_checked', upload_id, err: error }, 'An upload needs no check any more');
  }
}
