import { type Static, Type } from 'typebox';
import type { ApiCaller } from '../../auth/api-caller.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { invalid, notFound } from '../../platform/failure.ts';
import { Nullable, OneOf, Uuid } from '../../protocol/fields.ts';
import { jobFields, jobValues } from '../job-record.ts';
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
    ...jobFields,
    job_status: OneOf(publicStatuses),
    created_by: Type.Null(),
    api_key: Type.Object({ id: Uuid, name: Type.String(), key_type: OneOf(['normal', 'team', 'test']) }),
    sender_id: Nullable(Uuid),
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
  const { key_type, api_key_id, status } = row;
  if (api_key_id === null) throw new Error('A bulk send without a key');
  return {
    ...jobValues(row, statistics),
    job_status: status === 'finished all notifications created' ? 'finished' : status,
    created_by: null,
    api_key: { id: api_key_id, name: row.api_key_name, key_type },
    sender_id: row.sender_id,
  };
}
