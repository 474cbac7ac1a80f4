-- A key lists messages of its own type only, all of them or by status.
create index plan_messages_of_keys_idx on plan_messages (service_id, key_type, id desc);
create index plan_messages_of_keys_status_idx on plan_messages (service_id, key_type, status, id desc);
drop index plan_messages_service_id_idx;
drop index plan_messages_status_idx;
