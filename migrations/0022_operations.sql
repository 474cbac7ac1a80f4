-- Stored keys depend on these: the zone in which days were counted, the currency of amounts, and the class of postage of a slot of
-- usage. Written at the first start and compared at every later one.
create table installation (
  -- There is one row.
  is_only boolean primary key default true check (is_only),
  -- The code of the profile that the seeds were those of.
  country text not null,
  zone text not null,
  currency text not null,
  -- The slot of each class: {"first": 1}.
  postage jsonb not null,
  chosen_at timestamptz not null,
  -- The whole profile of the latest start, to record what changed.
  profile jsonb not null
);

-- When days began to be counted in another zone: `pennypost country change`.
create table zone_changes (
  -- The first day of the new zone. Counts of the days before it are partly or wholly of the old one.
  first_day date not null,
  old_zone text not null,
  new_zone text not null,
  changed_at timestamptz primary key
);

-- The author, time and origin of each change, with the values before and after. Written by triggers in the transaction of the
-- change, so that no code can forget it; only for requests of people and of admin clients, which set `pennypost.actor`
-- (src/platform/db/actor.ts). No foreign keys: an entry outlives what it is about.
create table audit_log (
  id uuid primary key,
  created_at timestamptz not null,
  actor_type text not null check (actor_type in ('user', 'admin_client', 'visitor', 'command', 'api_key')),
  -- Of the session, so verified.
  user_id uuid,
  -- The issuer of the token that an admin client sent, the name of a command, or the name and id of a key.
  client text,
  -- The user that an admin client acts for, as it says: not verified.
  claimed_user_id uuid,
  address text,
  user_agent text,
  request_id text,
  -- Method and path, without ids.
  request text,
  -- import: something keeps the id or the secret that it had on another server.
  action text not null check (action in ('create', 'update', 'delete', 'find', 'export', 'erase', 'import')),
  noun text not null,
  thing_id text,
  service_id uuid,
  organisation_id uuid,
  -- Only the fields that changed.
  before jsonb,
  after jsonb
);
create index audit_log_created_at_idx on audit_log (created_at, id);
create index audit_log_user_id_idx on audit_log (user_id, created_at, id) where user_id is not null;
create index audit_log_claimed_user_id_idx on audit_log (claimed_user_id, created_at, id) where claimed_user_id is not null;
create index audit_log_service_id_idx on audit_log (service_id, created_at, id) where service_id is not null;
create index audit_log_thing_id_idx on audit_log (thing_id, created_at, id);
create index audit_log_noun_idx on audit_log (noun, created_at, id);
create index audit_log_action_idx on audit_log (action, created_at, id);

create function add_audit_entry(
  action text, noun text, thing_id text, service_id uuid, organisation_id uuid, before jsonb, after jsonb
) returns void language plpgsql as $$
declare
  actor jsonb := nullif(current_setting('pennypost.actor', true), '')::jsonb;
begin
  insert into audit_log values (
    gen_random_uuid(), (actor->>'at')::timestamptz, actor->>'type', (actor->>'user_id')::uuid, actor->>'client',
    (actor->>'claimed_user_id')::uuid, actor->>'address', actor->>'user_agent', actor->>'request_id', actor->>'request',
    action, noun, thing_id, service_id, organisation_id, before, after);
end $$;

