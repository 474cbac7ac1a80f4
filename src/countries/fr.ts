import { commonTypes, generic } from './generic.ts';
import type { CountryProfile, HolidayRule } from './profile.ts';

/** Good Friday and St Stephen's Day are holidays in three departments. */
const alsaceMoselle: HolidayRule[] = [{ easter: -2 }, { on: '12-26' }];

/**
 * France. An operator must confirm: that overseas numbers need no permission, the alphabet of text messages, short codes, postage with its
 * days in transit, the cut-off, the types of organisations, that no postcode begins with 00, and the window: French envelopes have it on
 * the right, and its dimensions must be agreed with the printer.
 */
export const fr: CountryProfile = {
  ...generic,
  code: 'fr',
  name: 'France',
  locale: 'fr-FR',
  languages: ['fr', 'en'],
  calendar: { ...generic.calendar, zone: 'Europe/Paris' },
  money: { ...generic.money, currency: 'EUR' },
  phone: {
    ...generic.phone,
    region: 'FR',
    regions: ['FR'],
    near: ['GP', 'MQ', 'GF', 'RE', 'YT', 'PM', 'BL', 'MF'],
    shortCode: '^[3-8][0-9]{4}$',
    emergency: ['112', '15', '17', '18', '114'],
    // The regulator reserves this range for films.
    examples: ['06 39 98 00 01', '06 39 98 00 02'],
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
      prefix: 'FR?-',
    },
    boxWords: ['bp', 'boîte postale', 'boite postale', 'cs'],
    townWithDigits: '\\bCEDEX( [0-9]{1,2})?$',
    refused: [...generic.address.refused, 'sans domicile fixe', '^sdf$'],
    homeNames: ['France', 'République française', 'French Republic'],
    countryLanguage: 'fr',
    capitals: 'last-line',
    example: ['Mme Jeanne Martin', '12 rue de la Paix', '75002 Paris'],
  },
  postage: {
    ...generic.postage,
    classes: [
      {
        ...{ id: 'domestic', label: 'France', slot: 1, zone: 'home' },
        ...{ transitDays: 3, deliveryWeekdays: [1, 2, 3, 4, 5, 6], fileMark: 'D' },
      },
      {
        ...{ id: 'international', label: 'International', slot: 2, zone: 'abroad' },
        ...{ transitDays: 8, deliveryWeekdays: [1, 2, 3, 4, 5], fileMark: 'N' },
      },
    ],
  },
  letter: { ...generic.letter, provisionalWindow: true },
  holidays: {
    ...generic.holidays,
    rules: [
      { on: '01-01' },
      { easter: 1 },
      { on: '05-01' },
      { on: '05-08' },
      { easter: 39 },
      { easter: 50 },
      { on: '07-14' },
      { on: '08-15' },
      { on: '11-01' },
      { on: '11-11' },
      { on: '12-25' },
    ],
    regions: { 57: alsaceMoselle, 67: alsaceMoselle, 68: alsaceMoselle },
  },
  organisations: commonTypes,
  words: {
    country: 'France',
    inCountry: 'in France',
    notHomeMobile: 'Not a French mobile number',
    doubleCheckMobile: 'This does not look like a French mobile number – double check the mobile number you entered',
    notRealPostcode: 'Must be a real French postcode',
    lastLine: 'Last line of address must be a French postcode and a town, or another country',
    noTown: 'The postcode must be beside a town',
    homeOnly: 'sends to France only',
    textsToLandlines: 'Texts to French landlines',
    enterMobile: 'Enter a French mobile number.',
    ownNumber: 'Enter a French mobile number, a short code of 5 digits, or a name.',
    numberAbroad:
      'This number is in another country, and your service only sends to France. Switch on texts to other countries in its settings.',
    textsAbroadOff:
      'This service cannot send texts to other countries. Enter a French number, or switch them on in the settings.',
    addressHint: '3 to 6 lines. The last line is the postcode and the town, or the country.',
    enterLines: 'Enter at least 3 lines: a name, a street, and a postcode with a town.',
    enterAddress: 'Enter the address of a person or place, ending with a French postcode and a town.',
    endWithPostcode: 'End the address with a French postcode and a town.',
    letterLastLine: 'The last line of the address must be a French postcode and a town, or a country.',
    letterPostcode: 'The last line of the address must be a real French postcode and a town.',
    letterAbroad: 'The address is in another country, and your service only sends letters in France.',
  },
};
