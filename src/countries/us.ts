import { generic } from './generic.ts';
import type { CountryProfile } from './profile.ts';

/**
 * The United States. Outside the east, TIME_ZONE must be set; FINANCIAL_YEAR_START=10-01 is the federal year. An operator must confirm: the
 * alphabet of text messages, postage with its days in transit, the cut-off and the envelope window.
 */
export const us: CountryProfile = {
  ...generic,
  code: 'us',
  name: 'United States',
  locale: 'en-US',
  languages: ['en', 'es'],
  calendar: { ...generic.calendar, zone: 'America/New_York' },
  money: { ...generic.money, currency: 'USD' },
  phone: {
    ...generic.phone,
    region: 'US',
    regions: ['US', 'PR', 'GU', 'VI', 'AS', 'MP'],
    // Mobile numbers and landlines look alike, so no number counts as a landline.
    landlineTypes: [],
    testNumbers: ['14254147755', '14254147167'],
    shortCode: '^[2-9][0-9]{4,5}$',
    emergency: ['911'],
    // Numbers from 555-0100 to 555-0199 are reserved for fiction.
    examples: ['(202) 555-0104', '(202) 555-0105'],
  },
  address: {
    ...generic.address,
    postcode: {
      pattern: '^([0-9]{5})(?:-?([0-9]{4}))?$',
      format: '$1-$2',
      place: 'after-town',
      gap: 1,
      required: true,
    },
    homeNames: [
      'United States',
      'United States of America',
      'USA',
      'U.S.A.',
      'US',
      'U.S.',
      'Estados Unidos',
      'EE. UU.',
    ],
    alsoPlaces: [
      ...['Georgia', 'Jersey', 'Lebanon', 'Mexico'],
      ...'AL AR AZ CA CO DE GA ID IL IN KY LA MA MD ME MN MO MS MT NC NE PA SC SD TN VA'.split(' '),
    ],
    capitals: 'all',
    example: ['Jane Doe', '1600 Main St', 'Springfield IL 62704'],
  },
  postage: {
    ...generic.postage,
    classes: [
      {
        ...{ id: 'domestic', label: 'United States', slot: 1, zone: 'home' },
        ...{ transitDays: 5, deliveryWeekdays: [1, 2, 3, 4, 5, 6], fileMark: 'D' },
      },
      {
        ...{ id: 'international', label: 'International', slot: 2, zone: 'abroad' },
        ...{ transitDays: 10, deliveryWeekdays: [1, 2, 3, 4, 5], fileMark: 'N' },
      },
    ],
  },
  letter: { ...generic.letter, paper: 'letter', window: 'us-10' },
  holidays: {
    ...generic.holidays,
    // Federal holidays, on which no mail is delivered.
    rules: [
      { on: '01-01', shift: 'nearest' },
      { weekday: 1, nth: 3, month: 1 },
      { weekday: 1, nth: 3, month: 2 },
      { weekday: 1, nth: -1, month: 5 },
      { on: '06-19', shift: 'nearest', from: 2021 },
      { on: '07-04', shift: 'nearest' },
      { weekday: 1, nth: 1, month: 9 },
      { weekday: 1, nth: 2, month: 10 },
      { on: '11-11', shift: 'nearest' },
      { weekday: 4, nth: 4, month: 11 },
      { on: '12-25', shift: 'nearest' },
    ],
  },
  organisations: {
    types: [
      { id: 'federal', label: 'Federal government', crown: false },
      { id: 'state', label: 'State, local or tribal government', crown: false },
      { id: 'other', label: 'Other', choice: 'Something else', crown: false },
    ],
    aliases: { central: 'federal', local: 'state' },
  },
  words: {
    country: 'the United States',
    inCountry: 'in the United States',
    notHomeMobile: 'Not a US mobile number',
    doubleCheckMobile: 'This does not look like a US mobile number – double check the mobile number you entered',
    notRealPostcode: 'Must be a real US ZIP code',
    lastLine: 'Last line of address must be a city, state and ZIP code, or another country',
    noTown: 'The ZIP code must be beside a city and state',
    homeOnly: 'sends to the United States only',
    textsToLandlines: 'Texts to US landlines',
    enterMobile: 'Enter a US mobile number.',
    ownNumber: 'Enter a US mobile number, a short code of 5 or 6 digits, or a name.',
    numberAbroad:
      'This number is in another country, and your service only sends to the United States. Switch on texts to other countries in its settings.',
    textsAbroadOff:
      'This service cannot send texts to other countries. Enter a US number, or switch them on in the settings.',
    addressHint: '3 to 7 lines. The last line is the city, state and ZIP code, or the country.',
    enterLines: 'Enter at least 3 lines: a name, a street, and a city with its state and ZIP code.',
    enterAddress: 'Enter the address of a person or place, ending with a city, state and ZIP code.',
    endWithPostcode: 'End the address with a city, state and ZIP code.',
    letterLastLine: 'The last line of the address must be a city, state and ZIP code, or a country.',
    letterPostcode: 'The last line of the address must be a city, state and real ZIP code.',
    letterAbroad: 'The address is in another country, and your service only sends letters in the United States.',
  },
};
