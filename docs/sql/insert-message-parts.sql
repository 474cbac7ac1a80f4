/* prepared: insert-message-parts */
insert into message_parts as known (reference, message_reference, sent_at)
select distinct on (p.reference) p.reference, p.message_reference, $1::timestamptz
from json_to_recordset($2::json) as p (reference text, message_reference text)
on conflict (reference) do update set message_reference = excluded.message_reference,
  sent_at = excluded.sent_at, delivered_at = null
where known.message_reference <> excluded.message_reference
