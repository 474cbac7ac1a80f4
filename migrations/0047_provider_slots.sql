-- The moments at which messages may be handed over to a provider with a limited rate. Workers reserve them, so the limit holds for all of them
-- together: `next_at` is the first that is free, `granted` how many the last reservation got.
create table provider_slots (
  provider text primary key,
  next_at timestamptz not null,
  granted integer not null
);
