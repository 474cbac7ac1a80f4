import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { aService, aTemplate, aUser } from '../../test/kit/builders/rows.ts';
import { aCheckedUpload, smsRows } from '../../test/kit/builders/uploads.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { metricOf } from '../../test/kit/world/metrics.ts';
import { earlier } from '../platform/clock.ts';
import { runDueTasks } from '../platform/queue/worker.ts';
import { runnableTasks } from '../tasks.ts';
import { measureJobs } from './unfinished-jobs.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
beforeAll(() => measureJobs(harness.app));
let service: string;
let template: string;
let user: string;
beforeEach(async () => {
  harness.clock.set('2026-11-16T12:00:00Z');
  service = await aService(harness);
  template = await aTemplate(harness, service);
  user = await aUser(harness);
});

async function aJob(fields: object = {}): Promise<string> {
  const id = await aCheckedUpload(harness, service, template, smsRows(3));
  expect((await harness.admin('POST', `/service/${service}/job`, { id, created_by: user, ...fields })).status).toBe(
    201,
  );
  return id;
}

const job = async (id: string) => (await harness.admin('GET', `/service/${service}/job/${id}`)).body.data;

const metric = (name: string) => metricOf(harness, name);

it('a scheduled file starts late by the difference if the clock of the worker is behind that of the database', async () => {
  const id = await aJob({ scheduled_for: '2026-11-16T13:00:00Z' });
  const clock = { now: () => earlier(harness.clock.now(), 1_500) };
  const { pool, log } = harness.app;
  const runBehind = () => runDueTasks({ pool, log, tasks: runnableTasks({ ...harness.app, clock }) });
  harness.clock.set('2026-11-16T13:00:00Z');
  await runBehind();
  expect((await job(id)).job_status).toBe('scheduled');
  harness.clock.advance({ ms: 1_500 });
  await runBehind();
  expect((await job(id)).rows_done).toBe(3);
});

/** The task is gone, as if it had been lost with all its attempts. */
async function loseTasks(): Promise<void> {
  await harness.app.pool.query('delete from graphile_worker._private_jobs');
}

describe('resume-jobs', () => {
  it('restarts a job whose task was lost, and a scheduled one', async () => {
    const lost = await aJob();
    const scheduled = await aJob({ scheduled_for: '2026-11-16T13:00:00Z' });
    await loseTasks();
    expect(await metric('job_rows_waiting')).toContain('{notification_type="sms"} 3');
    harness.clock.set('2026-11-16T12:01:00Z');
    await harness.addTask('resume-jobs');
    await harness.runTasks();
    expect((await job(lost)).rows_done).toBe(3);
    expect((await job(scheduled)).job_status).toBe('scheduled');
    harness.clock.set('2026-11-16T13:01:00Z');
    await harness.addTask('resume-jobs');
    await harness.runTasks();
    expect((await job(scheduled)).rows_done).toBe(3);
    expect(await metric('job_rows_expanded_total')).toMatch(/\{notification_type="sms"\} \d/);
    expect(await metric('job_rows_waiting')).not.toContain('} 3');
  });

  it('reports a job that does not move, unless it waits for its messages', async () => {
    const stalled = await aJob();
    const paused = await aJob();
    await loseTasks();
    const counts = harness.app.db.insertInto('job_status_counts');
    await counts.values({ job_id: paused, status: 'created', count: 100_001 }).execute();
    harness.clock.set('2026-11-16T12:09:00Z');
    expect(await metric('jobs_stalled')).toMatch(/jobs_stalled 0/);
    harness.clock.set('2026-11-16T12:10:00Z');
    expect(await metric('jobs_stalled')).toMatch(/jobs_stalled 1/);
    await harness.addTask('resume-jobs');
    await harness.runTasks();
    const lines = harness.logged.filter((line) => line.includes('job.stalled')).map((line) => JSON.parse(line));
    expect(lines).toMatchObject([{ job: stalled, service, idle_s: 600 }]);
  });
});

describe('archive-jobs', () => {
  it('deletes the rows of a job with the retention of its channel; its statistics stay', async () => {
    const old = await aJob();
    const scheduled = await aJob({ scheduled_for: '2026-11-20T12:00:00Z' });
    await harness.runTasks();
    const chunks = async (upload_id: string) =>
      (await harness.app.db.selectFrom('upload_chunks').selectAll().where('upload_id', '=', upload_id).execute())
        .length;
    harness.clock.set('2026-11-23T23:59:00Z');
    await harness.addTask('archive-jobs');
    await harness.runTasks();
    expect([await chunks(old), (await job(old)).archived]).toEqual([1, false]);
    harness.clock.set('2026-11-24T00:00:00Z');
    await harness.addTask('archive-jobs');
    await harness.runTasks();
    expect(await chunks(old)).toBe(0);
    expect(await job(old)).toMatchObject({ archived: true, statistics: [{ status: 'created', count: 3 }] });
    expect([await chunks(scheduled), (await job(scheduled)).archived]).toEqual([1, false]);
    await harness.admin('POST', `/service/${service}/data-retention`, {
      notification_type: 'sms',
      days_of_retention: 3,
    });
    await harness.addTask('archive-jobs');
    await harness.runTasks();
    expect((await job(scheduled)).archived).toBe(true);
  });
});
