/* prepared: message-parts */
select reference, message_reference
from message_parts
where reference = any ($1::text[])
