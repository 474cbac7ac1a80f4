/* prepared: incomplete-messages */
select distinct message_reference
from message_parts
where message_reference = any ($1::text[]) and delivered_at is null
