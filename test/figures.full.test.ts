import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays } from '../src/countries/calendar.ts';
import type { NewNotification, StatusChange } from '../src/notifications/notification.ts';
import { addUpUsage } from '../src/notifications/rollups/rollups.sql.ts';
import { addUpChanges, foldRollups } from '../src/notifications/rollups/rollups.ts';
import { insertNotifications } from '../src/notifications/sending/notifications.sql.ts';
import { recordStatusChanges } from '../src/notifications/status.ts';
import { timestamp } from '../src/platform/clock.ts';
import { inTransaction } from '../src/platform/db/database.ts';
import { newId } from '../src/platform/id.ts';
import { anOrganisation, aService, aTemplate } from './kit/builders/rows.ts';
import { useHarness } from './kit/harness.ts';
import { isLongRun } from './kit/process/process-environment.ts';
import { NaiveFigures, type RawMessage, type RawWorld } from './kit/world/naive-figures.ts';
import { NaiveStatistics } from './kit/world/naive-statistics.ts';
import { statusesOf, type World, world } from './kit/world/random-world.ts';

/**
 * Every figure of billing and statistics equals a naive count over the messages: random messages on days
 * around the financial year end and clock changes; statuses in any order, late and repeated; rates that
 * begin at any moment; stored and default allowances; counts that are still appended rows, partly or
 * fully added up, or folded in between.
 */

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const today = '2026-11-15';

/** Templates of the first service; messages that others send with them do not appear on the pages of those others. */
const templates: string[] = [];

/** Files of recipients; a message is a row of one of them or of none. */
const jobs = [1, 2, 3].map((number) => `99999999-0000-4000-8000-00000000000${number}`);

const emptied = [
  'notifications',
  'delivery_queue',
  'daily_status_counts',
  'daily_usage',
  'status_count_changes',
  'usage_changes',
  'job_status_counts',
  'service_usage_spans',
  'service_status_spans',
  'template_status_totals',
  'platform_usage_totals',
  'platform_status_totals',
  'annual_allowances',
  'sms_rates',
  'letter_rates',
  'letter_despatches',
  'daily_despatches',
] as const;

async function build(random: World, services: string[]): Promise<void> {
  const { db } = harness.app;
  for (const table of emptied) await db.deleteFrom(table).execute();
  const created_at = timestamp(harness.clock.now());
  const smsRates = random.smsRates.map(({ from, rate }) => ({ valid_from: from, rate }));
  await db.insertInto('sms_rates').values(smsRates).execute();
  const letterRates = random.letterRates.map(({ from, postage, sheets, rate }) => ({
    post_class: postage,
    sheet_count: sheets,
    start_date: from,
    rate,
  }));
  if (letterRates.length > 0) await db.insertInto('letter_rates').values(letterRates).execute();
  for (const { service, year, limit, custom } of random.allowances) {
    await db
      .insertInto('annual_allowances')
      .values({
        service_id: services[service] ?? '',
        financial_year_start: year,
        free_sms_fragment_limit: limit,
        has_custom_allowance: custom,
        created_at,
      })
      .execute();
  }
  for (const { day, ...despatch } of random.despatches) {
    await db
      .insertInto('letter_despatches')
      .values({
        notification_id: newId(harness.clock.now()),
        service_id: services[0] ?? '',
        despatched_on: day,
        created_at,
        ...despatch,
      })
      .execute();
  }
  for (const { messages, fold } of random.batches) {
    await send(messages, services);
    if (fold === 'added up') await addUpChanges(db);
    if (fold === 'usage added up') await inTransaction(db, addUpUsage);
    if (fold === 'folded') await foldRollups(db);
  }
}

async function send(messages: World['batches'][number]['messages'], services: string[]): Promise<void> {
  const accepted = messages.map((random): NewNotification => {
    const created_at = timestamp(random.moment);
    return {
      id: newId(random.moment),
      service_id: services[random.service] ?? '',
      template_id: templates[random.template] ?? '',
      template_version: 1,
      notification_type: random.type,
      key_type: random.key_type as 'normal',
      api_key_id: null,
      created_by_id: null,
      status: 'created',
      client_reference: null,
      recipient: 'someone',
      normalised_recipient: 'someone',
      personalisation: {},
      reply_to_text: null,
      postage: random.type === 'letter' ? random.postage : null,
      international: random.multiplier > 1,
      rate_multiplier: random.type === 'sms' ? random.multiplier : 1,
      one_click_unsubscribe_url: null,
      scheduled_for: null,
      created_at,
      lane: null,
      due_at: created_at,
      ...(random.job === undefined ? {} : { job_id: jobs[random.job], job_row_number: 0 }),
    };
  });
  const changes = messages.flatMap(({ type, steps }, index): StatusChange[] =>
    steps.map(({ pick, event, provider, units, postage }) => ({
      id: accepted[index]?.id ?? '',
      status: statusesOf[type][pick % statusesOf[type].length] ?? 'sending',
      event,
      provider,
      // A letter has at most five sheets; six prove that a letter without a rate costs nothing and causes no error.
      billable_units:
        type === 'email' ? undefined : type === 'letter' && units !== undefined ? Math.min(units, 6) : units,
      postage: type === 'letter' ? postage : undefined,
    })),
  );
  await inTransaction(harness.app.db, (tx) => insertNotifications(harness.app.country, tx, accepted));
  await inTransaction(harness.app.db, (tx) =>
    recordStatusChanges(harness.app.country, tx, changes, harness.clock.now()),
  );
}

