-- What the sandbox provider was given, and when it owes a receipt for it.
create table sandbox_messages (
  reference uuid primary key,
  notification_type text not null check (notification_type in ('sms', 'email', 'letter')),
  recipient text not null,
  sender text not null,
  subject text,
  body text not null,
  -- More than once only when an attempt broke off and was repeated.
  times_sent integer not null default 1,
  created_at timestamptz not null,
  receipt_due_at timestamptz
);
create index sandbox_messages_receipt_due_at_idx on sandbox_messages (receipt_due_at) where receipt_due_at is not null;
