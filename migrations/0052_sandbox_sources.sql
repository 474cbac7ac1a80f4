-- Where the source of an email stands: the emails of one commit share a file. Creating one file per email took more processor
-- time than everything else that the sandbox does.
alter table sandbox_messages
  add column source_file uuid,
  add column source_start integer,
  add column source_length integer;
