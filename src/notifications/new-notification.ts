import { timestamp } from '../platform/clock.ts';
import { newId } from '../platform/id.ts';
import type { TemplateRow } from '../templates/template-row.ts';
import { lanes, type NewNotification } from './notification.ts';
import type { Sender } from './sender.ts';

/** What is particular to a message; the rest follows from its sender and its template. */
type Particulars = Pick<NewNotification, 'recipient' | 'personalisation'> &
  Partial<Omit<NewNotification, 'client_reference'>> & { client_reference?: string };

export function newNotification(
  { service, key_type, api_key_id, created_by_id, now }: Sender,
  { row }: { row: Pick<TemplateRow, 'id' | 'version' | 'template_type' | 'process_type'> },
  { client_reference = undefined, scheduled_for = null, ...particulars }: Particulars,
): NewNotification {
  const created_at = timestamp(now);
  return {
    id: newId(now),
    service_id: service.id,
    template_id: row.id,
    template_version: row.version,
    notification_type: row.template_type,
    key_type,
    api_key_id,
    created_by_id,
    status: 'created',
    client_reference: client_reference ?? null,
    normalised_recipient: null,
    reply_to_text: null,
    postage: null,
    international: false,
    rate_multiplier: 1,
    one_click_unsubscribe_url: null,
    scheduled_for,
    created_at,
    lane: lanes[row.process_type],
    due_at: scheduled_for ?? created_at,
    ...particulars,
  };
}
