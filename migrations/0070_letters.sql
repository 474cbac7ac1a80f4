-- For the letters that something still has to happen to. Not by status: with that in the condition every status change
-- of every text message would have to write to every index.
create index notifications_letters_idx on notifications (id) where notification_type = 'letter';

-- One row per letter whose file was made or checked: what was found, and that there are files to delete one day.
create table letter_files (
  notification_id uuid primary key,
  page_count integer,
  -- Why the letter was refused, and the pages to blame; null when it was not, and where no single page is.
  message text,
  invalid_pages integer[],
  created_at timestamptz not null
);

-- Letters that were handed to the printer, by the reference on its files. Outlives the notification: a letter comes back
-- weeks after it was posted.
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
