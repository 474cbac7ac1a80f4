-- What the guard thinks of the emails of a service. Without a row: nothing.
create table service_guard (
  service_id uuid primary key references services (id),
  state text not null check (state in ('ok', 'warned', 'paused')),
  because text check (because in ('bounces', 'bounces-small', 'complaints')),
  -- In percent, as people read it: the rate that led to the state.
  rate text,
  -- When the state began.
  since timestamptz not null,
  judged_at timestamptz not null,
  last_warning_at timestamptz,
  lifted_at timestamptz,
  lifted_by_id uuid references users (id),
  lift_reason text,
  -- Until then the service is warned, and never paused.
  exempt_until timestamptz,
  check ((state = 'ok') = (because is null))
);
create index service_guard_state_idx on service_guard (state) where state <> 'ok';

-- Processes keep the state of a service with its settings, and workers which services are paused.
create trigger announce_change after insert or delete on service_guard
  for each row execute function announce_service_change();
create trigger announce_new_state after update on service_guard
  for each row when ((old.state, old.because, old.rate) is distinct from (new.state, new.because, new.rate))
  execute function announce_service_change();
create function announce_service_guard() returns trigger language plpgsql as $$
begin
  perform pg_notify('service_guard_changed', 'all');
  return null;
end
$$;
create trigger announce_guard after insert or update of state or delete on service_guard
  for each statement execute function announce_service_guard();

-- Only what people do: lifting a pause, exempting a service.
create trigger audit after insert or update or delete on service_guard for each row
  when (coalesce(current_setting('pennypost.actor', true), '') <> '')
  execute function record_audit_entry('service_guard', 'service_id', '{judged_at}');
