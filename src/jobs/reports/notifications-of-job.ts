import type { Selectable } from 'kysely';
import { statusesInFilter } from '../../notifications/history/activity.ts';
import type { ExportRow } from '../../notifications/history/activity-export.ts';
import type { ActivityRecord } from '../../notifications/history/activity-record.ts';
import { exportJobActivity, listJobActivity } from '../../notifications/history/job-activity.ts';
import type { PublicStatus } from '../../notifications/history/public-notification.ts';
import type { Status } from '../../notifications/notification.ts';
import { refuseUnlessExists } from '../../platform/db/exists.ts';
import type { Jobs } from '../../platform/db/schema.ts';
import { notFound } from '../../platform/failure.ts';
import { firstIdAt } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Channel } from '../../protocol/channels.ts';
import { defaultRetentionDays, findRetention, firstKeptId } from '../../services/settings/data-retention.ts';
import type { CompiledTemplates } from '../../templates/compiled-templates.ts';
import { countByStatistics, countMessages, selectJob } from './notifications-of-job.sql.ts';

type Deps = Platform & { compiledTemplates: CompiledTemplates };

interface Query {
  status?: PublicStatus[];
  template_type?: Channel[];
  page: number;
  page_size: number;
  format_for_csv: boolean;
}

interface PageOfJob {
  notifications: (ActivityRecord | ExportRow)[];
  total: number;
  pages: number;
}

/** One page of a job's notifications, in the order of its file. An unknown job has none. */
export async function pageOfJob(
  app: Deps,
  serviceId: string,
  jobId: string,
  { status, template_type, page, page_size, format_for_csv }: Query,
): Promise<PageOfJob> {
  await refuseUnlessExists(app.db, 'services', serviceId);
  const job = await selectJob(app.db, serviceId, jobId);
  const isWanted = job && (!template_type?.length || template_type.includes(job.notification_type));
  const statuses = statusesInFilter(status);
  const total = isWanted ? await countOfJob(app, job, statuses) : 0;
  const pages = Math.max(1, Math.ceil(total / page_size));
  if (page > pages) throw notFound();
  if (total === 0) return { notifications: [], total, pages };
  const list = format_for_csv ? exportJobActivity : listJobActivity;
  const place = { size: page_size, skip: (page - 1) * page_size };
  return { notifications: await list(app, serviceId, { job_id: jobId, statuses }, place), total, pages };
}

/** The statistics are exact until the first messages of the job are deleted; then few are left to count. */
async function countOfJob(app: Platform, job: Selectable<Jobs>, statuses: Status[] | undefined): Promise<number> {
  const { notification_type } = job;
  const rule = await findRetention(app.db, job.service_id, { notification_type });
  const firstKept = firstKeptId(app.clock.now(), rule?.days_of_retention ?? defaultRetentionDays);
  const count = firstIdAt(new Date(job.created_at)) >= firstKept ? countByStatistics : countMessages;
  return count(app.db, job.id, statuses);
}
