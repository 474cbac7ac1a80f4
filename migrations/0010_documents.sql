-- Files sent by email. The content is encrypted with a key that is part of the link and is not stored.
create table documents (
  id uuid primary key,
  service_id uuid not null references services,
  filename text,
  file_extension text not null,
  mime_type text not null,
  size_in_bytes integer not null,
  -- A keyed digest of the recipient's address, where it must be confirmed before the download.
  recipient_digest text,
  -- A file of a template is the same for every recipient and is stored once. Each link to it has a key of its own, of which
  -- only the digest is stored.
  shared_path text,
  key_digest text,
  available_until timestamptz not null,
  created_at timestamptz not null,
  -- Of the email that it was sent with, if its template has several languages: that of its pages.
  language text,
  constraint documents_shared_with_digest check ((shared_path is null) = (key_digest is null))
);
create index documents_available_until_idx on documents (available_until);

-- Attempts to confirm an address, to limit guessing.
create unlogged table document_attempts (
  document_id uuid primary key,
  window_start timestamptz not null,
  count integer not null
);
