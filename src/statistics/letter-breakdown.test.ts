import { describe, expect, it } from 'vitest';
import { letterBreakdown, priceInWords } from './letter-breakdown.ts';

describe('priceInWords', () => {
  it.each([
    [0.45, '45p'],
    [0.5, '50p'],
    [0.638, '64p'],
    [0.645, '64p'],
    [0.655, '66p'],
    [0.995, '100p'],
    [0, '0p'],
    [1, '£1.00'],
    [1.55, '£1.55'],
    [1.005, '£1.00'],
    [1.8, '£1.80'],
    [1234.5, '£1,234.50'],
  ])('%d is %s', (pounds, words) => expect(priceInWords(pounds)).toBe(words));
});

describe('letterBreakdown', () => {
  it('lists economy, second, first, international, cheapest first; merges both zones at the same price', () => {
    expect(
      letterBreakdown([
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
    expect(letterBreakdown([])).toBe('');
  });
});
