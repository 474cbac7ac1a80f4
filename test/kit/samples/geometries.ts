import { gb } from '../../../src/countries/gb.ts';
import { createGeometry, type Geometry } from '../../../src/countries/letter-geometry.ts';
import type { CountryProfile } from '../../../src/countries/profile.ts';

/** The paper and windows of letters. */

export const gbGeometry = createGeometry(gb.letter);

export function geometryOf(window: CountryProfile['letter']['window'], paper: 'a4' | 'letter' = 'a4'): Geometry {
  return createGeometry({ ...gb.letter, window, paper });
}
