import type { CountryProfile, PostageClass } from './profile.ts';

type Postage = CountryProfile['postage'];

/** The max number of classes, because usage counts letters by sheets and slot. */
export const postageSlots = 5;

export function listPostage({ classes }: Postage): string[] {
  return classes.map(({ id }) => id);
}

/** Lists the classes that a sender can choose. For an international address, the address determines the class. */
export function listHomePostage({ classes }: Postage): PostageClass[] {
  return classes.filter(({ zone }) => zone === 'home');
}

/** Lists the values that clients may send: the domestic classes and their aliases. */
export function listChoosable(postage: Postage): string[] {
  return [...new Set([...listHomePostage(postage).map(({ id }) => id), ...Object.keys(postage.aliases)])];
}

/** Returns the class that a request names, or undefined if there is none. */
export function findPostage(postage: Postage, requested: string): string | undefined {
  const alias = Object.hasOwn(postage.aliases, requested) ? postage.aliases[requested] : undefined;
  return postage.classes.find(({ id }) => id === requested)?.id ?? alias;
}

/**
 * Returns the class of a domestic letter: as requested, or the default. An unknown class becomes the default too, for example if the
 * template is older than the choice of country.
 */
export function homePostage(postage: Postage, requested: string | null | undefined): string {
  const found = requested ? findPostage(postage, requested) : undefined;
  return listHomePostage(postage).find(({ id }) => id === found)?.id ?? postage.default;
}

/** Returns the class of an international letter: the one that names the country, or the one for all others. */
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

/** Returns the label of a class. The class of a former country is shown as stored. */
export function postageLabel({ classes }: Postage, stored: string): string {
  return classes.find(({ id }) => id === stored)?.label ?? stored;
}

/** Lists the classes in an English sentence: "a, b or c". */
export function describePostage({ classes }: Postage): string {
  const ids = classes.map(({ id }) => id);
  return ids.length === 1 ? (ids[0] ?? '') : `${ids.slice(0, -1).join(', ')} or ${ids.at(-1)}`;
}

/** Returns the class ids by slot, with null for free slots. */
export function postageBySlot(classes: readonly Pick<PostageClass, 'id' | 'slot'>[]): (string | null)[] {
  return Array.from({ length: postageSlots }, (_, index) => classes.find(({ slot }) => slot === index + 1)?.id ?? null);
}
