-- Files sent by email. The content is encrypted with a key that is part of the link and kept nowhere here.
create table documents (
  id uuid primary key,
  service_id uuid not null references services,
  filename text,
  file_extension text not null,
  mime_type text not null,
  size_in_bytes integer not null,
  -- A keyed digest of the recipient's address, where it has to be confirmed before the download.
  recipient_digest text,
  available_until timestamptz not null,
  created_at timestamptz not null
);
create index documents_available_until_idx on documents (available_until);

-- Attempts to confirm an address: guessing is slowed down.
create unlogged table document_attempts (
  document_id uuid primary key,
  window_start timestamptz not null,
  count integer not null
);
