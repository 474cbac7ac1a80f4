import type { Country } from '../../countries/country.ts';

type Alphabet = Country['sms']['alphabet'];

/** A permission of services: texts keep every letter, including those that the country replaces. */
export const keepCharacters = 'keep_characters';

/** Returns the alphabet for the texts of a service. */
export function alphabetOf({ sms }: Pick<Country, 'sms'>, keepsCharacters: boolean): Alphabet {
  return keepsCharacters ? 'keep-letters' : sms.alphabet;
}

export function alphabetOfService(
  country: Pick<Country, 'sms'>,
  { permissions }: { permissions: readonly string[] },
): Alphabet {
  return alphabetOf(country, permissions.includes(keepCharacters));
}
