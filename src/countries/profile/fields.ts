import { Type } from 'typebox';

// Fields that several parts of a profile use.

export const strict = { additionalProperties: false };
export const names = <const T extends string[]>(...values: T) => Type.Enum<T>(values);

/** A pattern for single lines. Its length is bounded, and profile-problems.ts refuses patterns that could take exponential time. */
export const Pattern = Type.String({
  format: 'regex',
  minLength: 1,
  maxLength: 200,
  description: 'a regular expression of at most 200 characters',
});
/** An ISO 3166-1 alpha-2 code in capitals, as in the phone number library. */
export const Region = Type.String({ pattern: '^[A-Z]{2}$', description: 'a region such as NL' });
