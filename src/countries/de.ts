import { commonTypes, generic } from './generic.ts';
import type { CountryProfile, HolidayRule } from './profile.ts';

const epiphany: HolidayRule = { on: '01-06' };
const womensDay: HolidayRule = { on: '03-08' };
const corpusChristi: HolidayRule = { easter: 60 };
const assumption: HolidayRule = { on: '08-15' };
const reformation: HolidayRule = { on: '10-31' };
const allSaints: HolidayRule = { on: '11-01' };
const repentance: HolidayRule = { before: '11-23', weekday: 3 };

/**
 * Germany. An operator must confirm: the alphabet of text messages, short codes, postage with its days in transit, the cut-off, the types
 * of organisations, and that no postcode begins with 00.
 */
export const de: CountryProfile = {
  ...generic,
  code: 'de',
  name: 'Germany',
  locale: 'de-DE',
  languages: ['de', 'en'],
  calendar: { ...generic.calendar, zone: 'Europe/Berlin' },
  money: { ...generic.money, currency: 'EUR' },
  phone: {
    ...generic.phone,
    region: 'DE',
    regions: ['DE'],
    shortCode: '^[1-9][0-9]{4,5}$',
    emergency: ['110', '112'],
    // The regulator reserves this range for films.
    examples: ['0171 3920000', '0171 3920001'],
  },
  address: {
    ...generic.address,
    lines: { min: 3, max: 6 },
    postcode: {
      pattern: '^((?!00)[0-9]{5})$',
      format: '$1',
      place: 'before-town',
      gap: 1,
      required: true,
      prefix: 'DE?-',
    },
    boxWords: ['postfach'],
    refused: [...generic.address.refused, 'ohne festen wohnsitz', '^ofw$'],
    homeNames: ['Deutschland', 'Germany', 'Bundesrepublik Deutschland', 'Federal Republic of Germany', 'BRD'],
    countryLanguage: 'de',
    example: ['Frau Erika Muster', 'Hauptstraße 1', '10115 Berlin'],
  },
  postage: {
    ...generic.postage,
    classes: [
      {
        ...{ id: 'domestic', label: 'Germany', slot: 1, zone: 'home' },
        ...{ transitDays: 3, deliveryWeekdays: [1, 2, 3, 4, 5, 6], fileMark: 'D' },
      },
      {
        ...{ id: 'international', label: 'International', slot: 2, zone: 'abroad' },
        ...{ transitDays: 8, deliveryWeekdays: [1, 2, 3, 4, 5], fileMark: 'N' },
      },
    ],
  },
  letter: { ...generic.letter, window: 'din-5008-b' },
  holidays: {
    ...generic.holidays,
    rules: [
      { on: '01-01' },
      { easter: -2 },
      { easter: 1 },
      { on: '05-01' },
      { easter: 39 },
      { easter: 50 },
      { on: '10-03' },
      { on: '12-25' },
      { on: '12-26' },
    ],
    // Only holidays of the whole state, except the Assumption, which most of Bavaria has.
    regions: {
      BW: [epiphany, corpusChristi, allSaints],
      BY: [epiphany, corpusChristi, assumption, allSaints],
      BE: [womensDay],
      BB: [reformation],
      HB: [reformation],
      HH: [reformation],
      HE: [corpusChristi],
      MV: [womensDay, reformation],
      NI: [reformation],
      NW: [corpusChristi, allSaints],
      RP: [corpusChristi, allSaints],
      SL: [corpusChristi, assumption, allSaints],
      SN: [reformation, repentance],
      ST: [epiphany, reformation],
      SH: [reformation],
      TH: [{ on: '09-20' }, reformation],
    },
  },
  organisations: commonTypes,
  words: {
    country: 'Germany',
    inCountry: 'in Germany',
    notHomeMobile: 'Not a German mobile number',
    doubleCheckMobile: 'This does not look like a German mobile number – double check the mobile number you entered',
    notRealPostcode: 'Must be a real German postcode',
    lastLine: 'Last line of address must be a German postcode and a town, or another country',
    noTown: 'The postcode must be beside a town',
    homeOnly: 'sends to Germany only',
    textsToLandlines: 'Texts to German landlines',
    enterMobile: 'Enter a German mobile number.',
    ownNumber: 'Enter a German mobile number, a short code of 5 or 6 digits, or a name.',
    numberAbroad:
      'This number is in another country, and your service only sends to Germany. Switch on texts to other countries in its settings.',
    textsAbroadOff:
      'This service cannot send texts to other countries. Enter a German number, or switch them on in the settings.',
    addressHint: '3 to 6 lines. The last line is the postcode and the town, or the country.',
    enterLines: 'Enter at least 3 lines: a name, a street, and a postcode with a town.',
    enterAddress: 'Enter the address of a person or place, ending with a German postcode and a town.',
    endWithPostcode: 'End the address with a German postcode and a town.',
    letterLastLine: 'The last line of the address must be a German postcode and a town, or a country.',
    letterPostcode: 'The last line of the address must be a real German postcode and a town.',
    letterAbroad: 'The address is in another country, and your service only sends letters in Germany.',
  },
};
