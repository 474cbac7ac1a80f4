-- Numbers that asked for no more texts: by a keyword, or at a provider, which then refuses texts to them.
create table sms_opt_outs (
  id uuid primary key,
  service_id uuid not null references services (id) on delete cascade,
  -- With country code, digits only.
  user_number text not null,
  -- The number or name that the texts came from; *: all of the service.
  sender text not null,
  keyword text not null,
  reason text not null check (reason in ('keyword', 'provider')),
  -- The text that asked for it; it may be deleted.
  inbound_sms_id uuid,
  created_at timestamptz not null,
  unique (service_id, user_number, sender)
);
create index sms_opt_outs_service_id_idx on sms_opt_outs (service_id, id desc);

-- Processes keep with the settings of a service whether any number opted out, so that others need no query. Only the first one
-- changes that; when the last one is gone, the query finds nothing.
create function announce_first_opt_out() returns trigger language plpgsql as $$
begin
  if not exists (select from sms_opt_outs where service_id = new.service_id and id <> new.id) then
    perform pg_notify('service_changed', new.service_id::text);
  end if;
  return null;
end
$$;
create trigger announce_change after insert on sms_opt_outs for each row execute function announce_first_opt_out();

-- When a person lifts them. Entries do not say whose number it was.
create trigger audit_delete after delete on sms_opt_outs referencing old table as changed for each statement
  when (coalesce(current_setting('pennypost.actor', true), '') <> '')
  execute function record_audited_rows('sms_opt_out');

-- When a person last got our reply to a keyword: one a day, however often it is sent.
create table keyword_replies (
  service_id uuid not null references services (id) on delete cascade,
  user_number text not null,
  action text not null check (action in ('stop', 'help')),
  replied_at timestamptz not null,
  primary key (service_id, user_number, action)
);
create index keyword_replies_replied_at_idx on keyword_replies (replied_at);

-- Templates whose texts go to numbers that opted out, too: emergency warnings, and our own replies to keywords.
create table essential_templates (
  template_id uuid primary key references templates (id),
  service_id uuid not null references services (id),
  created_at timestamptz not null
);
create trigger audit after insert or update or delete on essential_templates for each row
  when (coalesce(current_setting('pennypost.actor', true), '') <> '')
  execute function record_audit_entry('essential_template', 'template_id', '{}');

-- What a received text asks for. review: perhaps an opt-out, which a person decides.
alter table inbound_sms add column keyword text,
  add column keyword_action text check (keyword_action in ('stop', 'start', 'help', 'review'));
