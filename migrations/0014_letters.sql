-- One row per letter whose file was made or checked: the result, and that there are files to delete later.
create table letter_files (
  notification_id uuid primary key,
  page_count integer,
  -- Why the letter was refused, and because of which pages; null if it was not, or not because of single pages.
  message text,
  invalid_pages integer[],
  created_at timestamptz not null
);

-- Letters that were handed over to the printer, by the reference on their files. Kept longer than the notification: a letter
-- is returned weeks after it was posted.
create table printed_letters (
  reference text primary key,
  notification_id uuid not null,
  service_id uuid not null,
  template_id uuid not null,
  template_version integer not null,
  api_key_id uuid,
  created_by_id uuid,
  client_reference text,
  created_at timestamptz not null,
  printed_at timestamptz not null
);
create index printed_letters_printed_at_idx on printed_letters (printed_at);

create table returned_letters (
  notification_id uuid primary key,
  reference text not null,
  service_id uuid not null,
  template_id uuid not null,
  template_version integer not null,
  api_key_id uuid,
  created_by_id uuid,
  client_reference text,
  letter_created_at timestamptz not null,
  printed_at timestamptz not null,
  reported_on date not null, -- London
  created_at timestamptz not null
);
create index returned_letters_service_id_idx on returned_letters (service_id, reported_on desc);

-- What the printer reported as posted: one row per letter.
create table letter_despatches (
  notification_id uuid primary key,
  service_id uuid not null,
  despatched_on date not null, -- London
  postage text not null check (postage in ('first', 'second', 'economy', 'europe', 'rest-of-world')),
  sheets smallint not null,
  cost_threshold text not null check (cost_threshold in ('sorted', 'unsorted')),
  created_at timestamptz not null
);

-- The printer's billing report reads these counts, never the letters. A trigger counts in the transaction that records a
-- despatch: a repeated callback inserts nothing and so counts nothing.
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