-- The value in an entry: nothing secret, and nothing long.
create function audited_value(name text, value jsonb, hidden text[]) returns jsonb language sql immutable as $$
  select case
    when value = 'null' then value
    when name = any (hidden) or name ~ '(password|secret|token|hash|digest|encrypted|credential)' then '"[not recorded]"'::jsonb
    when length(value::text) <= 2000 then value
    else to_jsonb(left(coalesce(value #>> '{}', ''), 2000) || ' …')
  end
$$;

-- Arguments: what a row is called, its column with the id, and the columns whose values are not recorded.
create function record_audit_entry() returns trigger language plpgsql as $$
declare
  -- Change with every write, or by themselves.
  ignored constant text[] := '{created_at,updated_at,version,normalised_name,last_used_at,password_changed_at,failed_password_count,failed_code_count}';
  -- The author of a version, whom the entry names anyway.
  authors constant text[] := '{created_by,created_by_id,updated_by,updated_by_id}';
  row_before jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
  row_after jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
  either jsonb := coalesce(row_after, row_before);
  fields_before jsonb;
  fields_after jsonb;
begin
  select jsonb_object_agg(name, audited_value(name, row_before->name, tg_argv[2]::text[])) filter (where row_before is not null),
    jsonb_object_agg(name, audited_value(name, row_after->name, tg_argv[2]::text[])) filter (where row_after is not null)
  into fields_before, fields_after
  from jsonb_object_keys(either) as name
  where coalesce(row_before->name, 'null') <> coalesce(row_after->name, 'null') and name <> all (ignored)
    and (tg_op <> 'UPDATE' or name <> all (authors));
  if fields_before is null and fields_after is null then
    return null;
  end if;
  perform add_audit_entry(
    case tg_op when 'INSERT' then 'create' when 'UPDATE' then 'update' else 'delete' end, tg_argv[0], either->>tg_argv[1],
    case tg_table_name when 'services' then either->>'id' else either->>'service_id' end::uuid,
    case tg_table_name when 'organisations' then either->>'id' else either->>'organisation_id' end::uuid,
    fields_before, fields_after);
  return null;
end $$;

-- For tables that are written in bulk, or whose rows are recipients: one entry for each service, with the number of rows. Returned
-- letters are reported for many services at once.
create function record_audited_rows() returns trigger language plpgsql as $$
declare
  audited record;
  rows jsonb;
begin
  for audited in select service_id, count(*) as count from changed group by service_id order by service_id loop
    rows := jsonb_build_object('rows', audited.count);
    perform add_audit_entry(
      case tg_op when 'INSERT' then 'create' when 'UPDATE' then 'update' else 'delete' end, tg_argv[0], audited.service_id::text,
      audited.service_id, null, case when tg_op = 'DELETE' then rows end, case when tg_op <> 'DELETE' then rows end);
  end loop;
  return null;
end $$;

do $$
declare
  audited record;
  acted constant text := $when$when (coalesce(current_setting('pennypost.actor', true), '') <> '')$when$;
begin
  for audited in select * from (values
    ('annual_allowances', 'allowance', 'service_id', '{}'),
    ('api_keys', 'api_key', 'id', '{}'),
    ('channel_plans', 'channel_plan', 'id', '{}'),
    -- The name of a file of recipients may be that of a recipient, and an erasure cannot change the audit log.
    ('contact_lists', 'contact_list', 'id', '{original_file_name}'),
    ('days_without_printing', 'day_without_printing', 'day', '{}'),
    ('default_allowances', 'default_allowance', 'organisation_type', '{}'),
    ('email_branding', 'email_branding', 'id', '{}'),
    ('essential_templates', 'essential_template', 'template_id', '{}'),
    ('inbound_numbers', 'inbound_number', 'id', '{}'),
    ('jobs', 'job', 'id', '{client_reference,original_file_name}'),
    ('keyword_settings', 'keyword_settings', 'service_id', '{}'),
    ('letter_attachments', 'letter_attachment', 'id', '{}'),
    ('letter_branding', 'letter_branding', 'id', '{}'),
    ('letter_rates', 'letter_rate', 'post_class', '{}'),
    ('organisation_domains', 'organisation_domain', 'domain', '{}'),
    ('organisation_email_branding_pool', 'email_branding_pool', 'email_branding_id', '{}'),
    ('organisation_invites', 'organisation_invite', 'id', '{}'),
    ('organisation_letter_branding_pool', 'letter_branding_pool', 'letter_branding_id', '{}'),
    ('organisation_members', 'organisation_member', 'user_id', '{}'),
    ('organisation_permissions', 'organisation_permission', 'user_id', '{}'),
    ('organisations', 'organisation', 'id', '{}'),
    ('provider_details', 'provider', 'id', '{}'),
    ('rates_abroad', 'rate_abroad', 'prefix', '{}'),
    ('recurring_sends', 'recurring_send', 'id', '{}'),
    ('report_requests', 'report_request', 'id', '{}'),
    ('send_windows', 'send_window', 'id', '{}'),
    ('sending_domain_keys', 'sending_domain_key', 'id', '{public_key}'),
    ('sending_domain_records', 'sending_domain_record', 'domain_id', '{}'),
    ('sending_domains', 'sending_domain', 'id', '{}'),
    ('service_callback_api', 'callback_api', 'id', '{}'),
    ('service_callback_signing_secrets', 'callback_signing_secret', 'callback_id', '{}'),
    ('service_data_retention', 'data_retention', 'id', '{}'),
    ('service_email_reply_to', 'email_reply_to', 'id', '{}'),
    -- Only what people do: lifting a pause, exempting a service.
    ('service_guard', 'service_guard', 'service_id', '{judged_at,lifted_sent,lifted_bounces,lifted_complaints}'),
    ('service_invites', 'service_invite', 'id', '{}'),
    ('service_join_requests', 'service_join_request', 'id', '{}'),
    ('service_letter_contacts', 'letter_contact', 'id', '{}'),
    ('service_members', 'service_member', 'user_id', '{}'),
    ('service_sending_times', 'sending_times', 'service_id', '{}'),
    ('service_sms_senders', 'sms_sender', 'id', '{}'),
    ('services', 'service', 'id', '{}'),
    ('sms_rates', 'sms_rate', 'valid_from', '{}'),
    ('template_email_files', 'template_email_file', 'id', '{}'),
    ('template_folder_members', 'template_folder_member', 'user_id', '{}'),
    ('template_folders', 'template_folder', 'id', '{}'),
    ('template_hidden_hints', 'hidden_hint', 'template_id', '{}'),
    ('template_sending_times', 'template_sending_times', 'template_id', '{}'),
    ('templates', 'template', 'id', '{}'),
    ('unsubscribe_reports', 'unsubscribe_report', 'id', '{}'),
    -- The header of a file may be its first recipient.
    ('uploads', 'upload', 'id', '{header,summary,original_file_name}'),
    ('user_identities', 'user_identity', 'user_id', '{}'),
    ('users', 'user', 'id', '{current_session_id}'),
    ('webauthn_credentials', 'webauthn_credential', 'id', '{registration_response,public_key}')
  ) as list (table_name, noun, id_column, hidden) loop
    execute format('create trigger audit after insert or update or delete on %I for each row %s execute function record_audit_entry(%L, %L, %L)',
      audited.table_name, acted, audited.noun, audited.id_column, audited.hidden);
  end loop;
  for audited in select * from (values
    ('returned_letters', 'returned_letter'),
    ('service_guest_list', 'guest_list')
  ) as list (table_name, noun) loop
    execute format('create trigger audit_insert after insert on %I referencing new table as changed for each statement %s execute function record_audited_rows(%L)',
      audited.table_name, acted, audited.noun);
    execute format('create trigger audit_update after update on %I referencing new table as changed for each statement %s execute function record_audited_rows(%L)',
      audited.table_name, acted, audited.noun);
    execute format('create trigger audit_delete after delete on %I referencing old table as changed for each statement %s execute function record_audited_rows(%L)',
      audited.table_name, acted, audited.noun);
  end loop;
end $$;

-- Receipts and recipients add entries; lifting one is the only change that people make.
create trigger audit_delete after delete on suppressed_recipients referencing old table as changed for each statement
  when (coalesce(current_setting('pennypost.actor', true), '') <> '')
  execute function record_audited_rows('suppressed_recipient');

-- Why a person lifts an opt-out is part of the entry. Entries do not say whose number it was.
create function record_lifted_opt_outs() returns trigger language plpgsql as $$
declare
  lifted record;
begin
  for lifted in select service_id, count(*) as count from changed group by service_id order by service_id loop
    perform add_audit_entry('delete', tg_argv[0], lifted.service_id::text, lifted.service_id, null,
      jsonb_build_object('rows', lifted.count),
      jsonb_build_object('lift_reason', nullif(current_setting('pennypost.lift_reason', true), '')));
  end loop;
  return null;
end $$;
create trigger audit_delete after delete on sms_opt_outs referencing old table as changed for each statement
  when (coalesce(current_setting('pennypost.actor', true), '') <> '')
  execute function record_lifted_opt_outs('sms_opt_out');

-- Append-only, for the owner of the table, too: the application's own role owns it, so privileges would not hold.
create function refuse_audit_change() returns trigger language plpgsql as $$
declare
  calls text;
begin
  get diagnostics calls = pg_context;
  -- The function was called by a statement, and by no other code that could have written this line.
  if tg_op = 'DELETE' and calls ~ '\nPL/pgSQL function (public\.)?delete_old_audit_entries\(timestamp with time zone,integer\) line \d+ at SQL statement$' then
    return old;
  end if;
  -- Restoring a backup empties tables that are empty.
  if tg_op = 'TRUNCATE' and not exists (select from audit_log) then
    return null;
  end if;
  raise exception 'The audit log is append-only: % is refused', tg_op using errcode = 'insufficient_privilege';
end $$;
create trigger refuse_change before update or delete on audit_log for each row execute function refuse_audit_change();
create trigger refuse_truncate before truncate on audit_log for each statement execute function refuse_audit_change();

-- The retention: the only way to delete entries, and never those of the last 30 days before the newest one.
create function delete_old_audit_entries(before timestamptz, max_count integer) returns integer language plpgsql as $$
declare
  newest timestamptz := (select max(created_at) from audit_log);
  deleted integer;
begin
  delete from audit_log where id in (
    select id from audit_log where created_at < least(delete_old_audit_entries.before, newest - interval '30 days')
    order by created_at, id limit max_count);
  get diagnostics deleted = row_count;
  return deleted;
end $$;
