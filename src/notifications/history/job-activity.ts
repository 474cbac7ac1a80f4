import type { Platform } from '../../platform/platform.ts';
import type { CompiledTemplates } from '../../templates/compiled-templates.ts';
import type { Status } from '../notification.ts';
import { type ExportRow, exportRows } from './activity-export.ts';
import { type ActivityRecord, activityRecords } from './activity-record.ts';
import { type Page, selectIdsOfJob, selectNotificationsById } from './stored-notifications.sql.ts';

type Deps = Platform & { compiledTemplates: CompiledTemplates };

interface MessagesOfJob {
  job_id: string;
  statuses: Status[] | undefined;
}

/** Messages of a job, in the order of its file. */
export async function listJobActivity(
  app: Deps,
  serviceId: string,
  which: MessagesOfJob,
  page: Page,
): Promise<ActivityRecord[]> {
  const ids = await selectIdsOfJob(app.db, serviceId, which, page, 'asc');
  return activityRecords(app, await selectNotificationsById(app.db, ids, 'asc'));
}

/** The same as rows of a spreadsheet. */
export async function exportJobActivity(
  app: Platform,
  serviceId: string,
  which: MessagesOfJob,
  page: Page,
): Promise<ExportRow[]> {
  return exportRows(app, await selectIdsOfJob(app.db, serviceId, which, page, 'asc'), 'asc');
}
