import { type Static, Type } from 'typebox';
import { names, Pattern, Region, strict } from './profile/fields.ts';
import { Phone } from './profile/phone.ts';

/**
 * A country as data: everything that differs between countries and is not part of the protocol. The files beside this one
 * are such profiles, and operators write their own as JSON of the same shape. Behaviour is never in a profile: it names a
 * strategy that the code knows, such as `first-fit`.
 */

const Day = Type.String({ pattern: '^(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$', description: 'a day as MM-DD' });
const CutOff = Type.String({
  pattern: '^(([01][0-9]|2[0-3]):[0-5][0-9]|continuous)$',
  description: 'a time as HH:MM, or continuous',
});
/** Amounts are decimal strings, so that they are exact. */
const Amount = Type.String({ pattern: '^[0-9]+(\\.[0-9]{1,6})?$', description: 'an amount such as 0.0227' });
/** 1 is Monday. */
const Weekday = Type.Integer({ minimum: 1, maximum: 7, description: 'a weekday: 1 is Monday, 7 is Sunday' });
/** In millimetres from the top left corner. */
const Box = Type.Object(
  { left: Type.Number(), top: Type.Number(), right: Type.Number(), bottom: Type.Number() },
  strict,
);

const Calendar = Type.Object(
  {
    /** IANA name: days, months, financial years and cut-off times are of this zone. */
    zone: Type.String(),
    financialYearStart: Day,
    weekend: Type.Array(Weekday),
    /** Which midnight resets daily limits. */
    limitDay: names('utc', 'local'),
  },
  strict,
);

const Money = Type.Object(
  {
    /** ISO 4217. */
    currency: Type.String({ pattern: '^[A-Z]{3}$', description: 'a currency such as EUR' }),
    /** Of a rate; a total has as many as the currency. */
    priceDecimals: Type.Integer({ minimum: 0, maximum: 6 }),
    /** `gb` writes pence; `intl` is the format of the locale. */
    style: names('gb', 'intl'),
  },
  strict,
);

const Prices = Type.Object(
  {
    /** Per fragment, each from a moment on. */
    sms: Type.Array(Type.Object({ from: Type.String(), rate: Amount }, strict)),
    /** By postage class: the rates of one sheet, two sheets and so on. */
    letters: Type.Record(
      Type.String(),
      Type.Array(Type.Object({ from: Type.String(), rates: Type.Array(Amount, { minItems: 1, maxItems: 5 }) }, strict)),
    ),
    /** Free fragments a year by type of organisation, each from a financial year on. */
    allowances: Type.Record(Type.String(), Type.Record(Type.String(), Type.Integer({ minimum: 0 }))),
    /** A service that sent more fragments in the year before has no free allowance. Null: there is no such rule. */
    highVolume: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
  },
  strict,
);

const Sms = Type.Object(
  {
    /** `gsm-welsh` and `gsm` replace what the alphabet lacks; `keep-letters` sends it as Unicode. */
    alphabet: names('gsm-welsh', 'gsm', 'keep-letters'),
  },
  strict,
);

const Address = Type.Object(
  {
    lines: Type.Object({ min: Type.Integer({ minimum: 1 }), max: Type.Integer({ minimum: 1, maximum: 7 }) }, strict),
    /** `gb` is the order of the protocol and reads forces' addresses (BFPO); `postcode` finds postcode and town as below. */
    rules: names('gb', 'postcode'),
    postcode: Type.Union([
      Type.Null(),
      Type.Object(
        {
          /** Of the postcode in capitals without spaces; groups are what `format` puts together. */
          pattern: Pattern,
          /** With $1, $2 for the groups of the pattern; what stands between them goes with an empty group. */
          format: Type.String(),
          place: names('own-line', 'before-town', 'after-town'),
          /** Spaces between postcode and town. */
          gap: Type.Integer({ minimum: 1, maximum: 3 }),
          required: Type.Boolean(),
          /** What people write before the digits and the post does not print: D-, NL-. */
          prefix: Type.Optional(Pattern),
        },
        strict,
      ),
    ]),
    /** A line that begins like this is no town, even without a digit. */
    boxWords: Type.Array(Type.String({ minLength: 1 })),
    /** A line with digits that is a town all the same: CEDEX 9. */
    townWithDigits: Type.Optional(Pattern),
    /** Lines that say that somebody has no address, in lower case. */
    refused: Type.Array(Pattern),
    /** What the country is called in addresses, in every language people use. */
    homeNames: Type.Array(Type.String()),
    /**
     * Names and codes of other countries that are also places here: Georgia, DE. After a line that ends with a postcode such
     * a name is not read as a country, and a code of two letters never is.
     */
    alsoPlaces: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
    /** BCP 47: the names of other countries are printed in it. */
    countryLanguage: Type.String(),
    capitals: names('all', 'last-line', 'none'),
    example: Type.Array(Type.String(), { minItems: 2, maxItems: 7 }),
  },
  strict,
);

