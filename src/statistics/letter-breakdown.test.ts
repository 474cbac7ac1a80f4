import { describe, expect, it } from 'vitest';
import { createCountry } from '../countries/country.ts';
import { gb } from '../countries/gb.ts';
import { letterBreakdown } from './service-costs.ts';

const country = createCountry(gb);

describe('letterBreakdown', () => {
  it('lists economy, second, first, international, cheapest first; merges both zones at the same price', () => {
    expect(
      letterBreakdown(country, [
        ['rest-of-world', 1.8, 2],
        ['europe', 1.8, 3],
        ['europe', 1.84, 4],
        ['first', 0.5, 1],
        ['second', 0.82, 7],
        ['second', 0.73, 8],
        ['economy', 0.638, 9],
      ]),
    ).toBe(
      [
        '9 economy class letters at 64p\n',
        '8 second class letters at 73p\n',
        '7 second class letters at 82p\n',
        '1 first class letters at 50p\n',
        '5 international letters at £1.80\n',
        '4 international letters at £1.84\n',
      ].join(''),
    );
    expect(letterBreakdown(country, [])).toBe('');
  });
});
