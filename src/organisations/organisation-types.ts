import type { Country } from '../countries/country.ts';
import { declared, type Text } from '../language/text.ts';
import { OneOf } from '../protocol/fields.ts';

/**
 * The type of an organisation, or of a service without one. The country defines the types. It determines the annual free text message
 * allowance.
 */
export type OrganisationType = string;

type OfCountry = Pick<Country, 'organisations'>;

/** The schema of a type. Also accepts aliases, for clients written for other countries. */
export function OrganisationTypes({ organisations: { types, aliases } }: OfCountry) {
  return OneOf([...types.map(({ id }) => id), ...Object.keys(aliases)]);
}

/** Returns the type that a name or alias means in this country. */
export function toOrganisationType<T extends OrganisationType | null | undefined>(
  country: OfCountry,
  name: T,
): T | string {
  const { aliases } = country.organisations;
  return typeof name === 'string' && Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : name;
}

/** Returns the label for operators. A type stored before the country was changed is shown as it is. */
export function labelOfType({ organisations }: OfCountry, id: OrganisationType): Text {
  return declared(organisations.types.find((type) => type.id === id)?.label ?? id);
}

/** Whether the protocol's field `crown` has a meaning, which depends on the country's types. */
export function hasCrownBodies({ organisations }: OfCountry): boolean {
  return organisations.types.some(({ crown }) => crown !== false);
}
