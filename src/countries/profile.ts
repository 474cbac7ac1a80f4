import { type Static, Type } from 'typebox';
import { Answers } from './profile/answers.ts';
import { names, Pattern, Region, strict } from './profile/fields.ts';
import { Phone } from './profile/phone.ts';

/**
 * A country as data: everything that differs between countries and is not part of the protocol. The files beside this one are such
 * profiles, and operators write their own as JSON of the same shape. A profile contains no behaviour: it names a strategy that the code
 * knows, such as `first-fit`.
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
    /** The IANA name. Days, months, financial years and cut-off times are in this zone. */
    zone: Type.String(),
    financialYearStart: Day,
    weekend: Type.Array(Weekday),
    /** The midnight at which daily limits reset. */
    limitDay: names('utc', 'local'),
  },
  strict,
);

const Money = Type.Object(
  {
    /** An ISO 4217 code. */
    currency: Type.String({ pattern: '^[A-Z]{3}$', description: 'a currency such as EUR' }),
    /** The decimals of a rate. A total has as many as the currency. */
    priceDecimals: Type.Integer({ minimum: 0, maximum: 6 }),
    /** `gb` writes pence; `intl` is the format of the locale. */
    style: names('gb', 'intl'),
  },
  strict,
);

const Prices = Type.Object(
  {
    /** Rates per fragment, each valid from a moment on. */
    sms: Type.Array(Type.Object({ from: Type.String(), rate: Amount }, strict)),
    /** By postage class: the rates for one sheet, two sheets and so on. */
    letters: Type.Record(
      Type.String(),
      Type.Array(Type.Object({ from: Type.String(), rates: Type.Array(Amount, { minItems: 1, maxItems: 5 }) }, strict)),
    ),
    /** Free fragments per year by type of organisation, each valid from a financial year on. */
    allowances: Type.Record(Type.String(), Type.Record(Type.String(), Type.Integer({ minimum: 0 }))),
    /** A service that sent more fragments in the previous year has no free allowance. Null: no such rule. */
    highVolume: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
  },
  strict,
);

const Sms = Type.Object(
  {
    /** `gsm-welsh` and `gsm` replace letters that the alphabet lacks; `keep-letters` sends them as Unicode. */
    alphabet: names('gsm-welsh', 'gsm', 'keep-letters'),
  },
  strict,
);

const Address = Type.Object(
  {
    lines: Type.Object({ min: Type.Integer({ minimum: 1 }), max: Type.Integer({ minimum: 1, maximum: 7 }) }, strict),
    /**
     * `gb` is the order of the protocol and supports forces' addresses (BFPO). `postcode` finds postcode and town with the patterns below.
     */
    rules: names('gb', 'postcode'),
    postcode: Type.Union([
      Type.Null(),
      Type.Object(
        {
          /** Matched against the postcode in capitals without spaces. Its groups are used in `format`. */
          pattern: Pattern,
          /** The groups of the pattern as $1, $2. The text before an empty group is dropped with it. */
          format: Type.String(),
          place: names('own-line', 'before-town', 'after-town'),
          /** The number of spaces between postcode and town. */
          gap: Type.Integer({ minimum: 1, maximum: 3 }),
          required: Type.Boolean(),
          /** A prefix that people write and the postal service does not print: D-, NL-. */
          prefix: Type.Optional(Pattern),
        },
        strict,
      ),
    ]),
    /** A line that begins with one of these is never a town, even without a digit. */
    boxWords: Type.Array(Type.String({ minLength: 1 })),
    /** Matches lines with digits that are a town anyway: CEDEX 9. */
    townWithDigits: Type.Optional(Pattern),
    /** Lower-case lines that say that somebody has no address. */
    refused: Type.Array(Pattern),
    /** Names of the country in addresses, in every language people use. */
    homeNames: Type.Array(Type.String()),
    /**
     * Names and codes of other countries that are also places here: Georgia, DE. After a line that ends with a postcode, such a name is not
     * read as a country; a two-letter code never is.
     */
    alsoPlaces: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
    /** A BCP 47 tag: the language in which names of other countries are printed. */
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
    /** The slot that usage counts its letters in. Never reused for another class. */
    slot: Type.Integer({ minimum: 1, maximum: 5, description: 'a number from 1 to 5' }),
    zone: names('home', 'abroad'),
    /** For international classes: the countries it covers. If omitted: all that no other class names. */
    countries: Type.Optional(
      Type.Union([Type.Literal('europe'), Type.Array(Region, { minItems: 1 })], {
        description: '"europe" or a list of regions such as ["US"]',
      }),
    ),
    transitDays: Type.Integer({ minimum: 0, maximum: 60 }),
    deliveryWeekdays: Type.Array(Weekday, { minItems: 1 }),
    /** The mark in the names of files for the printer. */
    fileMark: Type.String({ pattern: '^[A-Z0-9]{1,10}$', description: 'capitals or digits' }),
  },
  strict,
);