const PostageClass = Type.Object(
  {
    id: Type.String({ pattern: '^[a-z][a-z0-9-]{1,19}$', description: 'lower-case letters, digits and hyphens' }),
    label: Type.String({ minLength: 1 }),
    /** Where usage counts its letters. Never given to another class. */
    slot: Type.Integer({ minimum: 1, maximum: 5, description: 'a number from 1 to 5' }),
    zone: names('home', 'abroad'),
    /** Of a class abroad: the countries it is for. Without it: all that no other class names. */
    countries: Type.Optional(
      Type.Union([Type.Literal('europe'), Type.Array(Region, { minItems: 1 })], {
        description: '"europe" or a list of regions such as ["US"]',
      }),
    ),
    transitDays: Type.Integer({ minimum: 0, maximum: 60 }),
    deliveryWeekdays: Type.Array(Weekday, { minItems: 1 }),
    /** In names of files for the printer. */
    fileMark: Type.String({ pattern: '^[A-Z0-9]{1,10}$', description: 'capitals or digits' }),
  },
  strict,
);

const Postage = Type.Object(
  {
    classes: Type.Array(PostageClass, { minItems: 1, maxItems: 5 }),
    default: Type.String(),
    /** Names that clients of other countries send, and the class each means here. */
    aliases: Type.Record(Type.String(), Type.String()),
  },
  strict,
);

const Letter = Type.Object(
  {
    paper: names('a4', 'letter'),
    window: Type.Union(
      [
        names('gb-c5', 'nl-c5', 'din-5008-a', 'din-5008-b', 'us-10'),
        Type.Object({ address: Box, logo: Box, contactBlock: Box, body: Box }, strict),
      ],
      { description: '"gb-c5", "nl-c5", "din-5008-a", "din-5008-b", "us-10", or the boxes of one of your own' },
    ),
    /** The figures of the window are not those of the country's envelopes yet, which `pennypost doctor` says. */
    provisionalWindow: Type.Optional(Type.Boolean()),
    cutOff: CutOff,
    /** The word in the corner of the first page that a printer's machine looks for. */
    tag: Type.String(),
    /** Languages of letters beside English. */
    languages: Type.Array(Type.String()),
  },
  strict,
);

const HolidayRule = Type.Union(
  [
    Type.Object(
      {
        on: Day,
        /** Where the day goes if it falls on a weekend. */
        shift: Type.Optional(names('none', 'monday', 'nearest', 'sunday-before')),
        from: Type.Optional(Type.Integer()),
        until: Type.Optional(Type.Integer()),
      },
      strict,
    ),
    /** Days after Easter Sunday; negative before it. */
    Type.Object({ easter: Type.Integer({ minimum: -60, maximum: 80 }) }, strict),
    /** The nth such weekday of a month; -1 is the last. */
    Type.Object(
      {
        weekday: Weekday,
        nth: Type.Enum([1, 2, 3, 4, 5, -1]),
        month: Type.Integer({ minimum: 1, maximum: 12 }),
      },
      strict,
    ),
    /** The last such weekday before a day. */
    Type.Object({ before: Day, weekday: Weekday }, strict),
    /** One day a year that no rule gives. */
    Type.Object({ table: Type.Record(Type.String(), Day) }, strict),
  ],
  { description: 'a rule such as {"on": "12-25"}, {"easter": 1} or {"weekday": 1, "nth": -1, "month": 8}' },
);

