import { type Static, Type } from 'typebox';
import type { ApiCaller } from '../../auth/api-caller.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { invalid, notFound } from '../../platform/failure.ts';
import { channels } from '../../protocol/channels.ts';
import { Datetime, Nullable, OneOf, Uuid } from '../../protocol/fields.ts';
import { selectJobStatistics } from '../jobs.sql.ts';
import { selectBulkSend, selectBulkSends } from './bulk-records.sql.ts';

const pageSize = 250;

const publicStatuses = [
  'pending',
  'scheduled',
  'in progress',
  'finished',
  'sending limits exceeded',
  'cancelled',
  'error',
] as const;

export const BulkJob = Type.Object(
  {
    id: Uuid,
    service: Uuid,
    service_name: Type.Object({ name: Type.String() }),
    template: Uuid,
    template_version: Type.Integer(),
    template_name: Type.String(),
    template_type: OneOf(channels),
    original_file_name: Type.String(),
    notification_count: Type.Integer({ description: 'All rows' }),
    rows_done: Type.Integer({ description: 'Rows that are notifications' }),
    rows_skipped: Type.Integer({ description: 'Rows with problems that are not sent' }),
    job_status: OneOf(publicStatuses),
    cancelled_because: Nullable(Type.String()),
    created_by: Type.Null(),
    api_key: Type.Object({ id: Uuid, name: Type.String(), key_type: OneOf(['normal', 'team', 'test']) }),
    sender_id: Nullable(Uuid),
    created_at: Datetime,
    updated_at: Nullable(Datetime),
    processing_started: Nullable(Datetime),
    processing_finished: Nullable(Datetime),
    scheduled_for: Nullable(Datetime),
    archived: Type.Boolean({ description: 'Its rows were deleted' }),
    statistics: Type.Array(Type.Object({ status: Type.String(), count: Type.Integer() })),
  },
  { title: 'BulkJob' },
);
export type BulkJob = Static<typeof BulkJob>;

type Owner = Pick<ApiCaller, 'service_id' | 'key_type'>;
type Row = NonNullable<Awaited<ReturnType<typeof selectBulkSend>>>;
type Statistics = Awaited<ReturnType<typeof selectJobStatistics>>;

export async function findBulkJob(db: Db | Tx, owner: Owner, id: string): Promise<BulkJob | undefined> {
  const row = await selectBulkSend(db, owner, id);
  return row && bulkJob(row, await selectJobStatistics(db, [row.id]));
}

export async function getBulkJob(db: Db | Tx, owner: Owner, id: string): Promise<BulkJob> {
  const job = await findBulkJob(db, owner, id);
  if (!job) throw notFound();
  return job;
}

export async function listBulkJobs(db: Db, owner: Owner, older_than: string | undefined): Promise<BulkJob[]> {
  if (older_than !== undefined && !(await selectBulkSend(db, owner, older_than))) {
    throw invalid(`older_than ${older_than} does not exist in database for service id ${owner.service_id}`);
  }
  const rows = await selectBulkSends(db, owner, { older_than, size: pageSize });
  const statistics = await selectJobStatistics(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => bulkJob(row, statistics));
}

function bulkJob(row: Row, statistics: Statistics): BulkJob {
  const { id, key_type, api_key_id, status } = row;
  if (api_key_id === null) throw new Error('A bulk send without a key');
  return {
    id,
    service: row.service_id,
    service_name: { name: row.service_name },
    template: row.template_id,
    template_version: row.template_version,
    template_name: row.template_name,
    template_type: row.notification_type,
    original_file_name: row.original_file_name,
    notification_count: row.row_count,
    rows_done: row.rows_done,
    rows_skipped: row.rows_skipped,
    job_status: status === 'finished all notifications created' ? 'finished' : status,
    cancelled_because: row.cancelled_because,
    created_by: null,
    api_key: { id: api_key_id, name: row.api_key_name, key_type },
    sender_id: row.sender_id,
    created_at: row.created_at,
    updated_at: row.updated_at,
    processing_started: row.processing_started,
    processing_finished: row.processing_finished,
    scheduled_for: row.scheduled_for,
    archived: row.archived,
    statistics: statistics.flatMap(({ job_id, status, count }) => (job_id === id ? [{ status, count }] : [])),
  };
}
