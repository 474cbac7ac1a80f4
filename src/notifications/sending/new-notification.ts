import { timestamp } from '../../platform/clock.ts';
import { newId } from '../../platform/id.ts';
import type { TemplateRow } from '../../templates/template-row.ts';
import { lanes, type NewNotification } from '../notification.ts';
import type { SendContext } from './send-context.ts';

/** What is particular to a message; the rest follows from its context and its template. */
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

/** Every key is written out: copying objects key by key made this the dearest step of accepting a message. */
export function newNotification(
  { service, key_type, api_key_id, created_by_id, now }: SendContext,
  { row }: { row: Pick<TemplateRow, 'id' | 'version' | 'template_type' | 'process_type'> },
  particulars: MessageFields,
): NewNotification {
  const created_at = timestamp(now);
  const scheduled_for = particulars.scheduled_for ?? null;
  return {
    id: particulars.id ?? newId(now),
    service_id: service.id,
    template_id: row.id,
    template_version: row.version,
    notification_type: row.template_type,
    key_type,
    api_key_id,
    created_by_id,
    status: particulars.status ?? 'created',
    client_reference: particulars.client_reference ?? null,
    recipient: particulars.recipient,
    normalised_recipient: particulars.normalised_recipient ?? null,
    personalisation: particulars.personalisation,
    reply_to_text: particulars.reply_to_text ?? null,
    postage: particulars.postage ?? null,
    international: particulars.international ?? false,
    rate_multiplier: particulars.rate_multiplier ?? 1,
    one_click_unsubscribe_url: particulars.one_click_unsubscribe_url ?? null,
    scheduled_for,
    created_at,
    lane: particulars.lane === undefined ? lanes[row.process_type] : particulars.lane,
    due_at: scheduled_for ?? created_at,
  };
}
