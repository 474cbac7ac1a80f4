import { Type } from 'typebox';
import { Nullable, Uuid } from '../protocol/fields.ts';

const ShortText = Nullable(Type.String({ maxLength: 255 }));

/** The fields accepted when creating and updating an organisation. */
export const agreementFields = {
  agreement_signed: Nullable(Type.Boolean()),
  agreement_signed_at: Nullable(Type.String({ format: 'datetime' })),
  agreement_signed_by_id: Nullable(Uuid),
  agreement_signed_on_behalf_of_name: ShortText,
  agreement_signed_on_behalf_of_email_address: ShortText,
  agreement_signed_version: Nullable(Type.Number({ minimum: 0 })),
};
