-- The list of messages of one plan, all of them and by status.
create index plan_messages_plan_idx on plan_messages (plan_id, id desc);
create index plan_messages_plan_status_idx on plan_messages (plan_id, status, id desc);
