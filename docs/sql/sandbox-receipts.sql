/* prepared: sandbox-receipts */
with due as (
  select m.reference
  from sandbox_messages m
  where m.receipt_due_at <= $1 and (
    select n.status
    from notifications n
    where n.id = m.reference
  ) is distinct from 'created'
  order by m.receipt_due_at
  limit $2::int
  for update of m skip locked
)
update sandbox_messages m
set receipt_due_at = null
where m.reference = any (array(select reference from due))
returning m.reference, m.notification_type, m.recipient
