import fc from 'fast-check';
import { addDays } from '../../../src/countries/calendar.ts';
import { type Status, transitions } from '../../../src/notifications/notification.ts';

/**
 * Random messages on days around the financial year end and clock changes; statuses in any order, late and
 * repeated; rates that begin at any moment; stored and default allowances.
 */

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
const postages: string[] = ['first', 'second', 'economy', 'europe', 'rest-of-world'];
const reasons = Object.keys(transitions) as (keyof typeof transitions)[];
export const statusesOf: Record<(typeof types)[number], Status[]> = {
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
  event: fc.constantFrom(...reasons),
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
  job: fc.option(fc.nat(2), { nil: undefined }),
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

export const world = fc.record({
  batches: fc.array(
    fc.record({
      messages: fc.array(message, { maxLength: 12 }),
      fold: fc.constantFrom('appended', 'usage added up', 'added up', 'folded'),
    }),
    {
      minLength: 1,
      maxLength: 5,
    },
  ),
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
export type World = typeof world extends fc.Arbitrary<infer T> ? T : never;
