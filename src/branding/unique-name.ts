import type { Db } from '../platform/db/database.ts';
import { invalidField } from '../platform/failure.ts';
import { selectSimilarNames } from './unique-name.sql.ts';

const maxAlternates = 99;

/** Returns the wanted name if it is free, otherwise `<name> (alternate N)` with the first free N. */
export async function uniqueName(
  db: Db,
  brands: 'email_branding' | 'letter_branding',
  wanted: { field: string; name: string },
): Promise<string> {
  const similar = await selectSimilarNames(db, brands, wanted.name);
  if (!similar.some((brand) => brand.is_same)) return wanted.name;
  const taken = new Set(similar.map((brand) => brand.name));
  for (let number = 1; number <= maxAlternates; number += 1) {
    const name = `${wanted.name} (alternate ${number})`;
    if (!taken.has(name)) return name;
  }
  throw invalidField(wanted.field, `All ${maxAlternates} alternates of '${wanted.name}' are taken`);
}
