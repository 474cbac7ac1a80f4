-- What a person has opened, cleared or dismissed in the console.
create table console_marks (
  user_id uuid not null references users,
  -- sandbox-opened: a message. sandbox-cleared: the list begins after this id. steps-hidden: a service.
  kind text not null,
  subject_id uuid not null,
  primary key (user_id, kind, subject_id)
);
