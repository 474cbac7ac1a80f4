import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { aJob, rowsOfJob } from '../../../test/kit/builders/jobs.ts';
import { type PastMessage, somePastMessages } from '../../../test/kit/builders/messages.ts';
import { aService, aTemplate } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { metricOf } from '../../../test/kit/world/metrics.ts';
import { timestamp } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { newId } from '../../platform/id.ts';
import { recordStatusChanges } from '../status.ts';
import { addUpChanges, foldRollups } from './rollups.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });

async function rows(query: ReturnType<typeof sql>): Promise<unknown[]> {
  return (await query.execute(harness.app.db)).rows;
}

async function run(task: string): Promise<void> {
  await harness.addTask(task);
  await harness.runTasks();
}

let service: string;
beforeEach(async () => {
  service = await aService(harness);
});

function sms(created_at: string, more: Partial<PastMessage> = {}): PastMessage {
  return { service_id: service, notification_type: 'sms', status: 'delivered', created_at, ...more };
}

function usageTotals() {
  return rows(sql`select span, first_day, sms_chargeable_units, sms_sent from service_usage_spans
    where service_id = ${service} and span <> 'day' order by span, first_day`);
}

function unfolded() {
  return rows(sql`select london_day, billable_units - folded_units as units, notifications_sent - folded_sent as sent
    from usage_counts where service_id = ${service} and not folded order by london_day`);
}

describe('fold-rollups', () => {
  it('adds changes to the totals', async () => {
    await somePastMessages(harness, [
      sms('2026-10-31T10:00:00Z'),
      sms('2026-11-01T10:00:00Z', { billable_units: 3, rate_multiplier: 2 }),
      sms('2026-11-05T23:59:59Z', { billable_units: 2, rate_multiplier: 2 }),
      sms('2026-11-06T00:00:00Z'),
      sms('2026-11-15T00:00:00Z'),
    ]);
    await run('fold-rollups');
    expect(await usageTotals()).toEqual([
      total('five_days', '2026-10-26', 1, 1),
      total('five_days', '2026-11-01', 10, 2),
      total('five_days', '2026-11-06', 1, 1),
      total('five_days', '2026-11-11', 1, 1),
      total('month', '2026-10-01', 1, 1),
      total('month', '2026-11-01', 12, 4),
    ]);
    expect(
      await rows(sql`select first_day, sms_chargeable_units from service_usage_spans
        where service_id = ${service} and span = 'day' order by first_day`),
    ).toEqual([
      { first_day: '2026-10-31', sms_chargeable_units: 1 },
      { first_day: '2026-11-01', sms_chargeable_units: 6 },
      { first_day: '2026-11-05', sms_chargeable_units: 4 },
      { first_day: '2026-11-06', sms_chargeable_units: 1 },
      { first_day: '2026-11-15', sms_chargeable_units: 1 },
    ]);
    expect(await unfolded()).toEqual([]);
    expect(await foldRollups(harness.app.db)).toBe(0);
  });

  it('counts a late change separately until it is folded', async () => {
    const [id = ''] = await somePastMessages(harness, [sms('2026-11-10T10:00:00Z', { status: 'sending' })]);
    await foldRollups(harness.app.db);
    expect(await unfolded()).toEqual([]);
    await inTransaction(harness.app.db, (tx) =>
      recordStatusChanges(
        harness.app.country,
        tx,
        [{ id, status: 'technical-failure', event: 'receipt' }],
        harness.clock.now(),
      ),
    );
    expect(await unfolded()).toEqual([{ london_day: '2026-11-10', units: -1, sent: -1 }]);
    await foldRollups(harness.app.db);
    expect(await usageTotals()).toEqual([total('five_days', '2026-11-06', 0, 0), total('month', '2026-11-01', 0, 0)]);
    expect(
      await rows(sql`select sending, technical_failure from service_status_spans
        where service_id = ${service} and span = 'month'`),
    ).toEqual([{ sending: 0, technical_failure: 1 }]);
  });

  it('counts test keys separately, only in the statuses of their service', async () => {
    const platform = () => rows(sql`select * from platform_status_totals order by 1, 2, 3`);
    const before = await platform();
    await somePastMessages(harness, [sms('2026-11-10T10:00:00Z', { key_type: 'test' })]);
    await foldRollups(harness.app.db);
    expect(
      await rows(sql`select span, of_test_keys, created, delivered from service_status_spans
        where service_id = ${service} order by span`),
    ).toEqual(['day', 'five_days', 'month'].map((span) => ({ span, of_test_keys: true, created: 0, delivered: 1 })));
    expect(await rows(sql`select * from template_status_totals where service_id = ${service}`)).toEqual([]);
    expect(await usageTotals()).toEqual([]);
    expect(await platform()).toEqual(before);
    expect(await rows(sql`select * from status_counts where service_id = ${service} and not folded`)).toEqual([]);
  });

  it('skips rows locked by a writer without waiting', async () => {
    await somePastMessages(harness, [sms('2026-11-03T10:00:00Z')]);
    await addUpChanges(harness.app.db);
    await inTransaction(harness.app.db, async (tx) => {
      await sql`update daily_usage set billable_units = 7 where service_id = ${service}`.execute(tx);
      await foldRollups(harness.app.db);
      expect(await usageTotals()).toEqual([]);
    });
    await foldRollups(harness.app.db);
    expect(await usageTotals()).toEqual([total('five_days', '2026-11-01', 7, 1), total('month', '2026-11-01', 7, 1)]);
  });

  it('loses nothing with two concurrent runs and new messages', async () => {
    const day = '2026-11-11T10:00:00Z';
    const sends = Array.from({ length: 20 }, () => somePastMessages(harness, [sms(day, { billable_units: 2 })]));
    const folds = Array.from({ length: 10 }, () => foldRollups(harness.app.db));
    await Promise.all([...sends, ...folds]);
    expect(
      await rows(sql`select sum(sms_chargeable_units)::int as units, sum(sms_sent)::int as sent
        from service_months where service_id = ${service}`),
    ).toEqual([{ units: 40, sent: 20 }]);
  });
});

