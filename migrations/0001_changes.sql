-- Tells every process which service changed, so that what it keeps in memory about that service is read again.
-- A trigger, not a call in the application: no writer can forget it, and a change by hand in psql counts too.
create function announce_service_change() returns trigger language plpgsql as $$
declare
  changed jsonb := to_jsonb(coalesce(new, old));
begin
  perform pg_notify('service_changed', coalesce(changed ->> 'service_id', changed ->> 'id'));
  return null;
end
$$;
