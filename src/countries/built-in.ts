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

/** Every built-in profile by its code. The object has no prototype, because codes are input. `generic` has no zone and no currency. */
export const builtInCountries: Countries = Object.assign(Object.create(null), {
  ...{ gb, ca, us, au, nz, ie, nl, de, fr },
  generic,
});

// The regions that CLDR lists with US Letter; all others use A4.
const letterPaper = new Set('BZ CA CL CO CR GT MX NI PA PH PR SV US VE'.split(' '));

/** Returns the profile of a country without one of its own: `generic` for its region. Zone and currency must still be set. */
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

/** Intl has this as a property in Node 20 and as a method later. Neither is in the types of the standard library yet. */
function weekendOf(region: string): number[] {
  const locale = new Intl.Locale(`und-${region}`) as Intl.Locale & {
    weekInfo?: { weekend: number[] };
    getWeekInfo?: () => { weekend: number[] };
  };
  return (locale.getWeekInfo?.() ?? locale.weekInfo)?.weekend ?? generic.calendar.weekend;
}
