-- Whether a key may create and change the templates of its service.
alter table api_keys add manage_templates boolean not null default false;
alter table api_keys_history add manage_templates boolean not null default false;

-- Such a key acts for itself: `client` has its name and id.
alter table audit_log drop constraint audit_log_actor_type_check;
alter table audit_log add constraint audit_log_actor_type_check
  check (actor_type in ('user', 'admin_client', 'visitor', 'command', 'api_key'));
