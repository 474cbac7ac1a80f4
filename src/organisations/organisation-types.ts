import type { Country } from '../countries/country.ts';
import { declared, type Text } from '../language/text.ts';
import { OneOf } from '../protocol/fields.ts';

/** Type of an organisation, or of a service without one: one of its country. It determines the annual free SMS allowance. */
export type OrganisationType = string;

type OfCountry = Pick<Country, 'organisations'>;

/** A type in requests and responses. Other names are taken from clients that know other countries. */
export function OrganisationTypes({ organisations: { types, aliases } }: OfCountry) {
  return OneOf([...types.map(({ id }) => id), ...Object.keys(aliases)]);
}

/** The type that a name means in this country. */
export function toOrganisationType<T extends OrganisationType | null | undefined>(
  country: OfCountry,
  name: T,
): T | string {
  const { aliases } = country.organisations;
  return typeof name === 'string' && Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : name;
}

/** What operators read. A type of another country, stored before this one was chosen, is shown as it is. */
export function labelOfType({ organisations }: OfCountry, id: OrganisationType): Text {
  return declared(organisations.types.find((type) => type.id === id)?.label ?? id);
}

/** Whether the protocol's field `crown` means anything: only in the country whose types say so. */
export function hasCrownBodies({ organisations }: OfCountry): boolean {
  return organisations.types.some(({ crown }) => crown !== false);
}
