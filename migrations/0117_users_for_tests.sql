-- Browser tests may reset only the users that they have created themselves.
alter table users add column created_for_tests boolean not null default false;
