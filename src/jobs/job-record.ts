import { type Static, Type } from 'typebox';
import type { WindowDeps } from '../notifications/windows/placing.ts';
import type { Timestamp } from '../platform/clock.ts';
import { channels } from '../protocol/channels.ts';
import { Datetime, Nullable, OneOf, Uuid } from '../protocol/fields.ts';
import { type JobRow, type RecordedJob, selectJobStatistics } from './jobs.sql.ts';
import { findHeldUntil } from './waiting-files.ts';

/** Fields that both APIs show. */
export const jobFields = {
  id: Uuid,
  service: Uuid,
  service_name: Type.Object({ name: Type.String() }),
  template: Uuid,
  template_version: Type.Integer(),
  template_name: Type.String(),
  template_type: OneOf(channels),
  original_file_name: Type.String(),
  notification_count: Type.Integer({ description: 'All rows of the file' }),
  rows_done: Type.Integer({ description: 'Rows that are notifications' }),
  rows_skipped: Type.Integer({ description: 'Rows with problems that are not sent' }),
  cancelled_because: Nullable(Type.String()),
  created_at: Datetime,
  updated_at: Nullable(Datetime),
  processing_started: Nullable(Datetime),
  processing_finished: Nullable(Datetime),
  scheduled_for: Nullable(Datetime),
  archived: Type.Boolean({ description: 'Its rows were deleted' }),
  statistics: Type.Array(Type.Object({ status: Type.String(), count: Type.Integer() })),
  held_until: Type.Optional(
    Type.String({
      description:
        'While rows wait for their sending time: when the first of these begins, or began if they are spread',
    }),
  ),
};

export const JobRecord = Type.Object({
  ...jobFields,
  job_status: Type.String(),
  created_by: Type.Unsafe<{ id: string; name: string } | null>({
    type: ['object', 'null'],
    properties: { id: Uuid, name: Type.String() },
    description: 'Null if it was sent with an API key',
  }),
  contact_list_id: Nullable(Uuid),
});

type JobRecord = Static<typeof JobRecord>;

type NamedJob = JobRow & { service_name: string; template_name: string };
type Statistics = Awaited<ReturnType<typeof selectJobStatistics>>;

/** The fields that both APIs show. */
export function jobValues(job: NamedJob, statistics: Statistics, held: ReadonlyMap<string, Timestamp>) {
  const held_until = held.get(job.id);
  return {
    id: job.id,
    service: job.service_id,
    service_name: { name: job.service_name },
    template: job.template_id,
    template_version: job.template_version,
    template_name: job.template_name,
    template_type: job.notification_type,
    original_file_name: job.original_file_name,
    notification_count: job.row_count,
    rows_done: job.rows_done,
    rows_skipped: job.rows_skipped,
    cancelled_because: job.cancelled_because,
    created_at: job.created_at,
    updated_at: job.updated_at,
    processing_started: job.processing_started,
    processing_finished: job.processing_finished,
    scheduled_for: job.scheduled_for,
    archived: job.archived,
    statistics: statistics.flatMap(({ job_id, status, count }) => (job_id === job.id ? [{ status, count }] : [])),
    ...(held_until === undefined ? {} : { held_until }),
  };
}

/** Statistics come from a rollup: the cost does not depend on the number of rows. */
export async function jobRecords(app: WindowDeps, jobs: RecordedJob[]): Promise<JobRecord[]> {
  const started = jobs.filter(({ processing_started }) => processing_started !== null).map(({ id }) => id);
  const statistics = started.length > 0 ? await selectJobStatistics(app.db, started) : [];
  const held = await findHeldUntil(app, app.db, jobs);
  return jobs.map((job) => ({
    ...jobValues(job, statistics, held),
    job_status: job.status,
    created_by: job.created_by_id === null ? null : { id: job.created_by_id, name: job.created_by_name ?? '' },
    contact_list_id: job.contact_list_id,
  }));
}
