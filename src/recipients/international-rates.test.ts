import { describe, expect, it } from 'vitest';
import { findInternationalRate } from './international-rates.ts';

describe('the table of international rates', () => {
  it.each([
    ['1', 1, false, true],
    ['33', 2, true, false],
    ['44', 2, true, false],
    ['81', 2, true, true],
    ['977', 8, true, true],
    ['992', 10, true, false],
    ['998', 12, true, false],
    ['1664', 6, true, true],
    ['1868', 7, false, false],
  ])(
    'prefix %s costs %i, receipts %s, numeric sender only %s',
    (prefix, multiplier, receiptsHonoured, numericSenderOnly) => {
      expect(findInternationalRate(prefix)).toEqual({ multiplier, receiptsHonoured, numericSenderOnly });
    },
  );

  it('has 223 prefixes of up to four digits, and flags only for those', () => {
    const rates = Array.from({ length: 9_999 }, (_, n) => findInternationalRate(String(n + 1))).filter(Boolean);
    expect(rates).toHaveLength(223);
    expect(rates.filter((rate) => !rate?.receiptsHonoured)).toHaveLength(71);
    expect(rates.filter((rate) => rate?.numericSenderOnly)).toHaveLength(42);
  });

  it.each(['', '44 ', '247', '850', '1202', 'constructor'])('has no %j', (prefix) => {
    expect(findInternationalRate(prefix)).toBeUndefined();
  });
});
