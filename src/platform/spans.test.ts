import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays } from '../countries/calendar.ts';
import { spansOf, withinRecords } from './spans.ts';

function short(first_day: string, last_day: string): string[] {
  return spansOf({ first_day, last_day }).map(({ span, first_day, last_day }) => `${span} ${first_day} ${last_day}`);
}

describe('spansOf', () => {
  it.each([
    ['2026-02-01', '2026-02-28', ['month 2026-02-01 2026-02-28']],
    ['2024-02-26', '2024-02-29', ['five_days 2024-02-26 2024-02-29']],
    ['2026-12-26', '2027-01-31', ['five_days 2026-12-26 2026-12-31', 'month 2027-01-01 2027-01-31']],
    ['2026-05-31', '2026-05-31', ['day 2026-05-31 2026-05-31']],
    [
      '2026-05-09',
      '2026-05-16',
      [
        'day 2026-05-09 2026-05-09',
        'day 2026-05-10 2026-05-10',
        'five_days 2026-05-11 2026-05-15',
        'day 2026-05-16 2026-05-16',
      ],
    ],
    ['2026-05-02', '2026-05-01', []],
  ])('%s to %s', (first, last, expected) => expect(short(first, last)).toEqual(expected));

  it('covers every day once, in order, with few single days', () => {
    fc.assert(
      fc.property(fc.nat(4_000), fc.nat(800), (start, length) => {
        const first = addDays('2018-01-01', start);
        const last = addDays(first, length);
        const spans = spansOf({ first_day: first, last_day: last });
        expect(spans.at(0)?.first_day).toBe(first);
        expect(spans.at(-1)?.last_day).toBe(last);
        for (const [index, { first_day }] of spans.entries()) {
          if (index > 0) expect(first_day).toBe(addDays(spans[index - 1]?.last_day ?? '', 1));
        }
        expect(spans.filter(({ span }) => span === 'day').length).toBeLessThanOrEqual(10);
        expect(spans.filter(({ span }) => span === 'five_days').length).toBeLessThanOrEqual(10);
      }),
    );
  });

  it('is limited to a century', () => {
    expect(spansOf(withinRecords({ first_day: '0001-01-01', last_day: '9999-12-31' }))).toHaveLength(1200);
    expect(spansOf(withinRecords({ first_day: '1066-01-01', last_day: '1066-12-31' }))).toEqual([]);
  });
});
