import { au } from './au.ts';
import { ca } from './ca.ts';
import { de } from './de.ts';
import { fr } from './fr.ts';
import { gb } from './gb.ts';
import { generic } from './generic.ts';
import { ie } from './ie.ts';
import { nl } from './nl.ts';
import { nz } from './nz.ts';
import type { CountryProfile } from './profile.ts';
import { us } from './us.ts';

interface Countries {
  readonly [code: string]: CountryProfile;
}

/** Every profile of the product by its code, without a prototype: codes are input. `generic` has no zone and no currency. */
export const builtInCountries: Countries = Object.assign(Object.create(null), {
  ...{ gb, ca, us, au, nz, ie, nl, de, fr },
  generic,
});

// What CLDR lists with US Letter; everybody else writes on A4.
const letterPaper = new Set('BZ CA CL CO CR GT MX NI PA PH PR SV US VE'.split(' '));

/** The profile of a country that has none of its own: `generic` for its region. Zone and currency are still to be said. */
export function genericCountry(code: string): CountryProfile {
  const region = code.toUpperCase();
  const name = new Intl.DisplayNames('en', { type: 'region' }).of(region) ?? region;
  return {
    ...generic,
    code,
    name,
    locale: `en-${region}`,
    calendar: { ...generic.calendar, weekend: weekendOf(region) },
    phone: { ...generic.phone, region, regions: [region] },
    address: { ...generic.address, homeNames: [name] },
    letter: { ...generic.letter, paper: letterPaper.has(region) ? 'letter' : 'a4' },
  };
}

/** Intl knows it, in Node 20 as a property and later as a method; the types of neither are in the standard library yet. */
function weekendOf(region: string): number[] {
  const locale = new Intl.Locale(`und-${region}`) as Intl.Locale & {
    weekInfo?: { weekend: number[] };
    getWeekInfo?: () => { weekend: number[] };
  };
  return (locale.getWeekInfo?.() ?? locale.weekInfo)?.weekend ?? generic.calendar.weekend;
}
