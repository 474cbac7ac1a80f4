import { comparableKey } from '../../protocol/comparable-key.ts';

/** The English names. Address lines end with their number. */
const englishNames: readonly string[] = ['phone number', 'email address', 'address line', 'postcode'];

/** The names of recipient columns in other languages, in the same order. The first spelling is shown. */
const headings = new Map<string, readonly (readonly string[])[]>([
  [
    'fr',
    [
      ['numéro de téléphone'],
      ['adresse électronique', 'adresse courriel', 'adresse e-mail', 'courriel'],
      ['adresse ligne', 'ligne d’adresse'],
      ['code postal'],
    ],
  ],
  ['nl', [['telefoonnummer'], ['e-mailadres'], ['adresregel'], ['postcode']]],
  ['cy', [['rhif ffôn'], ['cyfeiriad e-bost'], ['llinell cyfeiriad'], ['cod post']]],
  ['de', [['Telefonnummer'], ['E-Mail-Adresse'], ['Adresszeile'], ['Postleitzahl']]],
  [
    'es',
    [
      ['número de teléfono'],
      ['correo electrónico', 'dirección de correo electrónico'],
      ['línea de dirección'],
      ['código postal'],
    ],
  ],
]);

/** The key of the English name by spelling. */
const englishKeys = new Map(
  [...headings.values()].flatMap((names) =>
    names.flatMap((spellings, index) => {
      const english = englishNames[index] ?? '';
      const numbers = english === 'address line' ? [1, 2, 3, 4, 5, 6, 7] : [''];
      return spellings.flatMap((name) =>
        numbers.map((number) => [plainKey(`${name} ${number}`), comparableKey(`${english} ${number}`)] as const),
      );
    }),
  ),
);

/** Ignores accents and apostrophes, because people often omit them. */
function plainKey(name: string): string {
  return comparableKey(name.normalize('NFD').replaceAll(/[\p{M}'’]/gu, ''));
}

/** Returns the key of the English name of a recipient column; undefined if no language has this name. */
export function englishKeyOf(name: string): string | undefined {
  return englishKeys.get(plainKey(name));
}

/** Returns the name of a recipient column in a language; the English one if there is none, or if a placeholder has that name. */
export function headingIn(tag: string, english: string, placeholders: readonly string[]): string {
  const [, name = '', number = ''] = /^(.*?)( \d)?$/.exec(english) ?? [];
  const index = englishNames.indexOf(name);
  const [shown] = headings.get(new Intl.Locale(tag).language)?.[index] ?? [];
  if (shown === undefined) return english;
  const heading = `${shown}${number}`;
  return placeholders.some((one) => comparableKey(one) === comparableKey(heading)) ? english : heading;
}