describe('reconcile-rollups', () => {
  const summary = () =>
    rows(sql`select
      (select json_agg(json_build_array(london_day, key_type, status, count) order by london_day, key_type, status)
        from (select london_day, key_type, status, template_id, sum(count) as count from status_counts
          where service_id = ${service} group by 1, 2, 3, 4) as counted where count <> 0) as statuses,
      (select json_agg(json_build_array(london_day, provider, sheets, units, sent) order by london_day, provider, sheets)
        from (select london_day, provider, sheets, notification_type, sum(billable_units) as units,
            sum(notifications_sent) as sent
          from usage_counts where service_id = ${service} group by 1, 2, 3, 4) as used where sent <> 0) as usage`);

  async function repairedRows(): Promise<string> {
    const text = await metricOf(harness, 'rollup_rows_repaired_total');
    return text.split('\n').slice(2).join('\n');
  }

  it('repairs nothing when rollups are correct', async () => {
    await somePastMessages(harness, [
      sms('2026-11-15T11:00:00Z'),
      sms('2026-11-14T11:00:00Z', { key_type: 'test' }),
      sms('2026-11-09T00:00:00Z', { status: 'temporary-failure', provider: null }),
      { ...sms('2026-11-12T11:00:00Z'), notification_type: 'email' },
      { ...sms('2026-11-12T11:00:00Z', { billable_units: 3 }), notification_type: 'letter', status: 'sending' },
      { ...sms('2026-11-12T11:00:00Z'), notification_type: 'letter', status: 'cancelled' },
    ]);
    const before = await summary();
    harness.logged.length = 0;
    await run('reconcile-rollups');
    expect(await summary()).toEqual(before);
    expect(harness.logged.filter((line) => line.includes('repaired'))).toEqual([]);
    expect(await repairedRows()).toBe(
      [
        'rollup_rows_repaired_total{rollup="daily_status_counts"} 0',
        'rollup_rows_repaired_total{rollup="daily_usage"} 0',
        'rollup_rows_repaired_total{rollup="job_status_counts"} 0',
      ].join('\n'),
    );
  });

  it('repairs the statuses of jobs', async () => {
    const template = await aTemplate(harness, service);
    const job = await aJob(harness, service, template);
    const messages = ['created', 'created', 'validation-failed'] as const;
    await rowsOfJob(
      harness,
      job,
      ['phone number'],
      messages.map((status) => ({ cells: ['07700900460'], status })),
    );
    await addUpChanges(harness.app.db);
    const statuses = () =>
      rows(sql`select status, sum(count)::int as count from job_statuses where job_id = ${job}
        group by 1 having sum(count) <> 0 order by 1`);
    const right = await statuses();
    expect(right).toHaveLength(2);
    await rows(sql`update job_status_counts set count = 7 where job_id = ${job} and status = 'created'`);
    await rows(sql`delete from job_status_counts where job_id = ${job} and status = 'validation-failed'`);
    await rows(sql`insert into job_status_counts values (${job}, 'failed', 1)`);
    harness.logged.length = 0;
    await run('reconcile-rollups');
    expect(await statuses()).toEqual(right);
    const [line] = harness.logged.filter((text) => text.includes('repaired')).map((text) => JSON.parse(text));
    expect(line).toMatchObject({ rollup: 'job_status_counts', repairs: 3 });
  });

  it('repairs and reports missing, wrong and extra rows', async () => {
    await somePastMessages(harness, [sms('2026-11-12T11:00:00Z', { billable_units: 2 }), sms('2026-11-13T11:00:00Z')]);
    await foldRollups(harness.app.db);
    await somePastMessages(harness, [sms('2026-11-15T11:00:00Z')]);
    await addUpChanges(harness.app.db);
    const right = await summary();
    await rows(sql`delete from daily_usage where service_id = ${service} and london_day = '2026-11-15'`);
    await rows(
      sql`update daily_usage set billable_units = 9 where service_id = ${service} and london_day = '2026-11-12'`,
    );
    await rows(sql`update daily_status_counts set count = 5 where service_id = ${service} and london_day = '2026-11-13'
      and status = 'delivered'`);
    await rows(sql`insert into daily_usage (london_day, service_id, template_id, notification_type, provider, rate_multiplier,
        international, postage, sheets, billable_units, notifications_sent)
      select '2026-11-14', service_id, template_id, notification_type, provider, rate_multiplier, international, postage,
        sheets, billable_units, notifications_sent
      from daily_usage where service_id = ${service} and london_day = '2026-11-13'`);
    harness.logged.length = 0;
    await run('reconcile-rollups');
    expect(await summary()).toEqual(right);
    const lines = harness.logged.filter((line) => line.includes('repaired')).map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      { rollup: 'daily_status_counts', repairs: 1, rows: [{ london_day: '2026-11-13', service_id: service }] },
      { rollup: 'daily_usage', repairs: 3 },
    ]);
    expect(await repairedRows()).toContain('rollup_rows_repaired_total{rollup="daily_usage"} 3');
    await foldRollups(harness.app.db);
    expect(
      await rows(sql`select sum(sms_chargeable_units)::int as units, sum(sms_sent)::int as sent
        from service_months where service_id = ${service}`),
    ).toEqual([{ units: 4, sent: 3 }]);
  });

  it('skips days whose messages were deleted', async () => {
    await harness.app.db
      .insertInto('service_data_retention')
      .values({
        id: newId(harness.clock.now()),
        service_id: service,
        notification_type: 'sms',
        days_of_retention: 3,
        created_at: timestamp(harness.clock.now()),
      })
      .execute();
    await somePastMessages(harness, [
      sms('2026-11-08T11:00:00Z'),
      sms('2026-11-12T11:00:00Z'),
      sms('2026-11-13T11:00:00Z'),
      { ...sms('2026-11-12T11:00:00Z'), notification_type: 'email' },
    ]);
    const before = await summary();
    await rows(sql`delete from notifications where service_id = ${service} and notification_type = 'sms'
      and created_at < '2026-11-13'`);
    await run('reconcile-rollups');
    expect(await summary()).toEqual(before);
  });

  it('skips days whose messages were deleted by a rule that was relaxed since', async () => {
    const kept = await harness.admin('POST', `/service/${service}/data-retention`, {
      notification_type: 'sms',
      days_of_retention: 1,
    });
    await somePastMessages(harness, [sms('2026-11-12T11:00:00Z'), sms('2026-11-15T11:00:00Z')]);
    const before = await summary();
    await run('apply-retention');
    await harness.admin('POST', `/service/${service}/data-retention/${kept.body.result.id}`, { days_of_retention: 30 });
    await run('reconcile-rollups');
    expect(await summary()).toEqual(before);
  });
});

function total(span: string, first_day: string, sms_chargeable_units: number, sms_sent: number) {
  return { span, first_day, sms_chargeable_units, sms_sent };
}
