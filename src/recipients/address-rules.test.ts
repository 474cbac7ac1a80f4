import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { processorTime_ms, quadratic_ms } from '../../test/kit/process/processor-time.ts';
import { builtInCountries } from '../countries/built-in.ts';
import { addressRules } from './address-rules.ts';
import { addressParts, isAddressOf } from './recipient.ts';

const everywhere = { international: true };

function countryOf(code: string) {
  const country = builtInCountries[code];
  if (!country) throw new Error(`no profile ${code}`);
  return country;
}

function read(code: string, lines: string[], allowed = everywhere) {
  const rules = addressRules(countryOf(code));
  const address = rules.parse(lines);
  return { ...address, reason: rules.check(address, allowed), postage: rules.postage(address, null) };
}

describe('an address at home', () => {
  it.each([
    ['nl', ['J. de Vries', 'Dorpsstraat 12', 'nl-1234ab ede'], '1234 AB  ede'],
    ['nl', ['J. de Vries', 'Dorpsstraat 12', 'Ede', '1234 AB', 'Nederland', 'Holland'], '1234 AB  Ede'],
    ['de', ['E. Muster', 'Weg 2', 'DE-10115 Berlin'], '10115 Berlin'],
    ['fr', ['J. Martin', '12 rue de la Paix', '75002 Paris 2e'], '75002 Paris 2e'],
    ['fr', ['Mairie', 'BP 123', 'BORDEAUX CEDEX 9', '33000'], '33000 BORDEAUX CEDEX 9'],
    ['us', ['J. Doe', '1 Main St', '62704 1234 Springfield IL'], 'Springfield IL 62704-1234'],
    ['au', ['S. Lee', '1 Station St', 'Box Hill VIC 3128'], 'Box Hill VIC 3128'],
  ])('%s: %j', (code, lines, last) => {
    const { lines: printed, reason, international } = read(code, lines);
    expect([printed.at(-1), reason, international]).toEqual([last, undefined, false]);
  });

  it.each([
    [
      'a street beside the postcode',
      'nl',
      ['J. de Vries', 'Afdeling', 'Dorpsstraat 12', '1234 AB'],
      'no-town-beside-postcode',
    ],
    ['a box beside the postcode', 'nl', ['Gemeente', 'Afdeling', 'Postbus', '1234 AB'], 'no-town-beside-postcode'],
    [
      'a box that looks like a postcode',
      'nz',
      ['A. Smith', 'Te Aro', 'PO Box 1234'],
      'not-a-real-uk-postcode-or-country',
    ],
    [
      'a street that ends with a postcode',
      'us',
      ['J. Doe', 'Apt 4', '1600 Main St 62704'],
      'not-a-real-uk-postcode-or-country',
    ],
    ['no fixed abode', 'de', ['Max Muster', 'ohne festen Wohnsitz', '10115 Berlin'], 'no-fixed-abode-address'],
  ])('is refused: %s', (_, code, lines, reason) => {
    expect(read(code, lines).reason).toBe(reason);
  });
});

describe('the country of an address', () => {
  it.each([
    ['nl', 'Georgië', 'GE', 'Georgië'],
    ['nl', 'Georgia', 'GE', 'Georgië'],
    ['nl', 'Jersey', 'JE', 'Jersey'],
    ['de', 'DD', null, undefined],
    ['de', 'Vereinigtes Königreich', 'GB', 'Vereinigtes Königreich'],
    ['fr', 'The Gambia', 'GM', 'Gambie'],
    ['nl', 'Madeira', null, 'Madeira'],
  ])('in %s %j is %s', (code, line, region, printed) => {
    const { international, country, lines } = read(code, ['A. Person', '1 Street', 'Town', line]);
    if (printed === undefined) expect(international).toBe(false);
    else expect([international, country, lines.at(-1)]).toEqual([true, region, printed]);
  });

  it.each([
    [['J. Doe', '1 Main St', 'Atlanta 30301', 'Georgia'], false],
    [['J. Doe', '1 Main St', 'Wilmington', 'DE'], false],
    [['J. Doe', '1 Main St', 'Tbilisi 0108', 'Georgia'], true],
    [['J. Doe', '1 Main St', 'Berlin', 'Germany'], true],
  ])('is not believed where it is a state: %j', (lines, international) => {
    expect(read('us', lines).international).toBe(international);
    expect(read('us', lines).reason).toBe(international ? undefined : 'not-a-real-uk-postcode-or-country');
  });

  it('chooses the class', () => {
    expect(read('ca', ['J. Doe', '1 Main St', 'Springfield IL 62704', 'USA']).postage).toBe('usa');
    expect(read('ie', ['A. Person', '1 Street', 'Belfast', 'UK']).postage).toBe('europe');
    expect(read('ie', ['A. Person', '1 Street', 'Funchal', 'Madeira']).postage).toBe('europe');
  });

  it('is refused where no class goes there', () => {
    const nl = countryOf('nl');
    const [home] = nl.postage.classes;
    const atHome = { ...nl, postage: { ...nl.postage, classes: home ? [home] : [] } };
    const rules = addressRules(atHome);
    const address = rules.parse(['A. Person', '1 Street', 'Berlin', 'Duitsland']);
    expect(rules.check(address, everywhere)).toBe('cant-send-international-letters');
  });
});

describe('isAddressOf', () => {
  it('finds a postcode that shares its line with the town', () => {
    const country = countryOf('nl');
    const stored = 'Mw. J. de Vries\nDorpsstraat 12\n1234 AB  Amsterdam';
    const isTheirs = (sought: string) => isAddressOf(stored, { address: addressParts(country, sought), country });
    expect(['Mw J de Vries\n1234ab', 'mw j de vries, 1234 AB Amsterdam', 'J. de Vries\n1234 AB'].map(isTheirs)).toEqual(
      [...[true, true, false]],
    );
  });
});

describe.each(Object.keys(builtInCountries))('in %s', (code) => {
  const rules = addressRules(countryOf(code));
  const words = fc.constantFrom(
    '1234 AB',
    '10115',
    'K1A 0B1',
    'Ede',
    'Weg 2',
    'Georgia',
    'PO Box 1',
    'Nederland',
    'D-',
    ',',
    'é',
  );

  it('what is printed is read as the same address', () => {
    const lines = fc.array(
      fc.array(words, { maxLength: 3 }).map((line) => line.join(' ')),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(lines, (given) => {
        const once = rules.parse(given);
        // What stood above a name of the home country, or above a line without postcode, is read as a country the second time.
        fc.pre(!once.lines.slice(0, -1).some((line) => /nederland/i.test(line)));
        fc.pre(once.international || !/georgia|nederland/i.test(once.lines.join()));
        expect(rules.parse(once.lines)).toEqual(once);
      }),
    );
  });

  // Anything quadratic takes minutes on so many characters.
  it('is fast for 300,000 characters of any input', () => {
    for (const piece of ['1', '1 ', 'a ', 'a, ', '1234 AB ', 'NL-', '\n1']) {
      const input = piece.repeat(300_000 / piece.length);
      const time = processorTime_ms(() => void rules.check(rules.parse([input]), everywhere));
      expect(time, piece).toBeLessThan(quadratic_ms);
    }
  }, 60_000);
});
