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
    /** A country calling code, with a region if several countries share it. */
    prefix: Type.String({
      pattern: '^[1-9][0-9]{0,2}(:[A-Z]{2})?$',
      description: 'a calling code such as 49, or 1:JM',
    }),
    /** A multiple of the price of a domestic text. */
    multiplier: Type.Integer({ minimum: 1, maximum: 1000, description: 'a number from 1 to 1000' }),
    receipts: Type.Optional(Type.Boolean()),
    numericSender: Type.Optional(Type.Boolean()),
    from: Type.String(),
  },
  strict,
);

/** How phone numbers of a country are read, and what international texts cost. */
export const Phone = Type.Object(
  {
    /** The region for numbers without a country code. */
    region: Region,
    /** Regions whose numbers have domestic prices. Not calling codes: +1 is 25 countries. */
    regions: Type.Array(Region, { minItems: 1 }),
    /** Regions with their own price whose numbers need no permission for international numbers. */
    near: Type.Array(Region),
    landlineTypes: Type.Array(numberTypes),
    acceptedTypes: Type.Array(numberTypes, { minItems: 1 }),
    /**
     * How a number that is wrong as written is treated. `first-fit` parses its digits again as a national number, which is safe only if all
     * national numbers have the same length. `strict` does not, so it never produces another person's number.
     */
    rescue: names('first-fit', 'strict'),
    /** Simulated recipients in addition to the protocol's, as E.164 digits. */
    testNumbers: Type.Array(Type.String({ pattern: '^[1-9][0-9]{5,14}$', description: 'digits with country code' })),
    shortCode: Pattern,
    emergency: Type.Array(Type.String({ pattern: '^[0-9]{2,6}$', description: 'digits' })),
    /** Two mobile numbers to show as examples, in the usual notation, preferably from a range reserved for fiction. */
    examples: Type.Tuple([Type.String(), Type.String()]),
    /**
     * The price of international texts: `gb-table` is the table of GOV.UK Notify, `refuse` sends none, and the others use the rates in the
     * database. Without any rates, `rates` counts an international text as a domestic one and marks its price as unknown; with rates, texts
     * to countries without one are refused. `rates-only` refuses them even without any rates. A multiplier is the price for countries
     * without a rate. `table` has the initial rates of the database.
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
