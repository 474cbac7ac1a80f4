-- What services and organisations can send in a financial year; null: no limit.
alter table services
  add email_annual_limit integer check (email_annual_limit >= 0),
  add sms_annual_limit integer check (sms_annual_limit >= 0),
  add letter_annual_limit integer check (letter_annual_limit >= 0);
alter table organisations
  add email_annual_limit integer check (email_annual_limit >= 0),
  add sms_annual_limit integer check (sms_annual_limit >= 0),
  add letter_annual_limit integer check (letter_annual_limit >= 0);

-- Messages of a financial year, counted in the commit that accepts them. Only where there is a limit: everybody else pays nothing.
create table annual_counts (
  owner_kind text not null check (owner_kind in ('service', 'organisation')),
  owner_id uuid not null,
  -- The first day of the year.
  year_start date not null,
  channel text not null check (channel in ('sms', 'email', 'letter')),
  count integer not null,
  primary key (owner_kind, owner_id, year_start, channel)
) with (fillfactor = 50);

-- Caches of services have the limits of their organisation.
create function announce_organisation_limits() returns trigger language plpgsql as $$
begin
  perform pg_notify('service_changed', id::text) from services where organisation_id = new.id;
  return null;
end
$$;
create trigger announce_limits after update of email_annual_limit, sms_annual_limit, letter_annual_limit on organisations
  for each row
  when ((old.email_annual_limit, old.sms_annual_limit, old.letter_annual_limit)
    is distinct from (new.email_annual_limit, new.sms_annual_limit, new.letter_annual_limit))
  execute function announce_organisation_limits();

-- A counter is kept only while there is a limit, and is counted anew from the statistics where it is missing.
create function forget_annual_counts() returns trigger language plpgsql as $$
begin
  delete from annual_counts where owner_kind = tg_argv[0] and owner_id = new.id and channel = any (array_remove(array[
    case when old.email_annual_limit is null and new.email_annual_limit is not null then 'email' end,
    case when old.sms_annual_limit is null and new.sms_annual_limit is not null then 'sms' end,
    case when old.letter_annual_limit is null and new.letter_annual_limit is not null then 'letter' end
  ], null));
  return null;
end
$$;
create trigger forget_annual_counts after update of email_annual_limit, sms_annual_limit, letter_annual_limit on services
  for each row execute function forget_annual_counts('service');
create trigger forget_annual_counts after update of email_annual_limit, sms_annual_limit, letter_annual_limit on organisations
  for each row execute function forget_annual_counts('organisation');

-- What a service has sent counts for the organisation that it belongs to now.
create function forget_counts_of_organisations() returns trigger language plpgsql as $$
begin
  delete from annual_counts where owner_kind = 'organisation' and owner_id in (old.organisation_id, new.organisation_id);
  return null;
end
$$;
create trigger forget_counts_of_organisations after update of organisation_id on services
  for each row when (old.organisation_id is distinct from new.organisation_id)
  execute function forget_counts_of_organisations();
