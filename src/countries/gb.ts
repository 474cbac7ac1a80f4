import { answerWords } from './answers/answer-words.ts';
import type { CountryProfile } from './profile.ts';

type LetterPrices = CountryProfile['prices']['letters'][string];

const secondClass: LetterPrices = [
  { from: '2016-03-31T23:00Z', rates: ['0.30', '0.33', '0.36'] },
  { from: '2018-06-30T23:00Z', rates: ['0.30', '0.33', '0.36', '0.39', '0.42'] },
  { from: '2018-09-30T23:00Z', rates: ['0.30', '0.35', '0.40', '0.45', '0.50'] },
  { from: '2019-09-30T23:00Z', rates: ['0.35', '0.40', '0.45', '0.50', '0.55'] },
  { from: '2021-02-01T00:00Z', rates: ['0.39', '0.44', '0.49', '0.54', '0.59'] },
  { from: '2022-03-01T00:00Z', rates: ['0.41', '0.46', '0.51', '0.56', '0.61'] },
  { from: '2023-01-23T00:00Z', rates: ['0.47', '0.52', '0.57', '0.62', '0.67'] },
  { from: '2023-11-01T00:00Z', rates: ['0.54', '0.59', '0.63', '0.68', '0.73'] },
  { from: '2024-06-30T23:00Z', rates: ['0.61', '0.65', '0.68', '0.75', '0.79'] },
  { from: '2025-03-31T23:00Z', rates: ['0.68', '0.72', '0.77', '0.82', '0.86'] },
  { from: '2026-01-05T00:00Z', rates: ['0.73', '0.77', '0.82', '0.87', '0.91'] },
];

const firstClass: LetterPrices = [
  { from: '2018-08-31T23:00Z', rates: ['0.56', '0.61', '0.66', '0.71', '0.76'] },
  { from: '2019-09-30T23:00Z', rates: ['0.61', '0.66', '0.71', '0.76', '0.81'] },
  { from: '2021-02-01T00:00Z', rates: ['0.69', '0.74', '0.79', '0.84', '0.89'] },
  { from: '2022-03-01T00:00Z', rates: ['0.63', '0.68', '0.73', '0.78', '0.83'] },
  { from: '2023-01-23T00:00Z', rates: ['0.72', '0.77', '0.82', '0.87', '0.92'] },
  { from: '2023-11-01T00:00Z', rates: ['0.82', '0.86', '0.90', '0.96', '1.00'] },
  { from: '2024-06-30T23:00Z', rates: ['0.97', '1.01', '1.05', '1.11', '1.15'] },
  { from: '2025-03-31T23:00Z', rates: ['1.49', '1.53', '1.57', '1.63', '1.67'] },
  { from: '2026-04-06T23:00Z', rates: ['1.56', '1.61', '1.66', '1.71', '1.76'] },
];

const economyClass: LetterPrices = [
  { from: '2025-03-31T23:00Z', rates: ['0.59', '0.64', '0.68', '0.73', '0.78'] },
  { from: '2026-01-05T00:00Z', rates: ['0.64', '0.69', '0.73', '0.78', '0.82'] },
  { from: '2026-06-30T23:00Z', rates: ['0.638', '0.684', '0.724', '0.779', '0.823'] },
];

const abroad: LetterPrices = [
  { from: '2020-07-01T00:00Z', rates: ['0.84', '0.92', '1.00', '1.08', '1.16'] },
  { from: '2021-02-01T00:00Z', rates: ['0.89', '0.97', '1.05', '1.13', '1.21'] },
  { from: '2022-03-01T00:00Z', rates: ['0.96', '1.04', '1.12', '1.20', '1.28'] },
  { from: '2023-01-23T00:00Z', rates: ['1.05', '1.13', '1.21', '1.29', '1.37'] },
  { from: '2023-11-01T00:00Z', rates: ['1.26', '1.31', '1.35', '1.40', '1.45'] },
  { from: '2024-01-02T00:00Z', rates: ['1.44', '1.49', '1.53', '1.58', '1.63'] },
  { from: '2025-02-06T00:00Z', rates: ['1.56', '1.61', '1.66', '1.71', '1.76'] },
  { from: '2026-01-05T00:00Z', rates: ['1.72', '1.77', '1.82', '1.85', '1.90'] },
  { from: '2026-05-02T23:00Z', rates: ['1.80', '1.84', '1.88', '1.92', '1.96'] },
];

