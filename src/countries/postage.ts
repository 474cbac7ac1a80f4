import type { CountryProfile, PostageClass } from './profile.ts';

type Postage = CountryProfile['postage'];

/** Usage counts letters by sheets and slot, so that no country can have more classes than this. */
export const postageSlots = 5;

export function listPostage({ classes }: Postage): string[] {
  return classes.map(({ id }) => id);
}

/** The classes that a sender can choose: an address abroad decides its own. */
export function listHomePostage({ classes }: Postage): PostageClass[] {
  return classes.filter(({ zone }) => zone === 'home');
}

/** What clients may send where a sender chooses: the classes at home, and what they are called elsewhere. */
export function listChoosable(postage: Postage): string[] {
  return [...new Set([...listHomePostage(postage).map(({ id }) => id), ...Object.keys(postage.aliases)])];
}

/** The class that a request names; undefined if there is none. */
export function findPostage(postage: Postage, requested: string): string | undefined {
  const alias = Object.hasOwn(postage.aliases, requested) ? postage.aliases[requested] : undefined;
  return postage.classes.find(({ id }) => id === requested)?.id ?? alias;
}

/**
 * The class of a letter at home: as requested, or the default. A class that this country does not have, such as that of a
 * template from before the country was chosen, becomes the default, too.
 */
export function homePostage(postage: Postage, requested: string | null | undefined): string {
  const found = requested ? findPostage(postage, requested) : undefined;
  return listHomePostage(postage).find(({ id }) => id === found)?.id ?? postage.default;
}

/** The class of a letter to another country: the one that names it, or the one for all others. */
export function postageAbroad(
  { classes }: Postage,
  { country, isInEurope }: { country: string | null; isInEurope: boolean },
): string | undefined {
  const abroad = classes.filter(({ zone }) => zone === 'abroad');
  const names = ({ countries }: PostageClass) =>
    countries === 'europe' ? isInEurope : country !== null && countries?.includes(country) === true;
  return (
    abroad.find((each) => Array.isArray(each.countries) && names(each)) ??
    abroad.find(names) ??
    abroad.find(({ countries }) => countries === undefined)
  )?.id;
}

/** A class of another country is shown as it was stored. */
export function postageLabel({ classes }: Postage, stored: string): string {
  return classes.find(({ id }) => id === stored)?.label ?? stored;
}

/** "a, b or c": the classes in an English sentence. */
export function postageInWords({ classes }: Postage): string {
  const ids = classes.map(({ id }) => id);
  return ids.length === 1 ? (ids[0] ?? '') : `${ids.slice(0, -1).join(', ')} or ${ids.at(-1)}`;
}

/** The ids of the classes by slot; null where a slot is free. */
export function postageBySlot(classes: readonly Pick<PostageClass, 'id' | 'slot'>[]): (string | null)[] {
  return Array.from({ length: postageSlots }, (_, index) => classes.find(({ slot }) => slot === index + 1)?.id ?? null);
}
