import { describe, expect, it } from 'vitest';
import { weekday } from './calendar.ts';
import { de } from './de.ts';
import { gb } from './gb.ts';
import { Holidays } from './holidays.ts';
import type { HolidayRule } from './profile.ts';

const { holidays: ofGb, calendar } = gb;

const bankHolidays = new Holidays(ofGb, calendar.weekend);

const withRules = (rules: HolidayRule[], weekend = [6, 7], changes: typeof ofGb.changes = {}) =>
  new Holidays({ strategy: 'rules', rules, changes, regions: {} }, weekend);

const sorted = (days: ReadonlySet<string>) => [...days].sort();

describe('bank holidays of England and Wales', () => {
  it.each([
    [2016, '01-01 03-25 03-28 05-02 05-30 08-29 12-26 12-27'],
    [2019, '01-01 04-19 04-22 05-06 05-27 08-26 12-25 12-26'],
    [2020, '01-01 04-10 04-13 05-08 05-25 08-31 12-25 12-28'],
    [2021, '01-01 04-02 04-05 05-03 05-31 08-30 12-27 12-28'],
    [2022, '01-03 04-15 04-18 05-02 06-02 06-03 08-29 09-19 12-26 12-27'],
    [2023, '01-02 04-07 04-10 05-01 05-08 05-29 08-28 12-25 12-26'],
    [2025, '01-01 04-18 04-21 05-05 05-26 08-25 12-25 12-26'],
    [2026, '01-01 04-03 04-06 05-04 05-25 08-31 12-25 12-28'],
    [2027, '01-01 03-26 03-29 05-03 05-31 08-30 12-27 12-28'],
  ])('%i', (year, days) => {
    expect(sorted(bankHolidays.ofYear(year))).toEqual(days.split(' ').map((day) => `${year}-${day}`));
  });

  it('are always weekdays, eight a year unless extra ones were granted', () => {
    for (let year = 2028; year < 2100; year += 1) {
      const days = [...bankHolidays.ofYear(year)];
      expect(days).toHaveLength(8);
      for (const day of days) expect([1, 2, 3, 4, 5]).toContain(weekday(day));
    }
  });

  it('checks single days', () => {
    expect(bankHolidays.has('2026-12-28')).toBe(true);
    expect(bankHolidays.has('2026-12-27')).toBe(false);
  });

  it('get further days from the rules of an own profile', () => {
    const rules: HolidayRule[] = [{ on: '11-30', shift: 'monday' }];
    const scottish = new Holidays({ ...ofGb, rules }, calendar.weekend);
    expect(sorted(scottish.ofYear(2025))).toContain('2025-12-01');
    expect(scottish.ofYear(2025).size).toBe(9);
  });
});

