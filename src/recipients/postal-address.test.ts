import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gb } from '../countries/gb.ts';
import { addressRules } from './address-rules.ts';
import {
  addressLinesFromPersonalisation,
  checkPostalAddress,
  type PostalAddress,
  type PostalAddressReason,
  parsePostalAddress,
  parsePostcode,
} from './postal-address.ts';

const atHome = { international: false };
const abroad = { international: true };

describe('parsePostalAddress', () => {
  it.each<[string, string[], Partial<PostalAddress>]>([
    [
      'a UK address',
      ['Ada Lovelace', '12 St James Square', 'london', 'sw1y4jh'],
      {
        lines: ['Ada Lovelace', '12 St James Square', 'london', 'SW1Y 4JH'],
        postcode: 'SW1Y 4JH',
        zone: 'united-kingdom',
        international: false,
        bfpoNumber: null,
      },
    ],
    [
      'untidy lines',
      ['  Ada\u00A0 Lovelace , ', '', ' , ,', '12 St James\u200B Square ,,', 'London .', 'SW1Y 4JH,'],
      { lines: ['Ada Lovelace', '12 St James Square', 'London.', 'SW1Y 4JH'] },
    ],
    [
      'line breaks inside a line',
      ['Ada Lovelace\n12 St James Square\r\nLondon\u2028SW1Y 4JH'],
      { lines: ['Ada Lovelace', '12 St James Square', 'London', 'SW1Y 4JH'] },
    ],
    [
      'all names of the UK at the end',
      ['A', 'B', 'EH1 1TG', 'Scotland', 'Great Britain', 'United Kingdom'],
      { lines: ['A', 'B', 'EH1 1TG'], postcode: 'EH1 1TG' },
    ],
    [
      'a name of the UK higher up stays',
      ['Scotland', '1 High Street', 'EH1 1TG', 'UK'],
      { lines: ['Scotland', '1 High Street', 'EH1 1TG'], postcode: 'EH1 1TG' },
    ],
    [
      'a foreign country is printed by its own name and has no UK postcode',
      ['A', '1 Rue', 'SW1Y 4JH', 'NORGE'],
      { lines: ['A', '1 Rue', 'SW1Y 4JH', 'Norway'], zone: 'europe', international: true, postcode: null },
    ],
    [
      'only the last line names the country',
      ['A', 'Norge', 'UK'],
      { lines: ['A', 'Norge'], zone: 'united-kingdom', international: false },
    ],
    [
      'forces post without a postcode',
      ['Cpl Jones', 'bfpo c/o 0057', 'Bare BFPO', 'BFPO', 'Unit 3', 'England'],
      { lines: ['Cpl Jones', 'Bare BFPO', 'Unit 3', 'BFPO 57'], bfpoNumber: 57, postcode: null },
    ],
    [
      'forces post with a postcode',
      ['Cpl Jones', 'BFPO 57', 'bf1 2au'],
      { lines: ['Cpl Jones', 'BF1 2AU', 'BFPO 57'], bfpoNumber: 57, postcode: 'BF1 2AU' },
    ],
    [
      'forces post with a country',
      ['Cpl Jones', 'BFPO57', 'Cyprus'],
      { lines: ['Cpl Jones', 'BFPO 57', 'Cyprus'], bfpoNumber: 57, zone: 'europe' },
    ],
    ['BFPO without a number is text', ['A', 'BFPO', 'N1 6XY'], { lines: ['A', 'BFPO', 'N1 6XY'], bfpoNumber: null }],
    ['only a BFPO number', ['BFPO 1'], { lines: ['BFPO 1'], bfpoNumber: 1, postcode: null }],
    ['only a country', ['', 'UK'], { lines: [], zone: 'united-kingdom' }],
    ['nothing', [], { lines: [], zone: 'united-kingdom', international: false, postcode: null, bfpoNumber: null }],
  ])('%s', (_, lines, expected) => {
    expect(parsePostalAddress(lines)).toMatchObject(expected);
  });

  it('is idempotent', () => {
    const words = [
      'Ada',
      '1 High St',
      'SW1Y 4JH',
      'sw1y4jh',
      'France',
      'UK',
      'Jersey',
      'BFPO 7',
      'BFPO',
      ' , ',
      'x ,y',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { maxLength: 9 }), (lines) => {
        const once = parsePostalAddress(lines);
        // A UK name above a foreign country, or above an invalid postcode, would be dropped the second time.
        fc.pre(!once.lines.some((line) => ['UK', 'Jersey', 'France'].includes(line)) || once.international);
        expect(parsePostalAddress(once.lines)).toEqual(once);
      }),
    );
  });
});

