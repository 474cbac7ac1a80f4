import { commonTypes, generic } from './generic.ts';
import type { CountryProfile } from './profile.ts';

const workdays = [1, 2, 3, 4, 5];

/**
 * Ireland. An operator must confirm: the alphabet of text messages, short codes, postage with its days in transit, the cut-off, the types
 * of organisations, and the letters of Eircodes.
 */
export const ie: CountryProfile = {
  ...generic,
  code: 'ie',
  name: 'Ireland',
  locale: 'en-IE',
  languages: ['en'],
  calendar: { ...generic.calendar, zone: 'Europe/Dublin' },
  money: { ...generic.money, currency: 'EUR' },
  phone: {
    ...generic.phone,
    region: 'IE',
    regions: ['IE'],
    shortCode: '^5[0-9]{4}$',
    emergency: ['112', '999'],
    examples: ['085 012 3456', '085 012 3457'],
  },
  address: {
    ...generic.address,
    // Letters arrive without an Eircode, so it is optional and only checked if present.
    postcode: {
      pattern: '^([ACDEFHKNPRTVWXY][0-9]{2}|D6W)([0-9ACDEFHKNPRTVWXY]{4})$',
      format: '$1 $2',
      place: 'own-line',
      gap: 1,
      required: false,
    },
    homeNames: ['Ireland', 'Éire', 'Eire', 'Republic of Ireland', 'Poblacht na hÉireann'],
    example: ['Aoife Byrne', '3 Main Street', 'Naas', 'Co. Kildare', 'W91 X8FF'],
  },
  postage: {
    classes: [
      {
        ...{ id: 'domestic', label: 'Ireland', slot: 1, zone: 'home' },
        ...{ transitDays: 2, deliveryWeekdays: workdays, fileMark: 'D' },
      },
      {
        ...{ id: 'europe', label: 'Europe', slot: 2, zone: 'abroad', countries: 'europe' },
        ...{ transitDays: 6, deliveryWeekdays: workdays, fileMark: 'E' },
      },
      {
        ...{ id: 'rest-of-world', label: 'Rest of the world', slot: 3, zone: 'abroad' },
        ...{ transitDays: 8, deliveryWeekdays: workdays, fileMark: 'N' },
      },
    ],
    default: 'domestic',
    aliases: generic.postage.aliases,
  },
  holidays: {
    ...generic.holidays,
    rules: [
      { on: '01-01' },
      // St Brigid's Day.
      { weekday: 1, nth: 1, month: 2 },
      { on: '03-17' },
      { easter: 1 },
      { weekday: 1, nth: 1, month: 5 },
      { weekday: 1, nth: 1, month: 6 },
      { weekday: 1, nth: 1, month: 8 },
      { weekday: 1, nth: -1, month: 10 },
      { on: '12-25' },
      { on: '12-26' },
    ],
    // St Brigid's Day is on 1 February itself if that is a Friday.
    changes: {
      2030: { added: ['2030-02-01'], removed: ['2030-02-04'] },
      2036: { added: ['2036-02-01'], removed: ['2036-02-04'] },
      2041: { added: ['2041-02-01'], removed: ['2041-02-04'] },
      2047: { added: ['2047-02-01'], removed: ['2047-02-04'] },
    },
  },
  organisations: commonTypes,
  words: {
    country: 'Ireland',
    inCountry: 'in Ireland',
    notHomeMobile: 'Not an Irish mobile number',
    doubleCheckMobile: 'This does not look like an Irish mobile number – double check the mobile number you entered',
    notRealPostcode: 'Must be an address in Ireland',
    lastLine: 'Last line of address must be an Eircode, a town or county, or another country',
    noTown: 'The line before the Eircode must be a town or county',
    homeOnly: 'sends to Ireland only',
    textsToLandlines: 'Texts to Irish landlines',
    enterMobile: 'Enter an Irish mobile number.',
    ownNumber: 'Enter an Irish mobile number, a short code of 5 digits, or a name.',
    numberAbroad:
      'This number is in another country, and your service only sends to Ireland. Switch on texts to other countries in its settings.',
    textsAbroadOff:
      'This service cannot send texts to other countries. Enter an Irish number, or switch them on in the settings.',
    addressHint: '3 to 7 lines. The last line is the Eircode, the town or county, or the country.',
    enterLines: 'Enter at least 3 lines: a name, a street, and a town or an Eircode.',
    enterAddress: 'Enter the address of a person or place, ending with a town or an Eircode.',
    endWithPostcode: 'End the address with an Eircode, or with a town or county.',
    letterLastLine: 'The last line of the address must be an Eircode, a town or county, or a country.',
    letterPostcode: 'The address must be in Ireland.',
    letterAbroad: 'The address is in another country, and your service only sends letters in Ireland.',
  },
};
