-- The language of the template's own text, if it has texts in other languages; and the placeholder whose value chooses between them.
alter table templates
  add language text,
  add language_field text,
  add refuse_unknown_languages boolean not null default false;
alter table templates_history
  add language text,
  add language_field text,
  add refuse_unknown_languages boolean not null default false;

-- The texts of each version in the other languages.
create table template_variants (
  template_id uuid not null,
  version integer not null,
  language text not null,
  subject text,
  content text not null,
  primary key (template_id, version, language),
  foreign key (template_id, version) references templates_history (id, version)
);

-- The language that was chosen when the message was accepted; null: the template's own text.
alter table notifications add language text;

-- The language of the people on a list, and of the rows of a copy of it.
alter table contact_lists add language text;
alter table uploads add language text;

-- new_notification with one column more: processes of the previous release use that type until the upgrade has ended.
create type notification_to_store as (
  id uuid,
  service_id uuid,
  template_id uuid,
  template_version integer,
  notification_type text,
  key_type text,
  api_key_id uuid,
  created_by_id uuid,
  status text,
  client_reference text,
  recipient text,
  normalised_recipient text,
  personalisation jsonb,
  reply_to_text text,
  postage text,
  international boolean,
  rate_multiplier smallint,
  one_click_unsubscribe_url text,
  scheduled_for timestamptz,
  created_at timestamptz,
  job_id uuid,
  job_row_number integer,
  -- Null if the message is not ready for delivery.
  lane smallint,
  -- Null: created_at.
  due_at timestamptz,
  language text,
  -- Sequence numbers within the daily limits, from 1; 0 if a limit does not apply.
  sequence integer,
  international_sequence integer
);
