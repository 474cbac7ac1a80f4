import { describe, expect, it } from 'vitest';
import { Calendar } from './calendar.ts';

describe('months of a financial year', () => {
  it.each([
    ['04-01', '2026-04-01 2026-05-01 2026-06-01 2026-07-01 2026-08-01 2026-09-01', '2027-03-01', '2027-03-31'],
    ['07-16', '2026-07-16 2026-08-16 2026-09-16 2026-10-16 2026-11-16 2026-12-16', '2027-06-16', '2027-07-15'],
    ['08-31', '2026-08-31 2026-09-30 2026-10-31 2026-11-30 2026-12-31 2027-01-31', '2027-07-31', '2027-08-30'],
    ['03-01', '2026-03-01 2026-04-01 2026-05-01 2026-06-01 2026-07-01 2026-08-01', '2027-02-01', '2027-02-28'],
  ])('from %s on begin on that day, or on the last', (start, firsts, last_month, last_day) => {
    const calendar = new Calendar('Asia/Kathmandu', start);
    const months = calendar.financialYearMonths(2026);
    expect(months).toHaveLength(12);
    expect(months.slice(0, 6).map(({ first_day }) => first_day)).toEqual(firsts.split(' '));
    expect(months.at(-1)).toEqual({ first_day: last_month, last_day });
    expect(calendar.financialYearDays(2026)).toEqual({ first_day: `2026-${start}`, last_day });
  });

  it('leave out no day and count none twice', () => {
    for (const start of ['01-01', '01-31', '02-28', '12-31']) {
      const calendar = new Calendar('UTC', start);
      for (const year of [2023, 2024]) {
        const months = calendar.financialYearMonths(year);
        for (const [index, { last_day }] of months.entries()) {
          const next = months[index + 1]?.first_day ?? calendar.financialYearDays(year + 1).first_day;
          expect(new Date(next).getTime() - new Date(last_day).getTime(), `${start} ${last_day}`).toBe(86_400_000);
        }
      }
    }
  });

  it('exist for every year of four digits', () => {
    const calendar = new Calendar('Europe/London', '04-01');
    expect(calendar.financialYearDays(9999)).toEqual({ first_day: '9999-04-01', last_day: '10000-03-31' });
    expect(calendar.financialYearDays(0)).toEqual({ first_day: '0000-04-01', last_day: '0001-03-31' });
  });
});

describe('the name of a zone', () => {
  it.each([
    ['Europe/Amsterdam', 'nl-NL', 'Central European Time'],
    ['Europe/Berlin', 'de-DE', 'Central European Time'],
    ['Asia/Kathmandu', 'ne-NP', 'Nepal Time'],
    ['America/Toronto', 'en-CA', 'Eastern Time (Toronto)'],
    ['America/New_York', 'en-US', 'Eastern Time (New York)'],
  ])('%s of %s: %s', (zone, locale, name) => {
    expect(new Calendar(zone).zoneName(locale)).toBe(name);
  });
});

describe('a zone', () => {
  it.each(['+05:30', '', "Europe/London'", 'Nowhere/Else'])('%j is refused', (zone) => {
    expect(() => new Calendar(zone)).toThrow(RangeError);
  });
});

describe('the standard offset', () => {
  it.each([
    ['Europe/London', 0],
    ['Europe/Dublin', 0],
    ['America/Toronto', -300],
    ['Asia/Kathmandu', 345],
    ['Australia/Sydney', 600],
    ['Australia/Lord_Howe', 630],
  ])('of %s is that of its winter: %i minutes', (zone, minutes) => {
    expect(new Calendar(zone).standardOffset_ms(new Date('2026-11-17T12:00:00Z'))).toBe(minutes * 60_000);
  });
});

describe('the day of a moment', () => {
  it('is exact whatever was asked before, in a zone that is 45 minutes off', () => {
    const calendar = new Calendar('Asia/Kathmandu');
    const midnight = Date.parse('2026-11-16T18:15:00Z');
    const days = [0, -1, 1, -1, 0].map((after_ms) => calendar.day(new Date(midnight + after_ms)));
    expect(days).toEqual(['2026-11-17', '2026-11-16', '2026-11-17', '2026-11-16', '2026-11-17']);
  });
});