const Postage = Type.Object(
  {
    classes: Type.Array(PostageClass, { minItems: 1, maxItems: 5 }),
    default: Type.String(),
    /** Names that clients of other countries send, and the class that each means here. */
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
    /** The window dimensions are not confirmed for the country's envelopes; `pennypost doctor` reports it. */
    provisionalWindow: Type.Optional(Type.Boolean()),
    cutOff: CutOff,
    /** The word that a printer's machine looks for in the corner of the first page. */
    tag: Type.String(),
    /** Languages of letters in addition to English. */
    languages: Type.Array(Type.String()),
  },
  strict,
);

const HolidayRule = Type.Union(
  [
    Type.Object(
      {
        on: Day,
        /** Where the holiday moves if it falls on a weekend. */
        shift: Type.Optional(names('none', 'monday', 'nearest', 'sunday-before')),
        from: Type.Optional(Type.Integer()),
        until: Type.Optional(Type.Integer()),
      },
      strict,
    ),
    /** Days after Easter Sunday; negative for days before it. */
    Type.Object({ easter: Type.Integer({ minimum: -60, maximum: 80 }) }, strict),
    /** The nth weekday of a month; -1 is the last. */
    Type.Object(
      {
        weekday: Weekday,
        nth: Type.Enum([1, 2, 3, 4, 5, -1]),
        month: Type.Integer({ minimum: 1, maximum: 12 }),
      },
      strict,
    ),
    /** The last such weekday before a date. */
    Type.Object({ before: Day, weekday: Weekday }, strict),
    /** A holiday that no rule can compute, by year. */
    Type.Object({ table: Type.Record(Type.String(), Day) }, strict),
  ],
  { description: 'a rule such as {"on": "12-25"}, {"easter": 1} or {"weekday": 1, "nth": -1, "month": 8}' },
);

const Holidays = Type.Object(
  {
    /** `gb` has special rules for Christmas and Boxing Day; `rules` computes all holidays from the list. */
    strategy: names('gb', 'rules'),
    rules: Type.Array(HolidayRule),
    /** Holidays that governments added or removed, by year. */
    changes: Type.Record(
      Type.String(),
      Type.Object({ added: Type.Array(Type.String()), removed: Type.Array(Type.String()) }, strict),
    ),
    /** Additional holidays of regions. */
    regions: Type.Record(Type.String(), Type.Array(HolidayRule)),
    /** The region whose holidays are included (HOLIDAYS_REGION). */
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
          /** The label for people who add a service, if it differs. */
          choice: Type.Optional(Type.String({ minLength: 1 })),
          /** Null if each organisation has its own value. */
          crown: Type.Union([Type.Boolean(), Type.Null()]),
        },
        strict,
      ),
      { minItems: 1 },
    ),
    /** `nhs`: people with an NHS email address get its brands, and services of NHS Notify its organisation. */
    strategy: Type.Optional(names('nhs')),
    /** Other names for types, and the type that each means. */
    aliases: Type.Record(Type.String(), Type.String()),
  },
  strict,
);

const Sentence = Type.String({ minLength: 1, maxLength: 300 });

/** Whole English sentences, because an adjective inserted into a sentence breaks it ("an Irish number"). */
const Words = Type.Object(
  {
    /** The country within a sentence: the UK, the Netherlands. */
    country: Sentence,
    /** For example "in the UK". */
    inCountry: Sentence,
    /** For example "London time". Default: the name of the zone in the reader's language. */
    zoneName: Type.Optional(Sentence),

    // Texts in the API and in file checks. Clients in other countries match their English texts.
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
    /** An ISO 3166-1 alpha-2 code in lower case, or `x-` and a name for a custom country. */
    code: Type.String({ pattern: '^([a-z]{2}|generic|x-[a-z0-9-]{1,30})$', description: 'a code such as nl or x-own' }),
    /** The English name. */
    name: Type.String({ minLength: 1 }),
    /** A BCP 47 tag for numbers, money and dates. */
    locale: Type.String(),
    /** The languages on offer; the first is the default. */
    languages: Type.Array(Type.String(), { minItems: 1 }),
    calendar: Calendar,
    money: Money,
    prices: Prices,
    phone: Phone,
    sms: Sms,
    /** Domains whose `simulate-delivered` addresses are test recipients, in addition to the protocol's. */
    email: Type.Object({ testDomains: Type.Array(Type.String()) }, strict),
    address: Address,
    postage: Postage,
    letter: Letter,
    holidays: Holidays,
    organisations: Organisations,
    signIn: Type.Object(
      {
        sessionHours: Type.Integer({ minimum: 1, maximum: 720, description: 'a whole number from 1 to 720' }),
        /** People confirm their email address again after this many days. Null: the default of 90 days. */
        emailCheckDays: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
        /** False if accounts without a mobile number are allowed. They sign in with email links. */
        phoneRequired: Type.Boolean(),
      },
      strict,
    ),
    brand: Type.Object(
      { colour: Type.String({ pattern: '^#[0-9a-f]{6}$', description: 'a colour such as #1d70b8' }) },
      strict,
    ),
    answers: Answers,
    words: Words,
  },
  strict,
);

export type CountryProfile = Static<typeof CountryProfile>;
export type HolidayRule = Static<typeof HolidayRule>;
export type PostageClass = Static<typeof PostageClass>;
