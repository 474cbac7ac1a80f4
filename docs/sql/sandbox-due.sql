/* prepared: sandbox-due */
select exists (select from sandbox_messages where receipt_due_at <= $1) as found
