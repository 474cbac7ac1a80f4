import { commonTypes, generic } from './generic.ts';
import type { CountryProfile } from './profile.ts';

/** Matariki follows the Māori lunar calendar. The law lists its Fridays until 2052. */
const matariki = {
  ...{ 2022: '06-24', 2023: '07-14', 2024: '06-28', 2025: '06-20', 2026: '07-10', 2027: '06-25', 2028: '07-14' },
  ...{ 2029: '07-06', 2030: '06-21', 2031: '07-11', 2032: '07-02', 2033: '06-24', 2034: '07-07', 2035: '06-29' },
  ...{ 2036: '07-18', 2037: '07-10', 2038: '06-25', 2039: '07-15', 2040: '07-06', 2041: '07-19', 2042: '07-11' },
  ...{ 2043: '07-03', 2044: '06-24', 2045: '07-07', 2046: '06-29', 2047: '07-19', 2048: '07-03', 2049: '06-25' },
  ...{ 2050: '07-15', 2051: '06-30', 2052: '06-21' },
};

/**
 * New Zealand. An operator must confirm: the financial year, the alphabet of text messages, short codes, postage with its days in transit,
 * the cut-off, the envelope window and the types of organisations.
 */
export const nz: CountryProfile = {
  ...generic,
  code: 'nz',
  name: 'New Zealand',
  locale: 'en-NZ',
  languages: ['en'],
  calendar: { ...generic.calendar, zone: 'Pacific/Auckland', financialYearStart: '07-01' },
  money: { ...generic.money, currency: 'NZD' },
  phone: {
    ...generic.phone,
    region: 'NZ',
    regions: ['NZ'],
    shortCode: '^[1-9][0-9]{2,3}$',
    emergency: ['111'],
    examples: ['021 123 4567', '021 123 4568'],
  },
  address: {
    ...generic.address,
    postcode: { pattern: '^([0-9]{4})$', format: '$1', place: 'after-town', gap: 1, required: true },
    boxWords: ['po box', 'p.o. box', 'p o box', 'private bag'],
    homeNames: ['New Zealand', 'Aotearoa', 'Aotearoa New Zealand', 'NZ'],
    example: ['Aroha Smith', '5 Queen St', 'Wellington 6011'],
  },
  postage: {
    ...generic.postage,
    classes: [
      {
        ...{ id: 'domestic', label: 'New Zealand', slot: 1, zone: 'home' },
        ...{ transitDays: 3, deliveryWeekdays: [1, 2, 3, 4, 5], fileMark: 'D' },
      },
      {
        ...{ id: 'international', label: 'International', slot: 2, zone: 'abroad' },
        ...{ transitDays: 10, deliveryWeekdays: [1, 2, 3, 4, 5], fileMark: 'N' },
      },
    ],
  },
  holidays: {
    ...generic.holidays,
    rules: [
      { on: '01-01', shift: 'monday' },
      { on: '01-02', shift: 'monday' },
      // Waitangi Day.
      { on: '02-06', shift: 'monday' },
      { easter: -2 },
      { easter: 1 },
      // Anzac Day.
      { on: '04-25', shift: 'monday' },
      // The King's Birthday.
      { weekday: 1, nth: 1, month: 6 },
      { table: matariki },
      { weekday: 1, nth: 4, month: 10 },
      { on: '12-25', shift: 'monday' },
      { on: '12-26', shift: 'monday' },
    ],
  },
  organisations: commonTypes,
  words: {
    country: 'New Zealand',
    inCountry: 'in New Zealand',
    notHomeMobile: 'Not a New Zealand mobile number',
    doubleCheckMobile:
      'This does not look like a New Zealand mobile number – double check the mobile number you entered',
    notRealPostcode: 'Must be a real New Zealand postcode',
    lastLine: 'Last line of address must be a town and a New Zealand postcode, or another country',
    noTown: 'The postcode must be beside a town',
    homeOnly: 'sends to New Zealand only',
    textsToLandlines: 'Texts to New Zealand landlines',
    enterMobile: 'Enter a New Zealand mobile number.',
    ownNumber: 'Enter a New Zealand mobile number, a short code of 3 or 4 digits, or a name.',
    numberAbroad:
      'This number is in another country, and your service only sends to New Zealand. Switch on texts to other countries in its settings.',
    textsAbroadOff:
      'This service cannot send texts to other countries. Enter a New Zealand number, or switch them on in the settings.',
    addressHint: '3 to 7 lines. The last line is the town and the postcode, or the country.',
    enterLines: 'Enter at least 3 lines: a name, a street, and a town with its postcode.',
    enterAddress: 'Enter the address of a person or place, ending with a town and a New Zealand postcode.',
    endWithPostcode: 'End the address with a town and a New Zealand postcode.',
    letterLastLine: 'The last line of the address must be a town and a New Zealand postcode, or a country.',
    letterPostcode: 'The last line of the address must be a town and a real New Zealand postcode.',
    letterAbroad: 'The address is in another country, and your service only sends letters in New Zealand.',
  },
};
