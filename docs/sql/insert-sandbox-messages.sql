/* prepared: insert-sandbox-messages */
insert into sandbox_messages
  as known (reference, notification_type, recipient, sender, subject, body, created_at, receipt_due_at,
  source_file, source_start, source_length)
select *
from json_to_recordset($1::json)
  as m (reference uuid, notification_type text, recipient text, sender text, subject text, body text,
  created_at timestamptz, receipt_due_at timestamptz, source_file uuid, source_start integer,
  source_length integer)
on conflict (reference) do update set times_sent = known.times_sent + 1
