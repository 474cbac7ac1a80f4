import type { Country } from '../../countries/country.ts';

type Alphabet = Country['sms']['alphabet'];

/** The permission of a service whose texts keep every letter, whatever its country replaces. */
export const keepCharacters = 'keep_characters';

/** What the texts of a service are written with. */
export function alphabetOf({ sms }: Pick<Country, 'sms'>, keepsCharacters: boolean): Alphabet {
  return keepsCharacters ? 'keep-letters' : sms.alphabet;
}

export function alphabetOfService(
  country: Pick<Country, 'sms'>,
  { permissions }: { permissions: readonly string[] },
): Alphabet {
  return alphabetOf(country, permissions.includes(keepCharacters));
}