describe('checkPostalAddress', () => {
  it.each<[PostalAddressReason, string[], { international: boolean }]>([
    ['address-is-empty', ['', ' ,', 'England'], atHome],
    ['not-enough-address-lines', ['A', 'N1 6XY'], atHome],
    ['not-enough-address-lines', ['A', 'BFPO 1'], atHome],
    ['too-many-address-lines', ['1', '2', '3', '4', '5', '6', '7', 'N1 6XY'], atHome],
    ['too-many-address-lines', ['1', '2', '3', '4', '5', '6', '7', 'Chile'], abroad],
    ['invalid-address-line-1-or-2', ['***', '1 High Street', 'N1 6XY'], atHome],
    ['invalid-address-line-1-or-2', ['Ada', '–', 'N1 6XY'], atHome],
    ['has-country-for-bfpo-address', ['Ada', 'Camp', 'BFPO 57', 'Cyprus'], abroad],
    ['cant-send-international-letters', ['Ada', '1 Calle', 'Chile'], atHome],
    ['not-a-real-uk-postcode', ['Ada', '1 High Street', 'London'], atHome],
    ['not-a-real-uk-postcode', ['Ada', '1 High Street', 'London N1 6XY'], atHome],
    ['not-a-real-uk-postcode-or-country', ['Ada', '1 High Street', 'Atlantis'], abroad],
    ['invalid-char-in-address', ['Ada', '(flat 2)', 'N1 6XY'], atHome],
    ['invalid-char-in-address', ['Ada', '1 Calle', '~', 'Chile'], abroad],
    ['invalid-char-in-address', ['”Ada”', '1 High Street', 'N1 6XY'], atHome],
    ['no-fixed-abode-address', ['Ada', 'nfa', 'N1 6XY'], atHome],
    ['no-fixed-abode-address', ['Ada', 'of No Fixed  Address', 'N1 6XY'], atHome],
  ])('%s: %j', (reason, lines, allowed) => {
    expect(checkPostalAddress(parsePostalAddress(lines), allowed)).toBe(reason);
  });

  it.each<[string[], { international: boolean }]>([
    [['Ada', '1 High Street', 'N1 6XY'], atHome],
    [['Ada', '1 High Street', 'N1 6XY'], abroad],
    [['Ada', '2', '3', '4', '5', '6', 'N1 6XY', 'UK'], atHome],
    [['Ada', '1 Calle', 'Chile'], abroad],
    [['Ada', 'Camp', 'BFPO 57'], atHome],
    [['Ada', 'BFPO 57', 'BF1 2AU'], atHome],
    [['Ada', 'NFA House', 'N1 6XY'], atHome],
  ])('accepts %j', (lines, allowed) => {
    expect(checkPostalAddress(parsePostalAddress(lines), allowed)).toBeUndefined();
  });

  it.each([...'@()=[]"\\/<>~'])('rejects a line that starts with %s, but not one that contains it', (character) => {
    const check = (line: string) => checkPostalAddress(parsePostalAddress(['Ada', 'B', line, 'N1 6XY']), atHome);
    expect(check(`${character}x`)).toBe('invalid-char-in-address');
    expect(check(`x${character}`)).toBeUndefined();
  });
});

describe('the postage of an address', () => {
  it.each([
    [['Ada', '1 High Street', 'N1 6XY'], 'first'],
    [['Ada', '1 Road', 'Jersey'], 'first'],
    [['Ada', '1 Gate', 'Norway'], 'europe'],
    [['Ada', '1 Calle', 'Chile'], 'rest-of-world'],
  ])('the postage of %j is %s', (lines, postage) => {
    expect(addressRules(gb).postage(parsePostalAddress(lines), 'first')).toBe(postage);
  });
});

describe('addressLinesFromPersonalisation', () => {
  it('reads the six lines and the postcode, in order, by their exact names', () => {
    const personalisation = {
      postcode: 'N1 6XY',
      address_line_2: 12,
      address_line_1: 'Ada',
      'address line 3': 'no',
      name: 'x',
    };
    expect(addressLinesFromPersonalisation(personalisation)).toEqual(['Ada', '12', '', '', '', '', 'N1 6XY']);
  });

  it('uses the seventh line as the postcode if present', () => {
    expect(addressLinesFromPersonalisation({ address_line_7: 'Chile', postcode: 'N1 6XY' }).at(-1)).toBe('Chile');
    expect(addressLinesFromPersonalisation({ address_line_7: null, postcode: 'N1 6XY' }).at(-1)).toBe('');
  });

  it('reads a list as lines and a value without text as empty', () => {
    const personalisation = {
      address_line_1: ['Ada', null, 2, ['deep']],
      address_line_2: { file: 'x' },
      address_line_3: true,
    };
    expect(addressLinesFromPersonalisation(personalisation).slice(0, 3)).toEqual(['Ada\n\n2\n', '', 'true']);
  });
});

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
