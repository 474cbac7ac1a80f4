-- Files that were put in place for a message whose transaction has not ended. The transaction that stores the message deletes
-- its rows; where that never happens, the files are deleted an hour later.
create table unconfirmed_files (
  path text primary key,
  created_at timestamptz not null
);
