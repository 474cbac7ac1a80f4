-- What the printer says it posted: one row per letter.
create table letter_despatches (
  notification_id uuid primary key,
  service_id uuid not null,
  despatched_on date not null, -- London
  postage text not null check (postage in ('first', 'second', 'economy', 'europe', 'rest-of-world')),
  sheets smallint not null,
  cost_threshold text not null check (cost_threshold in ('sorted', 'unsorted')),
  created_at timestamptz not null
);

-- The printer's billing report reads these counts, never the letters. Kept by the database itself, in the transaction that
-- records a despatch: a repeated callback inserts nothing and so counts nothing.
create table daily_despatches (
  despatched_on date not null,
  postage text not null,
  cost_threshold text not null,
  sheets smallint not null,
  letters bigint not null,
  primary key (despatched_on, postage, cost_threshold, sheets)
);

create function count_despatches() returns trigger language plpgsql as $$
begin
  insert into daily_despatches as counted (despatched_on, postage, cost_threshold, sheets, letters)
  select despatched_on, postage, cost_threshold, sheets, count(*) from despatched
  group by 1, 2, 3, 4
  order by 1, 2, 3, 4
  on conflict (despatched_on, postage, cost_threshold, sheets) do update set letters = counted.letters + excluded.letters;
  return null;
end
$$;
create trigger count_despatches after insert on letter_despatches
  referencing new table as despatched for each statement execute function count_despatches();
