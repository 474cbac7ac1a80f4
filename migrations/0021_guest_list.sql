-- Whom a service in trial mode may send to, beyond its own team: exactly as typed, in the order given.
create table service_guest_list (
  service_id uuid not null references services,
  recipient_type text not null check (recipient_type in ('email', 'mobile')),
  position integer not null,
  recipient text not null,
  primary key (service_id, recipient_type, position)
);
create trigger announce_change after insert or update or delete on service_guest_list
  for each row execute function announce_service_change();
