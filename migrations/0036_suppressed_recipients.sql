-- Email addresses that a service with the permission `suppress_recipients` does not send to, until somebody lifts the entry. The
-- address is normalised, as in `notifications.normalised_recipient`. The message may be deleted long before.
create table suppressed_recipients (
  id uuid primary key,
  service_id uuid not null references services on delete cascade,
  email_address text not null,
  reason text not null check (reason in ('hard-bounce', 'complaint', 'unsubscribe')),
  notification_id uuid not null,
  created_at timestamptz not null,
  unique (service_id, email_address)
);
create index suppressed_recipients_service_id_idx on suppressed_recipients (service_id, id desc);

-- Receipts and recipients add entries; only lifting one is a change that somebody makes.
create trigger audit_delete after delete on suppressed_recipients referencing old table as changed for each statement
  when (coalesce(current_setting('pennypost.actor', true), '') <> '')
  execute function record_audited_rows('suppressed_recipient');
