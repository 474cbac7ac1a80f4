import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLongRun } from '../../../test/kit/process/process-environment.ts';
import { firstMoment } from '../../../test/kit/wall-clock.ts';
import { addDays, weekday } from '../calendar.ts';
import { nextOpening, type SendWindow, weekdays } from './send-windows.ts';
import { isTimeZone, zonesOfRegion } from './zones.ts';

const minute_ms = 60_000;
// Clocks change by half an hour on Lord Howe, by two hours at Troll, and at midnight in Havana and Santiago.
const zones = [
  ...['Europe/London', 'America/Havana', 'America/Santiago', 'Asia/Kathmandu'],
  ...['Australia/Lord_Howe', 'Pacific/Auckland', 'Antarctica/Troll'],
];

const time = fc
  .integer({ min: 0, max: 95 })
  .map(
    (quarter) => `${String(Math.floor(quarter / 4)).padStart(2, '0')}:${String((quarter % 4) * 15).padStart(2, '0')}`,
  );
const anyWindow: fc.Arbitrary<SendWindow> = fc.record({
  days: fc.oneof(
    fc.uniqueArray(fc.constantFrom(...weekdays), { minLength: 1 }),
    fc.constantFrom(...weekdays).map((day) => [day]),
  ),
  from_time: time,
  until_time: fc.oneof(time, fc.constant('24:00')),
  closed_days: fc.array(
    fc.oneof(
      fc.integer({ min: 0, max: 400 }).map((days) => addDays('2026-01-01', days)),
      fc.integer({ min: 0, max: 9 }).map((days) => addDays('2026-12-24', days)),
    ),
    { maxLength: 5 },
  ),
});
const moment = fc
  .integer({ min: Date.UTC(2026, 0, 1) / minute_ms, max: Date.UTC(2027, 0, 31) / minute_ms })
  .map((minutes) => new Date(minutes * minute_ms));
/** Near a change of clocks in one of the zones, or the end of the year. */
const nearChange = fc
  .tuple(
    fc.constantFrom(
      ...['2026-03-08', '2026-03-29', '2026-04-05', '2026-09-06', '2026-09-27'],
      ...['2026-10-04', '2026-10-25', '2026-11-01', '2027-01-01'],
    ),
    fc.integer({ min: -10_080, max: 2_880 }),
  )
  .map(([day, minutes]) => new Date(Date.parse(day) + minutes * minute_ms));

/** Tries one minute after the other. A window is open from its first moment of a day to its last one. */
function openingByScan(window: SendWindow, among: readonly string[], from: number): number | undefined {
  const today = new Date(from).toISOString().slice(0, 10);
  const days = Array.from({ length: 20 }, (_, index) => addDays(today, index - 2)).filter(
    (day) => window.days.includes(weekdays[weekday(day) - 1] ?? 'mon') && !window.closed_days.includes(day),
  );
  const isOvernight = window.until_time <= window.from_time;
  const open = among.map((zone) =>
    days.map((day) => [
      firstMoment(zone, day, window.from_time),
      firstMoment(zone, isOvernight ? addDays(day, 1) : day, window.until_time),
    ]),
  );
  for (let at = from; at <= from + 14 * 24 * 60 * minute_ms; at = Math.floor(at / minute_ms + 1) * minute_ms) {
    if (open.every((ofZone) => ofZone.some(([begins = 0, ends = 0]) => begins <= at && at < ends))) return at;
  }
  return undefined;
}

describe('the next opening', () => {
  it('is that of a scan of every minute, also while clocks change', () => {
    const cases = fc.tuple(
      anyWindow,
      fc.uniqueArray(fc.constantFrom(...zones), { minLength: 1, maxLength: 3 }),
      fc.oneof(moment, nearChange),
    );
    fc.assert(
      fc.property(cases, ([window, among, from]) => {
        const expected = openingByScan(window, among, from.getTime());
        expect(nextOpening(window, among, from)?.getTime()).toBe(expected);
      }),
      { numRuns: isLongRun ? 5_000 : 60 },
    );
  });

  it('of an opening is itself', () => {
    fc.assert(
      fc.property(anyWindow, fc.constantFrom(...zones), moment, (window, zone, from) => {
        const opening = nextOpening(window, [zone], from);
        if (opening) expect(nextOpening(window, [zone], opening)).toEqual(opening);
      }),
      { numRuns: 300 },
    );
  });

  it('does not exist if every day is closed', () => {
    const closed_days = Array.from({ length: 16 }, (_, index) => addDays('2026-11-16', index));
    const window: SendWindow = { days: weekdays, from_time: '08:00', until_time: '21:00', closed_days };
    expect(nextOpening(window, ['Europe/London'], new Date('2026-11-17T12:00:00Z'))).toBeUndefined();
  });
});

describe('zones of countries', () => {
  it.each([
    ['GB', ['Europe/London']],
    ['DE', ['Europe/Berlin']],
    ['CN', ['Asia/Shanghai']],
    ['PT', ['Europe/Lisbon', 'Atlantic/Azores']],
    ['XK', ['Europe/Belgrade']],
    ['001', []],
    ['', []],
  ])('%s: %j', (region, expected) => {
    expect(zonesOfRegion(region)).toEqual(expected);
  });

  it.each(['US', 'CA', 'AU', 'BR', 'RU', 'MX', 'KI', 'GL', 'KZ'])('%s: each is a zone', (region) => {
    expect(zonesOfRegion(region).length).toBeGreaterThan(1);
    for (const zone of zonesOfRegion(region)) expect(isTimeZone(zone), zone).toBe(true);
  });

  it.each(['Europe/Londn', '+01:00', '', 'GMT+1 ', 'x'.repeat(65)])('%j is not a time zone', (name) => {
    expect(isTimeZone(name)).toBe(false);
  });
});
