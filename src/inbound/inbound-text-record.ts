import { Type } from 'typebox';
import { Datetime, Uuid } from '../protocol/fields.ts';

/** A received text in the format of both APIs. */
export const InboundTextRecord = Type.Object({
  id: Uuid,
  created_at: Datetime,
  service_id: Uuid,
  notify_number: Type.String(),
  user_number: Type.String(),
  content: Type.String(),
});
