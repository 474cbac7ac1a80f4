import { commonTypes, generic } from './generic.ts';
import type { CountryProfile } from './profile.ts';

const workdays = [1, 2, 3, 4, 5];

/**
 * The Netherlands. An operator must confirm: the alphabet of text messages, short codes, days in transit, the cut-off, the types of
 * organisations, capitals in addresses, and the two-letter codes that postcodes cannot have (SA, SD, SS).
 */
export const nl: CountryProfile = {
  ...generic,
  code: 'nl',
  name: 'Netherlands',
  locale: 'nl-NL',
  languages: ['nl', 'en'],
  calendar: { ...generic.calendar, zone: 'Europe/Amsterdam' },
  money: { ...generic.money, currency: 'EUR' },
  phone: {
    ...generic.phone,
    region: 'NL',
    regions: ['NL'],
    shortCode: '^[1-9][0-9]{3}$',
    emergency: ['112'],
    examples: ['06 12345678', '06 12345679'],
  },
  address: {
    ...generic.address,
    lines: { min: 3, max: 6 },
    postcode: {
      pattern: '^([1-9][0-9]{3})((?!SA|SD|SS)[A-Z]{2})$',
      format: '$1 $2',
      place: 'before-town',
      gap: 2,
      required: true,
      prefix: 'NL-',
    },
    boxWords: ['postbus', 'antwoordnummer'],
    refused: [...generic.address.refused, 'zonder vaste woon(plaats|- )'],
    homeNames: ['Nederland', 'Holland', 'Netherlands', 'The Netherlands', 'Koninkrijk der Nederlanden'],
    countryLanguage: 'nl',
    capitals: 'none',
    example: ['Mw. J. de Vries', 'Dorpsstraat 12', '1234 AB  Amsterdam'],
  },
  postage: {
    classes: [
      {
        ...{ id: 'netherlands', label: 'Netherlands', slot: 1, zone: 'home' },
        ...{ transitDays: 2, deliveryWeekdays: [2, 3, 4, 5, 6], fileMark: 'NL' },
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
    default: 'netherlands',
    aliases: { first: 'netherlands', second: 'netherlands', economy: 'netherlands' },
  },
  letter: { ...generic.letter, window: 'nl-c5' },
  holidays: {
    ...generic.holidays,
    rules: [
      { on: '01-01' },
      { easter: 1 },
      // King's Day.
      { on: '04-27', shift: 'sunday-before' },
      // Ascension Day and Whit Monday. Most people work on Liberation Day, so it is left out.
      { easter: 39 },
      { easter: 50 },
      { on: '12-25' },
      { on: '12-26' },
    ],
  },
  organisations: commonTypes,
  words: {
    country: 'the Netherlands',
    inCountry: 'in the Netherlands',
    notHomeMobile: 'Not a Dutch mobile number',
    doubleCheckMobile: 'This does not look like a Dutch mobile number – double check the mobile number you entered',
    notRealPostcode: 'Must be a real Dutch postcode',
    lastLine: 'Last line of address must be a Dutch postcode and a town, or another country',
    noTown: 'The postcode must be beside a town',
    homeOnly: 'sends to the Netherlands only',
    textsToLandlines: 'Texts to Dutch landlines',
    enterMobile: 'Enter a Dutch mobile number.',
    ownNumber: 'Enter a Dutch mobile number, a short code of 4 digits, or a name.',
    numberAbroad:
      'This number is in another country, and your service only sends to the Netherlands. Switch on texts to other countries in its settings.',
    textsAbroadOff:
      'This service cannot send texts to other countries. Enter a Dutch number, or switch them on in the settings.',
    addressHint: '3 to 6 lines. The last line is the postcode and the town, or the country.',
    enterLines: 'Enter at least 3 lines: a name, a street, and a postcode with a town.',
    enterAddress: 'Enter the address of a person or place, ending with a Dutch postcode and a town.',
    endWithPostcode: 'End the address with a Dutch postcode and a town.',
    letterLastLine: 'The last line of the address must be a Dutch postcode and a town, or a country.',
    letterPostcode: 'The last line of the address must be a real Dutch postcode and a town.',
    letterAbroad: 'The address is in another country, and your service only sends letters in the Netherlands.',
  },
};
