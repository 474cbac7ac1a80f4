import { describe, expect, it } from 'vitest';
import { builtInCountries } from '../../countries/built-in.ts';
import { createCountry } from '../../countries/country.ts';
import { fr } from '../../countries/fr.ts';
import { nz } from '../../countries/nz.ts';
import { checkLetters } from './letters.ts';

const now = new Date('2026-11-16T12:00:00Z');

describe('letters in the doctor', () => {
  it.each(Object.keys(builtInCountries).filter((code) => !['fr', 'generic'].includes(code)))(
    'finds nothing to say about %s',
    (code) => {
      const profile = builtInCountries[code];
      expect(profile && checkLetters(createCountry(profile), now)).toEqual([]);
    },
  );

  it('warns that the window of France must be agreed on with the printer', () => {
    const [found, ...others] = checkLetters(createCountry(fr), now);
    expect(others).toEqual([]);
    expect(found).toMatchObject({ name: 'window', ok: true, is_warning: true });
    expect(found?.description).toContain('Agree on its place with your printer and set letter.window in COUNTRY_FILE.');
    const { provisionalWindow: _, ...agreed } = fr.letter;
    expect(checkLetters(createCountry({ ...fr, letter: agreed }), now)).toEqual([]);
  });

  it('warns a year before a table of holidays ends', () => {
    const country = createCountry(nz);
    expect(checkLetters(country, new Date('2051-12-31T00:00:00Z'))).toEqual([]);
    for (const day of ['2052-01-01', '2053-06-01', '2060-01-01']) {
      const [found] = checkLetters(country, new Date(day));
      expect(found).toMatchObject({ name: 'holidays', ok: true, is_warning: true });
      expect(found?.description).toMatch(/^A table of holidays does not go beyond 2052\./);
    }
  });
});
