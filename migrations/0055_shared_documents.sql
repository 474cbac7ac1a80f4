-- A file of a template is the same for every recipient and is kept once; each link to it has a key of its own, of which
-- only the digest is here.
alter table documents
  add column shared_path text,
  add column key_digest text,
  add constraint documents_shared_with_digest check ((shared_path is null) = (key_digest is null));
