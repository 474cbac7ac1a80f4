import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays, weekday } from '../calendar.ts';
import { nextOpening, type SendWindow, weekdays } from './send-windows.ts';
import { calendarOf, isTimeZone, zonesOfRegion } from './zones.ts';

const minute_ms = 60_000;
const zones = ['Europe/London', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Africa/Casablanca'];

const time = fc
  .integer({ min: 0, max: 95 })
  .map(
    (quarter) => `${String(Math.floor(quarter / 4)).padStart(2, '0')}:${String((quarter % 4) * 15).padStart(2, '0')}`,
  );
const anyWindow: fc.Arbitrary<SendWindow> = fc.record({
  days: fc.uniqueArray(fc.constantFrom(...weekdays), { minLength: 1 }),
  from_time: time,
  until_time: fc.oneof(time, fc.constant('24:00')),
  closed_days: fc.array(
    fc.integer({ min: 0, max: 400 }).map((days) => addDays('2026-01-01', days)),
    { maxLength: 5 },
  ),
});
const moment = fc
  .integer({ min: Date.UTC(2026, 0, 1) / minute_ms, max: Date.UTC(2027, 0, 31) / minute_ms })
  .map((minutes) => new Date(minutes * minute_ms));

/** Without arithmetic: what the clock on the wall says decides, minute by minute. */
function isOpen(window: SendWindow, zone: string, at: Date): boolean {
  const [day = '', clock = ''] = calendarOf(zone).time(at).split(' ');
  const wall = clock.slice(0, 5);
  const opens = (on: string) =>
    window.days.includes(weekdays[weekday(on) - 1] ?? 'mon') && !window.closed_days.includes(on);
  if (window.until_time > window.from_time) return opens(day) && wall >= window.from_time && wall < window.until_time;
  return (opens(day) && wall >= window.from_time) || (opens(addDays(day, -1)) && wall < window.until_time);
}

/** Near a change of clocks the same wall time is open once and closed once, which `isOpen` cannot know. */
function clocksChangeNear(zone: string, at: Date): boolean {
  const offset = (hours: number) => calendarOf(zone).offset_ms(new Date(at.getTime() + hours * 60 * minute_ms));
  return offset(-26) !== offset(26);
}

describe('the next opening', () => {
  it('is inside the window in every zone, and no earlier minute is', () => {
    fc.assert(
      fc.property(
        anyWindow,
        fc.uniqueArray(fc.constantFrom(...zones), { minLength: 1, maxLength: 3 }),
        moment,
        (window, among, from) => {
          const opening = nextOpening(window, among, from);
          const isQuiet = (at: Date) => among.every((zone) => !clocksChangeNear(zone, at));
          if (opening && isQuiet(opening)) {
            expect(opening.getTime()).toBeGreaterThanOrEqual(from.getTime());
            for (const zone of among)
              expect(isOpen(window, zone, opening), `${zone} ${opening.toISOString()}`).toBe(true);
          }
          const end = opening?.getTime() ?? from.getTime() + 14 * 24 * 60 * minute_ms;
          for (let at = from.getTime(); at < end; at += 5 * minute_ms) {
            const moment = new Date(at);
            if (!isQuiet(moment)) continue;
            expect(
              among.every((zone) => isOpen(window, zone, moment)),
              moment.toISOString(),
            ).toBe(false);
          }
        },
      ),
      { numRuns: 40 },
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
