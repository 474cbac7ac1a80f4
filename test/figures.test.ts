import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldRollups } from '../src/notifications/fold.ts';
import type { NewNotification, Postage, Status } from '../src/notifications/notification.ts';
import { insertNotifications } from '../src/notifications/notifications.sql.ts';
import { allowedBefore, recordStatusChanges, type StatusChange } from '../src/notifications/status.ts';
import { addDays } from '../src/platform/calendar.ts';
import { timestamp } from '../src/platform/clock.ts';
import { inTransaction } from '../src/platform/db/database.ts';
import { newId } from '../src/platform/id.ts';
import { anOrganisation, aService } from './kit/builders.ts';
import { useHarness } from './kit/harness.ts';
import { NaiveFigures, type RawMessage, type RawWorld } from './kit/naive-figures.ts';

/**
 * Every figure that billing and statistics answer with equals a naive count over the messages: random messages on days
 * around the turn of the financial year and of the clocks, statuses that come in any order, late and repeated, rates that
 * begin at any moment, allowances stored and implied, with rollups folded in between.
 */

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });

const turns = [
  '2025-03-30T01:00:00Z', // clocks go forward
  '2025-03-31T23:00:00Z', // the financial year begins
  '2025-10-26T01:00:00Z', // clocks go back
  '2026-01-01T00:00:00Z',
  '2026-03-29T01:00:00Z',
  '2026-03-31T23:00:00Z',
  '2026-10-25T01:00:00Z',
  '2026-11-15T00:00:00Z', // today
];
const hour = 3_600_000;
const away = fc.oneof(fc.integer({ min: -26 * hour, max: 26 * hour }), fc.constantFrom(0, 1, -1, hour, -hour));
const aroundATurn = fc.tuple(fc.constantFrom(...turns), away).map(([turn, ms]) => Date.parse(turn) + ms);
const anyTime = fc.integer({ min: Date.parse('2025-02-01T00:00:00Z'), max: Date.parse('2026-11-15T11:59:59Z') });
const moment = fc.oneof(aroundATurn, anyTime).map((ms) => new Date(Math.min(ms, Date.parse('2026-11-15T11:59:59Z'))));

const types = ['sms', 'email', 'letter'] as const;
const postages: Postage[] = ['first', 'second', 'economy', 'europe', 'rest-of-world'];
const reasons = Object.keys(allowedBefore) as (keyof typeof allowedBefore)[];
const statuses: Record<(typeof types)[number], Status[]> = {
  sms: [
    'sending',
    'sent',
    'delivered',
    'pending',
    'technical-failure',
    'temporary-failure',
    'permanent-failure',
    'failed',
  ],
  email: ['sending', 'delivered', 'technical-failure', 'temporary-failure', 'permanent-failure'],
  letter: [
    'sending',
    'delivered',
    'returned-letter',
    'cancelled',
    'validation-failed',
    'virus-scan-failed',
    'technical-failure',
    'pending-virus-check',
  ],
};

const step = fc.record({
  pick: fc.nat(100),
  because: fc.constantFrom(...reasons),
  provider: fc.option(fc.constantFrom('mmg', 'firetext', 'sandbox'), { nil: undefined }),
  units: fc.option(
    fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 0, max: 6 }) }, { weight: 1, arbitrary: fc.constant(100_000) }),
    {
      nil: undefined,
    },
  ),
  postage: fc.option(fc.constantFrom(...postages), { nil: undefined }),
});

const message = fc.record({
  service: fc.nat(3),
  type: fc.constantFrom(...types),
  key_type: fc.constantFrom('normal', 'normal', 'team', 'test'),
  template: fc.nat(2),
  multiplier: fc.constantFrom(1, 1, 2, 3, 12),
  postage: fc.constantFrom(...postages),
  moment,
  steps: fc.array(step, { maxLength: 4 }),
});

const decimal = (max: number) => fc.nat(max).map((value) => (value / 10_000).toFixed(4));
const range = fc.tuple(moment, fc.nat(430)).map(([from, days]) => {
  const first = from.toISOString().slice(0, 10);
  return { first, last: addDays(first, days) };
});

