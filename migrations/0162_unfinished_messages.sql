-- Messages that the sweep for missing receipts met before their time was over, and when to look at them again. The sweep
-- itself never has to look at a range twice.
create table unfinished_messages (
  notification_id uuid primary key,
  look_at timestamptz not null
);
create index unfinished_messages_look_at_idx on unfinished_messages (look_at);

-- The sweep of earlier releases went by the time of acceptance and passed over messages that were handed over late.
update delivery_sweeps set swept_until = '-infinity' where name = 'time-outs';

-- How far messages were looked at for those that have no place in the queue.
insert into delivery_sweeps (name, swept_until) values ('lost-messages', '-infinity');
