-- May look at the pages of operators, and change nothing. Without meaning for platform administrators, who may do both.
alter table users add column read_only_operator boolean not null default false;
