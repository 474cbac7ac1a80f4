import { answerWords } from './answers/answer-words.ts';
import type { CountryProfile } from './profile.ts';

/**
 * The profile of any other country, and the base of every profile except `gb`: no prices, no holidays, postcodes as typed. Zone and
 * currency cannot be guessed: an installation that uses it must set them, and `generic` is never loaded without them.
 */
export const generic: CountryProfile = {
  code: 'generic',
  name: 'this country',
  locale: 'en',
  languages: ['en'],
  // Daily limits reset at local midnight.
  calendar: { zone: 'UTC', financialYearStart: '01-01', weekend: [6, 7], limitDay: 'local' },
  money: { currency: 'XXX', priceDecimals: 4, style: 'intl' },
  prices: { sms: [], letters: {}, allowances: {}, highVolume: null },
  phone: {
    region: 'ZZ',
    regions: ['ZZ'],
    near: [],
    landlineTypes: ['FIXED_LINE', 'UAN'],
    acceptedTypes: ['FIXED_LINE', 'FIXED_LINE_OR_MOBILE', 'UAN', 'MOBILE', 'PERSONAL_NUMBER'],
    rescue: 'strict',
    testNumbers: [],
    shortCode: '^[0-9]{3,6}$',
    emergency: ['112', '911', '999'],
    // The protocol's test number, which every installation accepts.
    examples: ['+44 7700 900123', '+44 7700 900321'],
    abroad: 'rates',
  },
  // An operator must confirm this: messages with letters outside GSM 03.38 have 70 characters per part.
  sms: { alphabet: 'keep-letters' },
  email: { testDomains: [] },
  address: {
    rules: 'postcode',
    lines: { min: 3, max: 7 },
    postcode: null,
    boxWords: ['po box', 'p.o. box', 'p o box'],
    refused: ['^nfa$', 'no fixed (abode|address)'],
    homeNames: [],
    countryLanguage: 'en',
    capitals: 'none',
    example: ['A Person', '1 Some Street', 'Some Town'],
  },
  // Names and transit times differ in every country, so these are neutral. An operator must confirm them.
  postage: {
    classes: [
      {
        ...{ id: 'domestic', label: 'Domestic', slot: 1, zone: 'home' },
        ...{ transitDays: 5, deliveryWeekdays: [1, 2, 3, 4, 5], fileMark: 'D' },
      },
      {
        ...{ id: 'international', label: 'International', slot: 2, zone: 'abroad' },
        ...{ transitDays: 10, deliveryWeekdays: [1, 2, 3, 4, 5], fileMark: 'N' },
      },
    ],
    default: 'domestic',
    // Clients written for GOV.UK Notify request these.
    aliases: { first: 'domestic', second: 'domestic', economy: 'domestic' },
  },
  letter: { paper: 'a4', window: 'gb-c5', cutOff: '17:30', tag: 'NOTIFY', languages: [] },
  holidays: { strategy: 'rules', rules: [], changes: {}, regions: {} },
  organisations: {
    types: [
      { id: 'central', label: 'Central government', crown: false },
      { id: 'local', label: 'Local government', crown: false },
      { id: 'other', label: 'Other', choice: 'Something else', crown: false },
    ],
    aliases: {},
  },
  signIn: { sessionHours: 20, emailCheckDays: null, phoneRequired: true },
  brand: { colour: '#1d70b8' },
  answers: { rules: 'languages', words: answerWords },
  words: {
    country: 'this country',
    inCountry: 'in this country',
    notHomeMobile: 'Not a mobile number of this country',
    doubleCheckMobile:
      'This does not look like a mobile number of this country – double check the mobile number you entered',
    notRealPostcode: 'Must be an address in this country',
    lastLine: 'Last line of address must be a country if it is abroad',
    noTown: 'The postcode must be beside a town',
    homeOnly: 'sends to this country only',
    textsToLandlines: 'Texts to landlines in this country',
    enterMobile: 'Enter a mobile number of this country.',
    ownNumber: 'Enter a mobile number of this country, a short code of 3 to 6 digits, or a name.',
    numberAbroad:
      'This number is in another country, and your service only sends to this one. Switch on texts to other countries in its settings.',
    textsAbroadOff:
      'This service cannot send texts to other countries. Enter a number of this country, or switch them on in the settings.',
    addressHint: '3 to 7 lines. If it is abroad, the last line is the country.',
    enterLines: 'Enter at least 3 lines: a name, a street and a town.',
    enterAddress: 'Enter the address of a person or place.',
    endWithPostcode: 'End the address with a town, or with a country if it is abroad.',
    letterLastLine: 'The last line of the address must be a country if it is abroad.',
    letterPostcode: 'The address must be in this country.',
    letterAbroad: 'The address is in another country, and your service only sends letters in this one.',
  },
};

/** Types for government, health and education. An operator must confirm the type `health`. */
export const commonTypes: CountryProfile['organisations'] = {
  types: [
    { id: 'central', label: 'Central government', crown: false },
    { id: 'local', label: 'Local government', crown: false },
    { id: 'health', label: 'Health service', crown: false },
    { id: 'school_or_college', label: 'School or college', crown: false },
    { id: 'other', label: 'Other', choice: 'Something else', crown: false },
  ],
  aliases: {},
};
