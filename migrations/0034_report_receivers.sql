-- Which worker receives the reports of a provider that come in another way than by webhook: one at a time reads a mailbox.
create table report_receivers (
  provider text not null,
  name text not null,
  worker uuid not null,
  -- Another worker takes over after it.
  leased_until timestamptz not null,
  -- When it last received without an error; null before the first time.
  received_at timestamptz,
  primary key (provider, name)
);