describe('rules for holidays', () => {
  it.each<[string, HolidayRule, number, string[]]>([
    ['a date stays on a weekend', { on: '05-01' }, 2027, ['2027-05-01']],
    ['a date moves to Monday', { on: '04-25', shift: 'monday' }, 2027, ['2027-04-26']],
    ['a Saturday is observed on Friday', { on: '06-19', shift: 'nearest' }, 2027, ['2027-06-18']],
    ['a Sunday is observed on Monday', { on: '07-04', shift: 'nearest' }, 2027, ['2027-07-05']],
    ['a Sunday is kept on Saturday', { on: '04-27', shift: 'sunday-before' }, 2025, ['2025-04-26']],
    ['a Saturday is kept', { on: '04-27', shift: 'sunday-before' }, 2024, ['2024-04-27']],
    ['before its first year', { on: '06-19', from: 2021 }, 2020, []],
    ['in its first year', { on: '06-19', from: 2021 }, 2021, ['2021-06-19']],
    ['in its last year', { on: '04-30', until: 2013 }, 2013, ['2013-04-30']],
    ['after its last year', { on: '04-30', until: 2013 }, 2014, []],
    ['a day that only leap years have', { on: '02-29' }, 2027, []],
    ['Good Friday', { easter: -2 }, 2026, ['2026-04-03']],
    ['Whit Monday', { easter: 50 }, 2027, ['2027-05-17']],
    ['the fourth Thursday of November', { weekday: 4, nth: 4, month: 11 }, 2026, ['2026-11-26']],
    ['the last Monday of May', { weekday: 1, nth: -1, month: 5 }, 2027, ['2027-05-31']],
    ['a month without a fifth Monday', { weekday: 1, nth: 5, month: 2 }, 2027, []],
    ['the Monday before 25 May, if that is a Monday', { before: '05-25', weekday: 1 }, 2026, ['2026-05-18']],
    ['the Monday before 25 May', { before: '05-25', weekday: 1 }, 2027, ['2027-05-24']],
    ['a year of a table', { table: { 2026: '07-10' } }, 2026, ['2026-07-10']],
    ['a year that the table lacks', { table: { 2026: '07-10' } }, 2027, []],
  ])('%s', (_, rule, year, expected) => {
    expect(sorted(withRules([rule]).ofYear(year))).toEqual(expected);
  });

  it('gives Monday and Tuesday to two days on one weekend', () => {
    const christmas = withRules([
      { on: '12-25', shift: 'monday' },
      { on: '12-26', shift: 'monday' },
    ]);
    expect(sorted(christmas.ofYear(2027))).toEqual(['2027-12-27', '2027-12-28']);
    expect(sorted(christmas.ofYear(2026))).toEqual(['2026-12-25', '2026-12-28']);
    expect(sorted(christmas.ofYear(2022))).toEqual(['2022-12-26', '2022-12-27']);
  });

  it('observes a day in the year before its own', () => {
    const newYear = withRules([{ on: '01-01', shift: 'nearest' }]);
    expect(sorted(newYear.ofYear(2027))).toEqual(['2027-01-01', '2027-12-31']);
    expect(sorted(newYear.ofYear(2028))).toEqual([]);
  });

  it('moves days around a weekend of Friday and Saturday', () => {
    const rules: HolidayRule[] = [{ on: '01-07', shift: 'monday' }];
    // 7 January 2028 is a Friday.
    expect(sorted(withRules(rules, [5, 6]).ofYear(2028))).toEqual(['2028-01-09']);
    expect(sorted(withRules([{ on: '01-07', shift: 'nearest' }], [5, 6]).ofYear(2028))).toEqual(['2028-01-06']);
    expect(withRules([], [5, 6]).isWorkingDay('2026-11-20')).toBe(false);
    expect(withRules([], [5, 6]).isWorkingDay('2026-11-22')).toBe(true);
  });

  it('adds and removes days that a government changed', () => {
    const changed = withRules([{ weekday: 1, nth: 1, month: 5 }], [6, 7], {
      2020: { added: ['2020-05-08'], removed: ['2020-05-04'] },
    });
    expect(sorted(changed.ofYear(2020))).toEqual(['2020-05-08']);
    expect(sorted(changed.ofYear(2021))).toEqual(['2021-05-03']);
  });

  it('says when a table of days has ended', () => {
    const matariki = withRules([{ on: '01-01' }, { table: { 2026: '07-10' } }]);
    expect(matariki.isKnown(2026)).toBe(true);
    expect(matariki.isKnown(2027)).toBe(false);
  });
});

it('a part of the country adds its own days', () => {
  const inSaxony = new Holidays({ ...de.holidays, region: 'SN' }, de.calendar.weekend).ofYear(2026);
  const everywhere = new Holidays(de.holidays, de.calendar.weekend).ofYear(2026);
  // Reformation Day, and the Day of Repentance: the Wednesday before 23 November.
  expect(sorted(inSaxony)).toEqual([...everywhere, '2026-10-31', '2026-11-18'].sort());
});