const Holidays = Type.Object(
  {
    /** `gb` has its own rules for Christmas and Boxing Day; `rules` computes the list. */
    strategy: names('gb', 'rules'),
    rules: Type.Array(HolidayRule),
    /** Days that governments added or removed, by year. */
    changes: Type.Record(
      Type.String(),
      Type.Object({ added: Type.Array(Type.String()), removed: Type.Array(Type.String()) }, strict),
    ),
    /** Further days of parts of the country. */
    regions: Type.Record(Type.String(), Type.Array(HolidayRule)),
    /** The part whose days are added: HOLIDAYS_REGION. */
    region: Type.Optional(Type.String()),
  },
  strict,
);

const Organisations = Type.Object(
  {
    types: Type.Array(
      Type.Object(
        {
          id: Type.String({
            pattern: '^[a-z][a-z0-9_]{1,30}$',
            description: 'lower-case letters, digits and underscores',
          }),
          label: Type.String({ minLength: 1 }),
          /** What people who add a service read, if it differs from the label. */
          choice: Type.Optional(Type.String({ minLength: 1 })),
          /** Null: the organisation says so itself. */
          crown: Type.Union([Type.Boolean(), Type.Null()]),
        },
        strict,
      ),
      { minItems: 1 },
    ),
    /** `nhs`: people with an address of the NHS get its brands, and services of NHS Notify its organisation. */
    strategy: Type.Optional(names('nhs')),
    /** Other names of a type, and the type each means. */
    aliases: Type.Record(Type.String(), Type.String()),
  },
  strict,
);

const Sentence = Type.String({ minLength: 1, maxLength: 300 });

/** Whole English sentences: an adjective put into a sentence breaks it ("an Irish number"). */
const Words = Type.Object(
  {
    /** The country in a sentence: the UK, the Netherlands. */
    country: Sentence,
    /** in the UK */
    inCountry: Sentence,
    /** London time. Without it: the name that the zone has in the language of the reader. */
    zoneName: Type.Optional(Sentence),

    // The API, and checks of files. Clients in other countries match the English text of theirs.
    notHomeMobile: Sentence,
    doubleCheckMobile: Sentence,
    notRealPostcode: Sentence,
    lastLine: Sentence,
    noTown: Sentence,

    // Texts in the console.
    homeOnly: Sentence,
    textsToLandlines: Sentence,
    enterMobile: Sentence,
    ownNumber: Sentence,
    numberAbroad: Sentence,
    textsAbroadOff: Sentence,

    // Letters in the console.
    addressHint: Sentence,
    enterLines: Sentence,
    enterAddress: Sentence,
    endWithPostcode: Sentence,
    letterLastLine: Sentence,
    letterPostcode: Sentence,
    letterAbroad: Sentence,
  },
  strict,
);

export const CountryProfile = Type.Object(
  {
    /** ISO 3166-1 alpha-2 in lower case, or `x-` and a name for one's own. */
    code: Type.String({ pattern: '^([a-z]{2}|generic|x-[a-z0-9-]{1,30})$', description: 'a code such as nl or x-own' }),
    /** In English. */
    name: Type.String({ minLength: 1 }),
    /** BCP 47, for numbers, money and dates. */
    locale: Type.String(),
    /** Offered; the first is the default. */
    languages: Type.Array(Type.String(), { minItems: 1 }),
    calendar: Calendar,
    money: Money,
    prices: Prices,
    phone: Phone,
    sms: Sms,
    /** Domains whose `simulate-delivered` addresses are test recipients, beside the one of the protocol. */
    email: Type.Object({ testDomains: Type.Array(Type.String()) }, strict),
    address: Address,
    postage: Postage,
    letter: Letter,
    holidays: Holidays,
    organisations: Organisations,
    signIn: Type.Object(
      {
        sessionHours: Type.Integer({ minimum: 1, maximum: 720, description: 'a whole number from 1 to 720' }),
        /** After so many days people confirm their email address again. Null: after 90, as everywhere else. */
        emailCheckDays: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
        /** False: an account can be made without a mobile number. It signs in with email links. */
        phoneRequired: Type.Boolean(),
      },
      strict,
    ),
    brand: Type.Object(
      { colour: Type.String({ pattern: '^#[0-9a-f]{6}$', description: 'a colour such as #1d70b8' }) },
      strict,
    ),
    words: Words,
  },
  strict,
);

export type CountryProfile = Static<typeof CountryProfile>;
export type HolidayRule = Static<typeof HolidayRule>;
export type PostageClass = Static<typeof PostageClass>;
