import { Type } from 'typebox';
import { Datetime, OneOf, Uuid } from '../../protocol/fields.ts';

/** An entry of a suppression list, in both APIs. */
export const SuppressedRecipientRecord = Type.Object({
  id: Uuid,
  email_address: Type.String(),
  reason: OneOf(['hard-bounce', 'complaint', 'unsubscribe']),
  notification_id: Type.String({ ...Uuid, description: 'The email that bounced or was answered; it may be deleted' }),
  created_at: Datetime,
});

export const Lift = Type.Object({
  email_address: Type.String({ maxLength: 640, description: 'In any spelling: capitals and spaces do not matter' }),
});
