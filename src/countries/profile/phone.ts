import { Type } from 'typebox';
import { names, Pattern, Region, strict } from './fields.ts';

const numberTypes = names(
  'FIXED_LINE',
  'MOBILE',
  'FIXED_LINE_OR_MOBILE',
  'TOLL_FREE',
  'SHARED_COST',
  'VOIP',
  'PERSONAL_NUMBER',
  'PAGER',
  'UAN',
);

const RateAbroad = Type.Object(
  {
    /** A country calling code, or one with a region where several countries share it. */
    prefix: Type.String({
      pattern: '^[1-9][0-9]{0,2}(:[A-Z]{2})?$',
      description: 'a calling code such as 49, or 1:JM',
    }),
    /** In texts at home. */
    multiplier: Type.Integer({ minimum: 1, maximum: 1000, description: 'a number from 1 to 1000' }),
    receipts: Type.Optional(Type.Boolean()),
    numericSender: Type.Optional(Type.Boolean()),
    from: Type.String(),
  },
  strict,
);

/** How phone numbers of a country are read, and what texts to other countries cost. */
export const Phone = Type.Object(
  {
    /** How a number without a country code is read. */
    region: Region,
    /** Numbers at home prices. Regions, never a calling code: +1 is 25 countries. */
    regions: Type.Array(Region, { minItems: 1 }),
    /** Numbers with a price of their own that need no permission for numbers abroad. */
    near: Type.Array(Region),
    landlineTypes: Type.Array(numberTypes),
    acceptedTypes: Type.Array(numberTypes, { minItems: 1 }),
    /**
     * What happens to a number that is wrong as written. `first-fit` reads its digits again as a national number, which is
     * safe only where national numbers have one length; `strict` never turns it into the number of another person.
     */
    rescue: names('first-fit', 'strict'),
    /** Simulated recipients beside the ones of the protocol, in E.164 digits. */
    testNumbers: Type.Array(Type.String({ pattern: '^[1-9][0-9]{5,14}$', description: 'digits with country code' })),
    shortCode: Pattern,
    emergency: Type.Array(Type.String({ pattern: '^[0-9]{2,6}$', description: 'digits' })),
    /** Two mobile numbers to show, as people write them; best from a range that belongs to nobody. */
    examples: Type.Tuple([Type.String(), Type.String()]),
    /**
     * Texts to other countries: the table of GOV.UK Notify, none at all, or the rates abroad in the database. While there are no
     * rates, `rates` counts a text as one at home and says that its price is not known; once there are, texts to other
     * countries are refused. `rates-only` refuses them from the start, and a multiplier is the price of countries without a rate.
     * `table` has the rates that the database gets when it is set up.
     */
    abroad: Type.Union(
      [
        names('gb-table', 'refuse', 'rates', 'rates-only'),
        Type.Object(
          {
            multiplier: Type.Optional(
              Type.Integer({ minimum: 1, maximum: 1000, description: 'a number from 1 to 1000' }),
            ),
            table: Type.Optional(Type.Array(RateAbroad, { minItems: 1, maxItems: 5_000 })),
          },
          { ...strict, minProperties: 1 },
        ),
      ],
      { description: '"gb-table", "refuse", "rates", "rates-only", {"multiplier": 1} or {"table": [...]}' },
    ),
  },
  strict,
);
