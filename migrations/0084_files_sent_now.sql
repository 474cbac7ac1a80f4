-- A file whose messages wait for no sending time any more, and the file of each message that waits.
alter table jobs add ignores_sending_times boolean not null default false;
alter table held_messages add job_id uuid;
create index held_messages_job_id_idx on held_messages (job_id, held_until) where job_id is not null;
