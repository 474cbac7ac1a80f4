import { timestamp } from '../../platform/clock.ts';
import { newId } from '../../platform/id.ts';
import type { TemplateRow } from '../../templates/template-row.ts';
import { lanes, type NewNotification } from '../notification.ts';
import type { SendContext } from './send-context.ts';

/** Fields specific to a message; the others come from its context and template. */
type MessageFields = Pick<NewNotification, 'recipient' | 'personalisation'> &
  Partial<
    Pick<
      NewNotification,
      | 'id'
      | 'status'
      | 'normalised_recipient'
      | 'reply_to_text'
      | 'postage'
      | 'international'
      | 'rate_multiplier'
      | 'one_click_unsubscribe_url'
      | 'scheduled_for'
      | 'lane'
    >
  > & { client_reference?: string };

/** Lists every key: spreading objects made this the most expensive step of accepting a message. */
export function newNotification(
  { service, key_type, api_key_id, created_by_id, now, step }: SendContext,
  {
    row,
    language,
  }: { row: Pick<TemplateRow, 'id' | 'version' | 'template_type' | 'process_type'>; language?: string | null },
  fields: MessageFields,
): NewNotification {
  const created_at = timestamp(now);
  const scheduled_for = fields.scheduled_for ?? null;
  return {
    id: fields.id ?? step?.notification_id ?? newId(now),
    service_id: service.id,
    template_id: row.id,
    template_version: row.version,
    notification_type: row.template_type,
    key_type,
    api_key_id,
    created_by_id,
    status: fields.status ?? 'created',
    client_reference: fields.client_reference ?? null,
    recipient: fields.recipient,
    normalised_recipient: fields.normalised_recipient ?? null,
    personalisation: fields.personalisation,
    reply_to_text: fields.reply_to_text ?? null,
    postage: fields.postage ?? null,
    international: fields.international ?? false,
    rate_multiplier: fields.rate_multiplier ?? 1,
    one_click_unsubscribe_url: fields.one_click_unsubscribe_url ?? null,
    scheduled_for,
    created_at,
    lane: fields.lane === undefined ? lanes[row.process_type] : fields.lane,
    due_at: scheduled_for ?? created_at,
    language: language ?? null,
  };
}
