/* prepared: receipt-targets */
select id, service_id, notification_type, status, provider, international, normalised_recipient,
  client_reference, recipient, key_type, created_at, sent_at, coalesce(provider, (
  select q.provider
  from delivery_queue q
  where q.notification_id = notifications.id
)) as handed_to
from notifications
where id = any ($1::uuid[])
