-- After the clock was set back, requests of what is now the future would fill a service's window until the clock has caught
-- up. Slots further ahead than a whole window cannot be skew between machines: they go, like those that are too old.
create or replace function take_rate_permits(
  of_service uuid, of_key_type text, now_slot bigint, window_slots integer, already integer, waiting integer, top integer,
  out granted integer, out used integer, out oldest_slot bigint
) language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(of_service::text || of_key_type, 0));
  delete from rate_windows
    where service_id = of_service and key_type = of_key_type
      and (slot < now_slot - window_slots or slot > now_slot + window_slots);
  select coalesce(sum(count), 0), min(slot) into used, oldest_slot
    from rate_windows where service_id = of_service and key_type = of_key_type;
  granted := greatest(0, least(waiting, top - used - already));
  if already + granted > 0 then
    insert into rate_windows as w (service_id, key_type, slot, count)
      values (of_service, of_key_type, now_slot, already + granted)
      on conflict (service_id, key_type, slot) do update set count = w.count + excluded.count;
    used := used + already + granted;
    oldest_slot := coalesce(oldest_slot, now_slot);
  end if;
end
$$;