const world = fc.record({
  batches: fc.array(fc.record({ messages: fc.array(message, { maxLength: 12 }), fold: fc.option(moment) }), {
    minLength: 1,
    maxLength: 5,
  }),
  allowances: fc.uniqueArray(
    fc.record({
      service: fc.nat(3),
      year: fc.integer({ min: 2024, max: 2026 }),
      limit: fc.oneof(fc.nat(40), fc.constant(20_000)),
      custom: fc.boolean(),
    }),
    { selector: ({ service, year }) => `${service} ${year}`, maxLength: 6 },
  ),
  smsRates: fc.uniqueArray(fc.record({ from: moment, rate: decimal(2_000) }), {
    selector: ({ from }) => from.getTime(),
    minLength: 1,
    maxLength: 5,
  }),
  letterRates: fc.uniqueArray(
    fc.record({
      from: moment,
      postage: fc.constantFrom(...postages),
      sheets: fc.integer({ min: 1, max: 6 }),
      rate: decimal(30_000),
    }),
    { selector: ({ from, postage, sheets }) => `${from.getTime()} ${postage} ${sheets}`, maxLength: 40 },
  ),
  despatches: fc.array(
    fc.record({
      day: moment.map((day) => day.toISOString().slice(0, 10)),
      postage: fc.constantFrom(...postages),
      sheets: fc.integer({ min: 1, max: 6 }),
      cost_threshold: fc.constantFrom('sorted' as const, 'unsorted' as const),
    }),
    { maxLength: 12 },
  ),
  ranges: fc.array(range, { minLength: 2, maxLength: 4 }),
});
type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

const templates = [1, 2, 3].map((number) => `00000000-0000-4000-8000-00000000000${number}`);

const emptied = [
  'notifications',
  'delivery_queue',
  'daily_status_counts',
  'daily_usage',
  'service_usage_totals',
  'service_status_totals',
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
    if (fold) await foldRollups(db, fold);
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
    };
  });
  const changes = messages.flatMap(({ type, steps }, index): StatusChange[] =>
    steps.map(({ pick, because, provider, units, postage }) => ({
      id: accepted[index]?.id ?? '',
      status: statuses[type][pick % statuses[type].length] ?? 'sending',
      because,
      provider,
      // A letter has at most five sheets; six prove that a letter without a rate costs nothing and breaks nothing.
      billable_units:
        type === 'email' ? undefined : type === 'letter' && units !== undefined ? Math.min(units, 6) : units,
      postage: type === 'letter' ? postage : undefined,
    })),
  );
  await inTransaction(harness.app.db, (tx) => insertNotifications(tx, accepted));
  await inTransaction(harness.app.db, (tx) => recordStatusChanges(tx, changes, harness.clock.now()));
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

// biome-ignore lint/suspicious/noExplicitAny: an expectation that fails says more than a type would
async function get(path: string): Promise<any> {
  const { status, body } = await harness.admin('GET', path);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

/** The part of a range that lies in the financial year it begins in. */
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

describe('every figure', () => {
  it('equals a naive count over the messages', async () => {
    const organisation = await anOrganisation(harness, { name: 'An organisation' });
    const services = [
      await aService(harness, { name: 'b', organisation_id: organisation, organisation_type: 'central' }),
      await aService(harness, { name: 'A', organisation_id: organisation, organisation_type: 'nhs_gp' }),
      await aService(harness, { name: 'c', active: false, organisation_id: organisation }),
      await aService(harness, { name: 'd', organisation_type: 'local' }),
    ];
    await fc.assert(
      fc.asyncProperty(world, async (random) => {
        await build(random, services);
        const naive = new NaiveFigures(await rawWorld());
        await Promise.all([
          ...[2024, 2025, 2026].flatMap((year) => [
            ...services.map((service) => compareService(naive, service, year)),
            compareOrganisation(naive, organisation, year),
          ]),
          ...random.ranges.map((days) => compareReports(naive, days)),
        ]);
        // This one stores what was implied before, so it comes last.
        for (const service of services) {
          const { free_sms_fragment_limit } = await get(`/service/${service}/billing/free-sms-fragment-limit`);
          expect(free_sms_fragment_limit).toBe(naive.allowance(service, 2026));
        }
      }),
      { numRuns: Number(process.env.FIGURES_RUNS ?? 20) },
    );
  }, 1_200_000);
});
