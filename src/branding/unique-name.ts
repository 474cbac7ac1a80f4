import type { Db } from '../platform/db/database.ts';
import { invalidField } from '../platform/failure.ts';
import { selectSimilarNames } from './unique-name.sql.ts';

const mostAlternates = 99;

/** The wanted name when no brand has it, else `<name> (alternate N)` with the first N that is free. */
export async function uniqueName(
  db: Db,
  brands: 'email_branding' | 'letter_branding',
  wanted: { field: string; name: string },
): Promise<string> {
  const similar = await selectSimilarNames(db, brands, wanted.name);
  if (!similar.some((brand) => brand.is_same)) return wanted.name;
  const taken = new Set(similar.map((brand) => brand.name));
  for (let number = 1; number <= mostAlternates; number += 1) {
    const name = `${wanted.name} (alternate ${number})`;
    if (!taken.has(name)) return name;
  }
  throw invalidField(wanted.field, `All ${mostAlternates} alternates of '${wanted.name}' are taken`);
}
