import { describe, expect, it } from 'vitest';
import { createCountry } from '../../countries/country.ts';
import { gb } from '../../countries/gb.ts';
import { estimatedDelivery, printRunDay } from './estimated-delivery.ts';

const country = createCountry(gb);

describe('estimated delivery', () => {
  it.each([
    // created, postage, delivered by
    ['2000-12-01T00:00:00Z', 'second', '2000-12-11T16:00:00.000000Z'],
    ['2000-06-01T00:00:00Z', 'first', '2000-06-03T15:00:00.000000Z'],
    // before and after 17:30 London time on a Monday in summer
    ['2026-06-15T16:29:59Z', 'first', '2026-06-17T15:00:00.000000Z'],
    ['2026-06-15T16:30:00Z', 'first', '2026-06-18T15:00:00.000000Z'],
    ['2026-06-15T12:00:00Z', 'second', '2026-06-23T15:00:00.000000Z'],
    ['2026-06-15T12:00:00Z', 'economy', '2026-06-25T15:00:00.000000Z'],
    ['2026-06-15T12:00:00Z', 'europe', '2026-06-24T15:00:00.000000Z'],
    ['2026-06-15T12:00:00Z', 'rest-of-world', '2026-06-26T15:00:00.000000Z'],
    // over Christmas 2026: printed on Tuesday 29 December
    ['2026-12-24T12:00:00Z', 'first', '2026-12-30T16:00:00.000000Z'],
  ] as const)('accepted %s, %s class: %s', (created, postage, expected) => {
    expect(estimatedDelivery(country, new Date(created), postage)).toBe(expected);
  });

  it('assigns letters after 17:30 in London to the next print run', () => {
    expect(printRunDay(country, new Date('2026-01-05T17:29:59Z'))).toBe('2026-01-05');
    expect(printRunDay(country, new Date('2026-01-05T17:30:00Z'))).toBe('2026-01-06');
  });
});
