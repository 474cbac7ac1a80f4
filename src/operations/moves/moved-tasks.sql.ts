import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

interface WaitingTask {
  id: string;
  name: string;
  payload: string;
  run_at: string;
  max_attempts: number;
  priority: number;
  key: string | null;
  queue_name: string | null;
  /** Whether it may be about other services, too. */
  is_shared: boolean;
}

/** Waiting tasks whose payload names a message, a job, an upload or a report of the service. */
export async function selectTasksOf(db: Db, serviceId: string): Promise<WaitingTask[]> {
  const isAbout = (table: string) =>
    sql`exists (select from ${sql.table(table)} where id = any (named.ids) and service_id = ${serviceId})`;
  const { rows } = await sql<WaitingTask>`
    select j.id::text as id, t.identifier as name, j.payload::text as payload, j.run_at::text as run_at, j.max_attempts, j.priority, j.key,
      q.queue_name, j.payload::jsonb ? 'notification_ids' as is_shared
    from graphile_worker._private_jobs j
    join graphile_worker._private_tasks t on t.id = j.task_id
    left join graphile_worker._private_job_queues q on q.id = j.job_queue_id
    cross join lateral (
      select array_agg(found[1]::uuid) as ids
      from regexp_matches(j.payload::text, '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') as found
    ) as named
    where named.ids is not null and (${isAbout('notifications')} or ${isAbout('jobs')} or ${isAbout('uploads')} or ${isAbout('report_requests')})`.execute(
    db,
  );
  return rows;
}

/** Can be repeated: a task that was added before is replaced. */
export async function addTask(db: Db, task: WaitingTask): Promise<void> {
  await sql`select graphile_worker.add_job(${task.name}, payload => ${task.payload}::json, queue_name => ${task.queue_name},
    run_at => ${task.run_at}::timestamptz, max_attempts => ${task.max_attempts}::int,
    job_key => ${task.key ?? `moved ${task.id}`}, priority => ${task.priority}::int)`.execute(db);
}

/** Those that no worker is running. */
export async function deleteTasks(db: Db, ids: string[]): Promise<void> {
  await sql`select graphile_worker.complete_jobs(${ids}::bigint[])`.execute(db);
}

/** Whether a worker is running one of these tasks, or, for `waiting`, is going to. */
export async function hasTasks(db: Db, names: { running: string[]; waiting: string[] }): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (
      select from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
      where t.identifier = any (${names.running}::text[]) and j.locked_at is not null
        or t.identifier = any (${names.waiting}::text[]) and j.attempts < j.max_attempts) as found`.execute(db);
  return rows[0]?.found ?? false;
}
