import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePostcode } from './postcode.ts';

describe('parsePostcode', () => {
  it.each([
    ['n16xy', 'N1 6XY'],
    ['  SW1A2AA ', 'SW1A 2AA'],
    ['c f 1 0 3 n q', 'CF10 3NQ'],
    ['wc2n\u00A05\u200Bdu', 'WC2N 5DU'],
    ['BT1\t5GS', 'BT1 5GS'],
    ['JE23BP', 'JE2 3BP'],
    ['bf1 2au', 'BF1 2AU'],
  ])('formats %j as %s', (input, printed) => {
    expect(parsePostcode(input)).toBe(printed);
  });

  it.each([
    '',
    'N1',
    'N1 6X',
    'N1 666XY',
    'N111 6XY',
    'XX1 6XY',
    'N1-6XY',
    'London N1 6XY',
    'N1 6CY',
    'N1 6XI',
    'N1 6XK',
    'N1 6MY',
    'N1 6XO',
    'N1 6VY',
    'GIR 0AA',
    'GX11 1AA',
    'BFPO 12',
    'ſW1A 2AA',
    'Ｎ１ 6XY',
  ])('rejects %j', (input) => {
    expect(parsePostcode(input)).toBeUndefined();
  });

  it('is idempotent', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Z]{1,2}[0-9][0-9A-Z]? ?[0-9][A-Z]{2}$/), (input) => {
        const printed = parsePostcode(input);
        if (printed) expect(parsePostcode(printed.toLowerCase())).toBe(printed);
      }),
    );
  });
});
