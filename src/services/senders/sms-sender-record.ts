import { Type } from 'typebox';
import { Datetime, Nullable, Uuid } from '../../protocol/fields.ts';

export const SmsSender = Type.Object(
  {
    id: Uuid,
    sms_sender: Type.String(),
    service_id: Uuid,
    is_default: Type.Boolean(),
    archived: Type.Boolean(),
    inbound_number_id: Nullable(Uuid),
    created_at: Datetime,
    updated_at: Nullable(Datetime),
  },
  { title: 'SmsSender' },
);
