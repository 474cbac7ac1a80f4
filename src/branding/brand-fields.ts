import { Type } from 'typebox';
import { Data, Datetime, Nullable, OneOf, Uuid } from '../protocol/fields.ts';

export const BrandName = Type.String({ minLength: 1, maxLength: 255 });

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
