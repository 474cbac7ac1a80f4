-- Text messages sent to the number of a service.
create table inbound_sms (
  id uuid primary key,
  service_id uuid not null references services,
  -- The service's number as stored (07...), and the sender's with country code where it is valid.
  notify_number text not null,
  user_number text not null,
  content text not null,
  provider text not null,
  provider_reference text,
  provider_date timestamptz,
  created_at timestamptz not null,
  keyword text,
  -- review: perhaps an opt-out, which a person decides.
  keyword_action text check (keyword_action in ('stop', 'start', 'help', 'review'))
);
create index inbound_sms_service_id_idx on inbound_sms (service_id, id desc);
create index inbound_sms_conversation_idx on inbound_sms (service_id, user_number, id desc);

-- Parts of a long text that someone sent to a service, until all of them are here.
create table received_parts (
  service_id uuid not null references services,
  user_number text not null,
  -- Given by the phone; the same in all parts.
  number int not null,
  total int not null,
  nth int not null,
  content text not null,
  received_at timestamptz not null,
  primary key (service_id, user_number, number, total, nth)
);
create index received_parts_received_at_idx on received_parts (received_at);

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

-- When a person last got our reply to a keyword: one a day, however often it is sent.
create table keyword_replies (
  service_id uuid not null references services (id) on delete cascade,
  user_number text not null,
  action text not null check (action in ('stop', 'help')),
  replied_at timestamptz not null,
  primary key (service_id, user_number, action)
);
create index keyword_replies_replied_at_idx on keyword_replies (replied_at);

-- Changes of a service in STOP, START and HELP. Null: as for the installation.
create table keyword_settings (
  service_id uuid primary key references services (id) on delete cascade,
  -- Besides the usual ones; in capitals and without accents, as they are compared.
  stop_words text[] not null,
  start_words text[] not null,
  help_words text[] not null,
  -- Whole messages.
  stop_reply text check (length(stop_reply) between 1 and 300),
  help_reply text check (length(help_reply) between 1 and 300),
  -- The language of the usual replies. Null: that of the recipient's country.
  language text check (length(language) between 2 and 35),
  -- Whether STOP stops all texts of the service, or those from the number that got the reply.
  scope text check (scope in ('service', 'sender')),
  updated_at timestamptz not null
);

-- Templates whose texts go to numbers that opted out, too: emergency warnings, and our own replies to keywords.
create table essential_templates (
  template_id uuid primary key references templates (id),
  service_id uuid not null references services (id),
  created_at timestamptz not null
);
