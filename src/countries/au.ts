import { commonTypes, generic } from './generic.ts';
import type { CountryProfile, HolidayRule } from './profile.ts';

const workdays = [1, 2, 3, 4, 5];
const firstMonday = (month: number): HolidayRule => ({ weekday: 1, nth: 1, month });
const secondMonday = (month: number): HolidayRule => ({ weekday: 1, nth: 2, month });

/**
 * Australia. Outside the east, TIME_ZONE must be set. An operator must confirm: the alphabet of text messages, short codes, postage with
 * its days in transit, the cut-off, the envelope window, the types of organisations, the postcode ranges, and the King's Birthday, which
 * Queensland and Western Australia celebrate on other days.
 */
export const au: CountryProfile = {
  ...generic,
  code: 'au',
  name: 'Australia',
  locale: 'en-AU',
  languages: ['en'],
  calendar: { ...generic.calendar, zone: 'Australia/Sydney', financialYearStart: '07-01' },
  money: { ...generic.money, currency: 'AUD' },
  phone: {
    ...generic.phone,
    region: 'AU',
    // Christmas Island and the Cocos Islands have Australian numbers and prices.
    regions: ['AU', 'CX', 'CC'],
    testNumbers: ['61400900000', '61400900111', '61400900222'],
    shortCode: '^19[0-9]{4,6}$',
    emergency: ['000', '112', '106'],
    // The regulator reserves these numbers for films.
    examples: ['0491 570 156', '0491 570 157'],
  },
  email: { testDomains: ['notify.gov.au'] },
  address: {
    ...generic.address,
    postcode: { pattern: '^((?!0[013-7])[0-9]{4})$', format: '$1', place: 'after-town', gap: 1, required: true },
    boxWords: ['po box', 'p.o. box', 'p o box', 'gpo box', 'g.p.o. box', 'locked bag', 'private bag'],
    homeNames: ['Australia', 'Commonwealth of Australia'],
    alsoPlaces: ['SA'],
    capitals: 'last-line',
    example: ['Sam Lee', '12 George St', 'Sydney NSW 2000'],
  },
  postage: {
    classes: [
      {
        ...{ id: 'domestic', label: 'Australia', slot: 1, zone: 'home' },
        ...{ transitDays: 5, deliveryWeekdays: workdays, fileMark: 'D' },
      },
      {
        ...{ id: 'priority', label: 'Australia, priority', slot: 2, zone: 'home' },
        ...{ transitDays: 3, deliveryWeekdays: workdays, fileMark: 'P' },
      },
      {
        ...{ id: 'international', label: 'International', slot: 3, zone: 'abroad' },
        ...{ transitDays: 10, deliveryWeekdays: workdays, fileMark: 'N' },
      },
    ],
    default: 'domestic',
    aliases: { first: 'priority', second: 'domestic', economy: 'domestic' },
  },
  holidays: {
    ...generic.holidays,
    rules: [
      { on: '01-01', shift: 'monday' },
      { on: '01-26', shift: 'monday' },
      { easter: -2 },
      { easter: 1 },
      // Anzac Day has no substitute in most states.
      { on: '04-25' },
      // The King's Birthday.
      secondMonday(6),
      { on: '12-25', shift: 'monday' },
      { on: '12-26', shift: 'monday' },
    ],
    regions: {
      ACT: [secondMonday(3), { before: '06-03', weekday: 1 }, firstMonday(10)],
      NSW: [firstMonday(10)],
      NT: [firstMonday(5), firstMonday(8)],
      QLD: [firstMonday(5), firstMonday(10)],
      SA: [secondMonday(3), firstMonday(10)],
      TAS: [secondMonday(3)],
      VIC: [secondMonday(3), { weekday: 2, nth: 1, month: 11 }],
      WA: [firstMonday(3), firstMonday(6), { weekday: 1, nth: -1, month: 9 }],
    },
  },
  organisations: commonTypes,
  signIn: { sessionHours: 8, emailCheckDays: 30, phoneRequired: true },
  words: {
    country: 'Australia',
    inCountry: 'in Australia',
    notHomeMobile: 'Not an Australian mobile number',
    doubleCheckMobile:
      'This does not look like an Australian mobile number – double check the mobile number you entered',
    notRealPostcode: 'Must be a real Australian postcode',
    lastLine: 'Last line of address must be a town and an Australian postcode, or another country',
    noTown: 'The postcode must be beside a town',
    homeOnly: 'sends to Australia only',
    textsToLandlines: 'Texts to Australian landlines',
    enterMobile: 'Enter an Australian mobile number.',
    ownNumber: 'Enter an Australian mobile number, a short code of 6 to 8 digits, or a name.',
    numberAbroad:
      'This number is in another country, and your service only sends to Australia. Switch on texts to other countries in its settings.',
    textsAbroadOff:
      'This service cannot send texts to other countries. Enter an Australian number, or switch them on in the settings.',
    addressHint: '3 to 7 lines. The last line is the town, state and postcode, or the country.',
    enterLines: 'Enter at least 3 lines: a name, a street, and a town with its state and postcode.',
    enterAddress: 'Enter the address of a person or place, ending with a town and an Australian postcode.',
    endWithPostcode: 'End the address with a town and an Australian postcode.',
    letterLastLine: 'The last line of the address must be a town and an Australian postcode, or a country.',
    letterPostcode: 'The last line of the address must be a town and a real Australian postcode.',
    letterAbroad: 'The address is in another country, and your service only sends letters in Australia.',
  },
};
