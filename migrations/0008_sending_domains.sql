-- The domains that emails come from, besides EMAIL_DOMAIN: of a service, of an organisation, or of the installation.
create table sending_domains (
  id uuid primary key,
  -- The A-label: lower case, without the last full stop.
  name text not null check (name ~ '^[a-z0-9-]+([.][a-z0-9-]+)+$' and length(name) <= 253),
  scope text not null check (scope in ('installation', 'organisation', 'service')),
  organisation_id uuid references organisations,
  service_id uuid references services,
  way text not null check (way in ('signed-here', 'provider', 'relay')),
  -- Who has the keys, where `way` is `provider`.
  provider text,
  return_path_domain text,
  -- The owner publishes it to prove that the domain is theirs.
  token text not null,
  state text not null default 'pending' check (state in ('pending', 'verified', 'warning', 'suspended', 'retired')),
  -- Emails wait while it is suspended, instead of coming from another domain.
  hold boolean not null default false,
  -- Since when, and in how many checks in a row, something that it needs was wrong.
  required_failing_since timestamptz,
  required_failures integer not null default 0,
  checked_at timestamptz,
  -- Null: it is retired.
  next_check_at timestamptz,
  -- A process checks it until then.
  leased_until timestamptz,
  created_by_id uuid not null references users,
  created_at timestamptz not null,
  updated_at timestamptz,
  version integer not null default 1,
  check ((scope = 'service') = (service_id is not null)),
  check ((scope = 'organisation') = (organisation_id is not null)),
  check ((way = 'provider') = (provider is not null))
);
-- Anyone can claim a name. The first claim that is verified gets it.
create unique index sending_domains_name_key on sending_domains (name) where state in ('verified', 'warning', 'suspended');
create index sending_domains_claims_idx on sending_domains (name) where state = 'pending';
create index sending_domains_service_id_idx on sending_domains (service_id) where service_id is not null;
create index sending_domains_organisation_id_idx on sending_domains (organisation_id) where organisation_id is not null;
create index sending_domains_next_check_at_idx on sending_domains (next_check_at) where next_check_at is not null;

alter table organisations add foreign key (sending_domain_id) references sending_domains;
alter table services add foreign key (sending_domain_id) references sending_domains;

-- Without keys where the provider has them. Where a relay signs, only the selector is known.
create table sending_domain_keys (
  id uuid primary key,
  domain_id uuid not null references sending_domains,
  selector text not null,
  algorithm text not null check (algorithm in ('rsa-2048', 'ed25519')),
  -- As in the record: base64 of the public key.
  public_key text,
  -- Null once it was erased.
  encrypted_private_key text,
  state text not null check (state in ('waiting', 'ready', 'signing', 'retiring', 'deleted')),
  -- Since when its record was found in every check.
  passed_since timestamptz,
  signing_from timestamptz,
  retire_at timestamptz,
  created_at timestamptz not null,
  unique (domain_id, selector)
);
create unique index sending_domain_keys_signing_key on sending_domain_keys (domain_id) where state = 'signing';
create index sending_domain_keys_retire_at_idx on sending_domain_keys (retire_at) where state = 'retiring';

-- Records that a provider asks to publish.
create table sending_domain_records (
  domain_id uuid not null references sending_domains,
  type text not null check (type in ('CNAME', 'TXT', 'MX')),
  name text not null,
  value text not null,
  purpose text not null check (purpose in ('signature', 'return-path')),
  primary key (domain_id, type, name, value)
);

create table sending_domain_checks (
  domain_id uuid not null references sending_domains,
  check_name text not null,
  verdict text not null check (verdict in ('pass', 'warn', 'fail', 'unknown')),
  reason text not null,
  -- Questions to name servers, and what they answered.
  evidence jsonb not null,
  -- Since when it has this verdict for this reason.
  since timestamptz not null,
  checked_at timestamptz not null,
  primary key (domain_id, check_name)
);

-- Changes of the state of the domain and of its checks.
create table sending_domain_changes (
  id uuid primary key,
  domain_id uuid not null references sending_domains,
  changed text not null,
  before text,
  after text not null,
  reason text,
  changed_at timestamptz not null
);
create index sending_domain_changes_domain_id_idx on sending_domain_changes (domain_id, id);
create index sending_domain_changes_changed_at_idx on sending_domain_changes (changed_at);

-- Workers keep what a domain needs to send. Other columns that a check writes are not announced.
create function announce_sending_domain() returns trigger language plpgsql as $$
declare
  changed jsonb := to_jsonb(coalesce(new, old));
begin
  perform pg_notify('sending_domain_changed', coalesce(changed ->> 'domain_id', changed ->> 'id'));
  -- That of the installation is found by its name.
  if changed ->> 'scope' = 'installation' or exists (
    select from sending_domains where id = (changed ->> 'domain_id')::uuid and scope = 'installation'
  ) then
    perform pg_notify('sending_domain_changed', 'installation');
  end if;
  return null;
end
$$;
create trigger announce_creation after insert on sending_domains
  for each row execute function announce_sending_domain();
create trigger announce_change after update on sending_domains for each row
  when ((old.state, old.way, old.provider, old.return_path_domain, old.hold)
    is distinct from (new.state, new.way, new.provider, new.return_path_domain, new.hold))
  execute function announce_sending_domain();
create trigger announce_creation after insert on sending_domain_keys
  for each row execute function announce_sending_domain();
create trigger announce_change after update on sending_domain_keys for each row
  when ((old.state, old.encrypted_private_key) is distinct from (new.state, new.encrypted_private_key))
  execute function announce_sending_domain();

create function announce_default_domain() returns trigger language plpgsql as $$
begin
  perform pg_notify('service_changed', id::text) from services where organisation_id = new.id;
  return null;
end
$$;
create trigger announce_default_domain after update on organisations for each row
  when (old.sending_domain_id is distinct from new.sending_domain_id)
  execute function announce_default_domain();

-- How many emails of a sending domain each mailbox provider gets, and how many were refused because of the domain or its servers. In all of
-- these tables, no domain means that of the installation.
create table domain_volumes (
  domain_id uuid references sending_domains (id),
  day date not null,
  mailbox text not null check (mailbox in ('google', 'yahoo', 'microsoft', 'other')),
  count bigint not null,
  constraint domain_volumes_key unique nulls not distinct (domain_id, day, mailbox)
);
create index domain_volumes_day_idx on domain_volumes (day);

create table domain_refusals (
  domain_id uuid references sending_domains (id),
  hour timestamptz not null,
  -- The enhanced status code without its first digit.
  code text not null,
  count bigint not null,
  constraint domain_refusals_key unique nulls not distinct (domain_id, hour, code)
);
create index domain_refusals_hour_idx on domain_refusals (hour);

-- Appended by every batch of results, without a key, so that no commit waits for another; added up every second.
create table domain_mail_changes (
  domain_id uuid,
  hour timestamptz not null,
  mailbox text,
  refused_with text,
  count bigint not null,
  check ((mailbox is null) <> (refused_with is null))
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