async function rawWorld(): Promise<RawWorld> {
  const { db } = harness.app;
  return {
    messages: (await db.selectFrom('notifications').selectAll().execute()) as RawMessage[],
    services: await db.selectFrom('services').selectAll().execute(),
    organisations: await db.selectFrom('organisations').select(['id', 'name']).execute(),
    allowances: await db.selectFrom('annual_allowances').selectAll().execute(),
    smsRates: await db.selectFrom('sms_rates').selectAll().execute(),
    letterRates: await db.selectFrom('letter_rates').selectAll().execute(),
    despatches: await db.selectFrom('letter_despatches').selectAll().execute(),
    currentYear: 2026,
  };
}

// biome-ignore lint/suspicious/noExplicitAny: a failed expectation says more than a type error
async function get(path: string): Promise<any> {
  const { status, body } = await harness.admin('GET', path);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

/** The part of a range within the financial year of its first day. */
function withinOneYear({ first, last }: { first: string; last: string }) {
  const year = Number(first.slice(0, 4)) - (first.slice(5) < '04-01' ? 1 : 0);
  const end = `${year + 1}-03-31`;
  return { first, last: last < end ? last : end };
}

async function compareService(naive: NaiveFigures, service: string, year: number): Promise<void> {
  const billing = `/service/${service}/billing`;
  expect(await get(`${billing}/monthly-usage?year=${year}`)).toEqual(naive.monthlyUsage(service, year));
  expect(await get(`${billing}/yearly-usage-summary?year=${year}`)).toEqual(naive.yearlyUsage(service, year));
}

async function compareOrganisation(naive: NaiveFigures, organisation: string, year: number): Promise<void> {
  const { services } = await get(`/organisations/${organisation}/services-with-usage?year=${year}`);
  expect(services).toEqual(naive.servicesWithUsage(organisation, year));
}

async function compareReports(naive: NaiveFigures, asked: { first: string; last: string }): Promise<void> {
  const { first, last } = asked;
  const report = (name: string, days = asked) =>
    get(`/platform-stats${name}?start_date=${days.first}&end_date=${days.last}`);
  expect(await report('')).toEqual(naive.counters(first, last));
  expect(await report('/daily-volumes-report')).toEqual(naive.dailyVolumes(first, last));
  expect(await report('/daily-sms-provider-volumes-report')).toEqual(naive.dailyProviderVolumes(first, last));
  expect(await report('/volumes-by-service')).toEqual(naive.volumesByService(first, last));
  const year = withinOneYear(asked);
  expect(await report('/data-for-billing-report', year)).toEqual(naive.billingReport(year.first, year.last));
  expect(await report('/data-for-dvla-billing-report', year)).toEqual(naive.printerReport(year.first, year.last));
}

/** The figures on the pages of a service. */
async function compareServicePages(naive: NaiveStatistics, service: string): Promise<void> {
  const of = (path: string) => get(`/service/${service}${path}`);
  for (const back of [0, 7, 300]) {
    const { data } = await of(`/statistics?limit_days=${back}`);
    expect(data).toEqual(naive.statistics(service, addDays(today, -back), today));
  }
  const { data: detailed } = await of('?detailed=true');
  expect(detailed.statistics).toEqual(naive.statistics(service, addDays(today, -7), today));
  for (const year of [2024, 2025, 2026]) {
    expect((await of(`/notifications/monthly?year=${year}`)).data).toEqual(naive.months(service, year, today));
  }
}

/** Templates belong to one service. */
async function compareTemplates(naive: NaiveStatistics, service: string): Promise<void> {
  const of = (path: string) => get(`/service/${service}${path}`);
  const sorted = (rows: (string | number)[][]) => rows.map((row) => row.join(' ')).sort();
  const { data } = await of('/template-statistics?whole_days=7');
  expect(sorted(data.map((row: TemplateRow) => [row.template_id, row.status, row.count]))).toEqual(
    sorted(naive.templateStatuses(service, addDays(today, -7), today)),
  );
  for (const year of [2024, 2025, 2026]) {
    const { stats } = await of(`/notifications/templates_usage/monthly?year=${year}`);
    expect(sorted(stats.map((row: TemplateRow) => [row.year, row.month, row.template_id, row.count]))).toEqual(
      sorted(naive.templateMonths(service, year)),
    );
  }
  for (const template of templates) {
    const { last_date_used } = await of(`/template-statistics/last-used/${template}`);
    const day = naive.lastUsed(service, template);
    expect(last_date_used).toBe(day === undefined ? null : timestamp(harness.app.country.calendar.start(day)));
  }
}

async function compareJobs(messages: RawMessage[]): Promise<void> {
  const naive = new Map<string, number>();
  for (const { job_id, status } of messages) {
    if (job_id !== null) naive.set(`${job_id} ${status}`, (naive.get(`${job_id} ${status}`) ?? 0) + 1);
  }
  const { rows } = await harness.app.pool.query<{ key: string; count: number }>(
    `select job_id || ' ' || status as key, sum(count)::bigint as count from job_statuses
    group by 1 having sum(count) <> 0`,
  );
  expect(new Map(rows.map(({ key, count }) => [key, count]))).toEqual(naive);
}

interface TemplateRow {
  template_id: string;
  status: string;
  count: number;
  year: number;
  month: number;
}

async function compareLists(naive: NaiveStatistics, { first, last }: { first: string; last: string }): Promise<void> {
  const days = `start_date=${first}&end_date=${last}`;
  for (const withTestKeys of [true, false]) {
    const { data } = await get(`/service?detailed=true&${days}&include_from_test_key=${withTestKeys}`);
    const listed = data.map(({ id, statistics }: { id: string; statistics: object }) => [id, statistics] as const);
    expect(new Map(listed)).toEqual(naive.listed(first, last, withTestKeys, today));
  }
  expect(await get(`/service/monthly-data-by-service?${days}`)).toEqual(naive.monthsOfServices(first, last));
  const { notifications_by_type, ...ever } = await get(`/performance-dashboard?${days}`);
  expect(ever.email_notifications).toBe(naive.ever('email'));
  expect(ever.sms_notifications).toBe(naive.ever('sms'));
  expect(ever.letter_notifications).toBe(naive.ever('letter'));
  const byDay = notifications_by_type.flatMap((row: Record<string, string | number>) =>
    [
      [row.date, 'email', row.emails],
      [row.date, 'letter', row.letters],
      [row.date, 'sms', row.sms],
    ].filter(([, , count]) => count !== 0),
  );
  expect(byDay).toEqual(naive.byDay(first, last));
}

describe('every figure', () => {
  it('equals a naive count over the messages', async () => {
    const organisation = await anOrganisation(harness, { name: 'An organisation' });
    const services = [
      await aService(harness, { name: 'b', organisation_id: organisation, organisation_type: 'central' }),
      await aService(harness, { name: 'A', organisation_id: organisation, organisation_type: 'nhs_gp' }),
      await aService(harness, { name: 'c', active: false, organisation_id: organisation }),
      await aService(harness, { name: 'd', organisation_type: 'local' }),
    ];
    for (let count = 0; count < 3; count += 1) templates.push(await aTemplate(harness, services[0] ?? ''));
    await fc.assert(
      fc.asyncProperty(world, async (random) => {
        await build(random, services);
        const raw = await rawWorld();
        const naive = new NaiveFigures(raw);
        const pages = new NaiveStatistics(raw.messages, raw.services);
        await Promise.all([
          ...[2024, 2025, 2026].flatMap((year) => [
            ...services.map((service) => compareService(naive, service, year)),
            compareOrganisation(naive, organisation, year),
          ]),
          ...random.ranges.flatMap((days) => [compareReports(naive, days), compareLists(pages, days)]),
          ...services.map((service) => compareServicePages(pages, service)),
          compareTemplates(pages, services[0] ?? ''),
          compareJobs(raw.messages),
        ]);
        // This one stores the default allowance, so it comes last.
        for (const service of services) {
          const { free_sms_fragment_limit } = await get(`/service/${service}/billing/free-sms-fragment-limit`);
          expect(free_sms_fragment_limit).toBe(naive.allowance(service, 2026));
        }
      }),
      { numRuns: isLongRun ? 200 : 6 },
    );
  }, 1_200_000);
});
