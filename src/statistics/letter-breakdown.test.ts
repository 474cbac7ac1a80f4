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
  it('economy, second, first, international; cheapest first; both zones in one line at one price', () => {
    expect(
      letterBreakdown([
        { postage: 'rest-of-world', rate: '1.80', letters: 2 },
        { postage: 'europe', rate: '1.8', letters: 3 },
        { postage: 'europe', rate: '1.84', letters: 4 },
        { postage: 'first', rate: '0.5', letters: 1 },
        { postage: 'second', rate: '0.82', letters: 7 },
        { postage: 'second', rate: '0.73', letters: 8 },
        { postage: 'economy', rate: '0.638', letters: 9 },
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
