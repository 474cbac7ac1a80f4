-- Parts of a long text that someone sent to a service, until all of them are here.
create table received_parts (
  service_id uuid not null references services,
  user_number text not null,
  -- Given by the phone; the same in all parts.
  number int not null,
  total int not null,
  nth int not null,
  content text not null,
  received_at timestamptz not null,
  primary key (service_id, user_number, number, total, nth)
);
create index received_parts_received_at_idx on received_parts (received_at);
