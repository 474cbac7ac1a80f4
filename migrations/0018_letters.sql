-- Pages that are printed after a letter. The file itself is in the file store, by id.
create table letter_attachments (
  id uuid primary key,
  service_id uuid not null references services,
  template_id uuid not null references templates,
  original_filename text not null,
  page_count integer not null check (page_count > 0),
  created_by_id uuid not null references users,
  created_at timestamptz not null,
  archived_by_id uuid references users,
  archived_at timestamptz
);
create index letter_attachments_template_id_idx on letter_attachments (template_id);
create trigger announce_change after insert or update or delete on letter_attachments
  for each row execute function announce_service_change();
alter table templates add foreign key (letter_attachment_id) references letter_attachments;

-- One row per letter whose file was made or checked: the result, and that there are files to delete later.
create table letter_files (
  notification_id uuid primary key,
  page_count integer,
  -- Why the letter was refused, and because of which pages; null if it was not, or not because of single pages.
  message text,
  invalid_pages integer[],
  created_at timestamptz not null,
  -- The print run whose folder a letter was first handed over to, even in part. A batch that is handed over again on a later day
  -- goes there.
  print_day date
);

-- Days on which the printer does not work, beside the weekends and holidays of the country.
create table days_without_printing (
  day date primary key,
  name text not null,
  created_at timestamptz not null
);

-- Every process keeps the days, because it computes when a letter is printed for each response.
create function announce_days_without_printing() returns trigger language plpgsql as $$
begin
  perform pg_notify('days_without_printing_changed', '');
  return null;
end
$$;
create trigger announce_change after insert or update or delete on days_without_printing
  for each statement execute function announce_days_without_printing();

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
  printed_at timestamptz not null,
  job_id uuid,
  job_row_number integer
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
  created_at timestamptz not null,
  job_id uuid,
  job_row_number integer
);
create index returned_letters_service_id_idx on returned_letters (service_id, reported_on desc);

-- Letters that the printer reported as posted.
create table letter_despatches (
  notification_id uuid primary key,
  service_id uuid not null,
  despatched_on date not null, -- London
  postage text not null check (postage ~ '^[a-z][a-z0-9-]{1,19}$'),
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
