import { Type } from 'typebox';

// What several parts of a profile are made of.

export const strict = { additionalProperties: false };
export const names = <const T extends string[]>(...values: T) => Type.Enum<T>(values);

/** It meets single lines only. Its length is bounded, and profile-problems.ts refuses what could take exponential time. */
export const Pattern = Type.String({
  format: 'regex',
  minLength: 1,
  maxLength: 200,
  description: 'a regular expression of at most 200 characters',
});
/** ISO 3166-1 alpha-2, as the library of phone numbers writes it. */
export const Region = Type.String({ pattern: '^[A-Z]{2}$', description: 'a region such as NL' });
