import { describe, expect, it } from 'vitest';
import { findInternationalRate, listInternationalPrefixes } from './international-rates.ts';

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

  it('lists each of its 223 prefixes once', () => {
    const prefixes = listInternationalPrefixes();
    expect(prefixes).toHaveLength(223);
    expect(prefixes.every((prefix) => /^[1-9][0-9]{0,3}$/.test(prefix))).toBe(true);
  });

  it('has flags only for prefixes that have a price', () => {
    const rates = listInternationalPrefixes().map((prefix) => findInternationalRate(prefix));
    expect(rates.filter((rate) => !rate?.receiptsHonoured)).toHaveLength(71);
    expect(rates.filter((rate) => rate?.numericSenderOnly)).toHaveLength(42);
  });

  it.each(['', '44 ', '247', '850', '1202', 'constructor'])('has no %j', (prefix) => {
    expect(findInternationalRate(prefix)).toBeUndefined();
  });
});
