-- How many messages with a channel plan have each status, and which step reached their recipient (0: none). Changes are appended by the
-- transaction that changes a message, and added up once a second. Messages of test keys do not count.
create table plan_outcomes (
  plan_id uuid not null,
  plan_version integer not null,
  status text not null check (status in ('created', 'in-progress', 'delivered', 'failed', 'cancelled')),
  step smallint not null,
  messages bigint not null,
  primary key (plan_id, plan_version, status, step)
);

create table plan_outcome_changes (
  plan_id uuid not null,
  plan_version integer not null,
  status text not null,
  step smallint not null,
  messages integer not null
);

insert into plan_outcomes
select plan_id, plan_version, status, case status when 'delivered' then coalesce((
    select min(s.number) from plan_steps s where s.message_id = m.id and s.state = 'delivered'), 0) else 0 end, count(*)
from plan_messages m where key_type <> 'test' group by 1, 2, 3, 4;

-- The list of messages by status.
create index plan_messages_status_idx on plan_messages (service_id, status, id desc);
