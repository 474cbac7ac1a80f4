import { describe, expect, it } from 'vitest';
import { bankHolidays, isBankHoliday, weekday } from './estimated-delivery.ts';

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
    expect([...bankHolidays(year)].sort()).toEqual(days.split(' ').map((day) => `${year}-${day}`));
  });

  it('are always weekdays, eight a year unless extra ones were granted', () => {
    for (let year = 2028; year < 2100; year += 1) {
      const days = [...bankHolidays(year)];
      expect(days).toHaveLength(8);
      for (const day of days) expect([1, 2, 3, 4, 5]).toContain(weekday(day));
    }
  });

  it('isBankHoliday checks single days', () => {
    expect(isBankHoliday('2026-12-28')).toBe(true);
    expect(isBankHoliday('2026-12-27')).toBe(false);
  });
});
