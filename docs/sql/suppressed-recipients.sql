/* prepared: suppressed-recipients */
select id, email_address, reason, notification_id, created_at
from suppressed_recipients
where service_id = $1 and email_address = any ($2::text[])
