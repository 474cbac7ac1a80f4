import { Type } from 'typebox';
import type { Db } from '../platform/db/database.ts';
import { invalidField } from '../platform/failure.ts';
import { Data, Datetime, Nullable, OneOf, Uuid } from '../protocol/fields.ts';
import { selectSimilarNames } from './brands.sql.ts';

export const NameFound = Type.Object({ name: Type.String() });

export const OrgsAndServices = Data(
  Type.Object({
    organisations: Type.Array(Type.Object({ id: Uuid, name: Type.String(), active: Type.Boolean() })),
    services: Type.Array(
      Type.Object({ id: Uuid, name: Type.String(), active: Type.Boolean(), restricted: Type.Boolean() }),
    ),
  }),
);

export const BrandTypes = OneOf(['org', 'both', 'org_banner']);

export const LetterBranding = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    filename: Type.String(),
    created_by: Nullable(Uuid),
    created_at: Datetime,
    updated_at: Nullable(Datetime),
  },
  { title: 'LetterBranding' },
);

export const EmailBranding = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    colour: Nullable(Type.String()),
    logo: Nullable(Type.String()),
    text: Nullable(Type.String()),
    alt_text: Nullable(Type.String()),
    brand_type: BrandTypes,
    active: Type.Boolean(),
    created_at: Datetime,
    created_by: Nullable(Uuid),
    updated_at: Nullable(Datetime),
    updated_by: Nullable(Uuid),
  },
  { title: 'EmailBranding' },
);

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
