import { generic } from './generic.ts';
import type { CountryProfile, HolidayRule } from './profile.ts';

const workdays = [1, 2, 3, 4, 5];
/** Family Day, which has other names in some provinces. */
const familyDay: HolidayRule = { weekday: 1, nth: 3, month: 2 };
const firstMondayOfAugust: HolidayRule = { weekday: 1, nth: 1, month: 8 };

/**
 * Canada. Outside the east, TIME_ZONE must be set. An operator must confirm: that numbers in the United States need no permission, the
 * alphabet of text messages, postage with its days in transit, the cut-off and the envelope window.
 */
export const ca: CountryProfile = {
  ...generic,
  code: 'ca',
  name: 'Canada',
  locale: 'en-CA',
  languages: ['en', 'fr'],
  calendar: { ...generic.calendar, zone: 'America/Toronto', financialYearStart: '04-01' },
  money: { ...generic.money, currency: 'CAD' },
  phone: {
    ...generic.phone,
    region: 'CA',
    regions: ['CA'],
    near: ['US'],
    // Mobile numbers and landlines look alike, so no number counts as a landline.
    landlineTypes: [],
    testNumbers: ['16132532222', '16132532223', '16132532224'],
    shortCode: '^[2-9][0-9]{4,5}$',
    emergency: ['911'],
    // Numbers from 555-0100 to 555-0199 are reserved for fiction.
    examples: ['(613) 555-0104', '(613) 555-0105'],
  },
  email: { testDomains: ['notification.canada.ca'] },
  address: {
    ...generic.address,
    postcode: {
      pattern: '^([ABCEGHJ-NPRSTVXY][0-9][ABCEGHJ-NPRSTV-Z])([0-9][ABCEGHJ-NPRSTV-Z][0-9])$',
      format: '$1 $2',
      place: 'after-town',
      gap: 2,
      required: true,
    },
    boxWords: ['po box', 'p.o. box', 'p o box', 'cp', 'c.p.', 'case postale'],
    refused: [...generic.address.refused, 'sans domicile fixe'],
    homeNames: ['Canada'],
    alsoPlaces: ['NL', 'NU', 'PE', 'SK', 'YT'],
    capitals: 'all',
    example: ['Jean Tremblay', '10 rue King', 'Ottawa ON  K1A 0B1'],
  },
  postage: {
    classes: [
      {
        ...{ id: 'domestic', label: 'Canada', slot: 1, zone: 'home' },
        ...{ transitDays: 4, deliveryWeekdays: workdays, fileMark: 'D' },
      },
      {
        ...{ id: 'usa', label: 'United States', slot: 2, zone: 'abroad', countries: ['US'] },
        ...{ transitDays: 6, deliveryWeekdays: workdays, fileMark: 'U' },
      },
      {
        ...{ id: 'international', label: 'International', slot: 3, zone: 'abroad' },
        ...{ transitDays: 10, deliveryWeekdays: workdays, fileMark: 'N' },
      },
    ],
    default: 'domestic',
    aliases: generic.postage.aliases,
  },
  letter: { ...generic.letter, paper: 'letter', window: 'us-10', languages: ['fr'] },
  holidays: {
    ...generic.holidays,
    // The holidays of federal employees, including those of the post.
    rules: [
      { on: '01-01', shift: 'monday' },
      { easter: -2 },
      { easter: 1 },
      // Victoria Day.
      { before: '05-25', weekday: 1 },
      { on: '07-01', shift: 'monday' },
      { weekday: 1, nth: 1, month: 9 },
      { on: '09-30', shift: 'monday', from: 2021 },
      { weekday: 1, nth: 2, month: 10 },
      { on: '11-11', shift: 'monday' },
      { on: '12-25', shift: 'monday' },
      { on: '12-26', shift: 'monday' },
    ],
    regions: {
      AB: [familyDay],
      BC: [familyDay, firstMondayOfAugust],
      MB: [familyDay],
      NB: [familyDay, firstMondayOfAugust],
      NS: [familyDay],
      NT: [{ on: '06-21', shift: 'monday' }, firstMondayOfAugust],
      NU: [{ on: '07-09', shift: 'monday' }, firstMondayOfAugust],
      ON: [familyDay],
      PE: [familyDay],
      QC: [{ on: '06-24', shift: 'monday' }],
      SK: [familyDay, firstMondayOfAugust],
      YT: [
        { on: '06-21', shift: 'monday' },
        { weekday: 1, nth: 3, month: 8 },
      ],
    },
  },
  organisations: {
    types: [
      { id: 'central', label: 'Federal government', crown: false },
      { id: 'province_or_territory', label: 'Province or territory', crown: false },
      { id: 'local', label: 'Local government', crown: false },
      { id: 'other', label: 'Other', choice: 'Something else', crown: false },
    ],
    aliases: {},
  },
  signIn: { sessionHours: 8, emailCheckDays: null, phoneRequired: false },
  words: {
    country: 'Canada',
    inCountry: 'in Canada',
    notHomeMobile: 'Not a Canadian mobile number',
    doubleCheckMobile: 'This does not look like a Canadian mobile number – double check the mobile number you entered',
    notRealPostcode: 'Must be a real Canadian postal code',
    lastLine: 'Last line of address must be a city, province and postal code, or another country',
    noTown: 'The postal code must be beside a city and province',
    homeOnly: 'sends to Canada only',
    textsToLandlines: 'Texts to Canadian landlines',
    enterMobile: 'Enter a Canadian mobile number.',
    ownNumber: 'Enter a Canadian mobile number, a short code of 5 or 6 digits, or a name.',
    numberAbroad:
      'This number is in another country, and your service only sends to Canada. Switch on texts to other countries in its settings.',
    textsAbroadOff:
      'This service cannot send texts to other countries. Enter a Canadian number, or switch them on in the settings.',
    addressHint: '3 to 7 lines. The last line is the city, province and postal code, or the country.',
    enterLines: 'Enter at least 3 lines: a name, a street, and a city with its province and postal code.',
    enterAddress: 'Enter the address of a person or place, ending with a city, province and postal code.',
    endWithPostcode: 'End the address with a city, province and postal code.',
    letterLastLine: 'The last line of the address must be a city, province and postal code, or a country.',
    letterPostcode: 'The last line of the address must be a city, province and real postal code.',
    letterAbroad: 'The address is in another country, and your service only sends letters in Canada.',
  },
};
