import type { ApiCaller } from '../../auth/api-caller.ts';
import { Failure } from '../../platform/failure.ts';
import { cancelJob } from '../cancel-job.ts';
import type { JobDeps } from '../job-deps.ts';
import { type BulkJob, findBulkJob, getBulkJob } from './bulk-records.ts';

/** The names of the errors are those of the API of GC Notify. */
export async function cancelBulk(app: JobDeps, caller: ApiCaller, id: string): Promise<BulkJob> {
  const found = await findBulkJob(app.db, caller, id);
  if (!found) throw new Failure('not-found', 'JobNotFoundError', 'No result found');
  const { job, cancelled } = await cancelJob(app, caller.service_id, id);
  if (!cancelled) {
    throw job?.status === 'cancelled'
      ? new Failure('conflict', 'JobAlreadyCancelledError', 'This send has already been cancelled')
      : new Failure('conflict', 'JobCancellationNotAllowedError', 'This send has finished and cannot be cancelled');
  }
  return getBulkJob(app.db, caller, id);
}
