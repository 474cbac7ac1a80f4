import { Type } from 'typebox';
import { Data, Uuid } from '../platform/http/fields.ts';

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