/** Free text message fragments by the first financial year that they apply to. */
const central = { 2016: 250_000, 2021: 150_000, 2022: 40_000, 2024: 30_000, 2026: 20_000 };
const local = { 2016: 25_000, 2022: 20_000, 2024: 10_000 };
const other = { 2016: 25_000, 2021: 10_000, 2024: 5_000 };

/** The default, and the country of the protocol: this profile is what GOV.UK Notify does. */
export const gb: CountryProfile = {
  code: 'gb',
  name: 'United Kingdom',
  locale: 'en-GB',
  languages: ['en', 'cy'],
  calendar: { zone: 'Europe/London', financialYearStart: '04-01', weekend: [6, 7], limitDay: 'utc' },
  money: { currency: 'GBP', priceDecimals: 4, style: 'gb' },
  prices: {
    sms: [
      { from: '2016-05-18T00:00Z', rate: '0.0165' },
      { from: '2017-03-31T23:00Z', rate: '0.0158' },
      { from: '2021-03-31T23:00Z', rate: '0.016' },
      { from: '2022-03-31T23:00Z', rate: '0.0161' },
      { from: '2022-04-30T23:00Z', rate: '0.0172' },
      { from: '2023-03-31T23:00Z', rate: '0.0197' },
      { from: '2024-03-31T23:00Z', rate: '0.0227' },
      { from: '2025-03-31T23:00Z', rate: '0.0233' },
      { from: '2026-03-31T23:00Z', rate: '0.024' },
    ],
    letters: {
      first: firstClass,
      second: secondClass,
      economy: economyClass,
      europe: abroad,
      'rest-of-world': abroad,
    },
    allowances: {
      central,
      nhs_central: central,
      local,
      nhs_local: local,
      emergency_service: local,
      nhs_gp: { 2016: 25_000, 2021: 10_000, 2024: 0 },
      school_or_college: other,
      other,
      nhs_notify: { 2016: 0 },
    },
    highVolume: 300_000,
  },
  phone: {
    region: 'GB',
    regions: ['GB'],
    near: ['GG', 'JE', 'IM'],
    landlineTypes: ['FIXED_LINE', 'FIXED_LINE_OR_MOBILE', 'UAN'],
    acceptedTypes: ['FIXED_LINE', 'FIXED_LINE_OR_MOBILE', 'UAN', 'MOBILE', 'PERSONAL_NUMBER'],
    rescue: 'first-fit',
    testNumbers: [],
    shortCode: '^[6-8][0-9]{4,5}$',
    emergency: ['999', '112'],
    examples: ['07700 900123', '07700 900321'],
    abroad: 'gb-table',
  },
  sms: { alphabet: 'gsm-welsh' },
  email: { testDomains: [] },
  address: {
    rules: 'gb',
    lines: { min: 3, max: 7 },
    postcode: null,
    boxWords: [],
    refused: [],
    homeNames: [],
    countryLanguage: 'en',
    capitals: 'all',
    example: ['A Person', '12 St James’s Square', 'London', 'SW1Y 4JH'],
  },
  postage: {
    classes: [
      {
        ...{ id: 'first', label: 'First class', slot: 1, zone: 'home' },
        ...{ transitDays: 1, deliveryWeekdays: [1, 2, 3, 4, 5, 6], fileMark: '1' },
      },
      {
        ...{ id: 'second', label: 'Second class', slot: 2, zone: 'home' },
        ...{ transitDays: 5, deliveryWeekdays: [1, 2, 3, 4, 5], fileMark: '2' },
      },
      {
        ...{ id: 'economy', label: 'Economy', slot: 3, zone: 'home' },
        ...{ transitDays: 7, deliveryWeekdays: [1, 2, 3, 4, 5], fileMark: 'ECONOMY' },
      },
      {
        ...{ id: 'europe', label: 'Europe', slot: 4, zone: 'abroad', countries: 'europe' },
        ...{ transitDays: 6, deliveryWeekdays: [1, 2, 3, 4, 5], fileMark: 'E' },
      },
      {
        ...{ id: 'rest-of-world', label: 'Rest of the world', slot: 5, zone: 'abroad' },
        ...{ transitDays: 8, deliveryWeekdays: [1, 2, 3, 4, 5], fileMark: 'N' },
      },
    ],
    default: 'second',
    aliases: {},
  },
  letter: { paper: 'a4', window: 'gb-c5', cutOff: '17:30', tag: 'NOTIFY', languages: ['cy'] },
  holidays: {
    strategy: 'gb',
    rules: [],
    changes: {
      1999: { added: ['1999-12-31'], removed: [] },
      2002: { added: ['2002-06-03', '2002-06-04'], removed: ['2002-05-27'] },
      2011: { added: ['2011-04-29'], removed: [] },
      2012: { added: ['2012-06-04', '2012-06-05'], removed: ['2012-05-28'] },
      2020: { added: ['2020-05-08'], removed: ['2020-05-04'] },
      2022: { added: ['2022-06-02', '2022-06-03', '2022-09-19'], removed: ['2022-05-30'] },
      2023: { added: ['2023-05-08'], removed: [] },
    },
    regions: {},
  },
  organisations: {
    strategy: 'nhs',
    types: [
      { id: 'central', label: 'Central government', crown: null },
      { id: 'local', label: 'Local government', crown: false },
      { id: 'nhs_central', label: 'NHS: central agency', choice: 'Health service: national body', crown: true },
      { id: 'nhs_local', label: 'NHS: trust or board', choice: 'Health service: trust or local body', crown: false },
      { id: 'nhs_gp', label: 'NHS: practice', choice: 'Doctors’ surgery', crown: false },
      { id: 'nhs_notify', label: 'NHS Notify', choice: 'Health service: shared message service', crown: false },
      { id: 'emergency_service', label: 'Emergency service', crown: false },
      { id: 'school_or_college', label: 'School or college', crown: false },
      { id: 'other', label: 'Other', choice: 'Something else', crown: null },
    ],
    aliases: {},
  },
  signIn: { sessionHours: 20, emailCheckDays: null, phoneRequired: true },
  brand: { colour: '#1d70b8' },
  answers: { rules: 'gb', words: answerWords },
  words: {
    country: 'the UK',
    inCountry: 'in the UK',
    zoneName: 'London time',
    notHomeMobile: 'Not a UK mobile number',
    doubleCheckMobile: 'This does not look like a UK mobile number – double check the mobile number you entered',
    notRealPostcode: 'Must be a real UK postcode',
    lastLine: 'Last line of address must be a real UK postcode or another country',
    noTown: 'The line before the postcode must be a town',
    homeOnly: 'sends to the UK only',
    textsToLandlines: 'Texts to UK landlines',
    enterMobile: 'Enter a UK mobile number.',
    ownNumber: 'Enter a UK mobile number, a short code of 5 or 6 digits, or a name.',
    numberAbroad:
      'This number is in another country, and your service only sends to the UK. Switch on texts to other countries in its settings.',
    textsAbroadOff:
      'This service cannot send texts to other countries. Enter a UK number, or switch them on in the settings.',
    addressHint: '3 to 7 lines. The last line is the postcode, or the country.',
    enterLines: 'Enter at least 3 lines: a name, a street and a postcode.',
    enterAddress: 'Enter the address of a person or place, ending with a UK postcode.',
    endWithPostcode: 'End the address with a UK postcode.',
    letterLastLine: 'The last line of the address must be a UK postcode or a country.',
    letterPostcode: 'The last line of the address must be a real UK postcode.',
    letterAbroad: 'The address is in another country, and your service only sends letters in the UK.',
  },
};
