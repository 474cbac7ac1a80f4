-- Messages with an Idempotency-Key are stored in one statement, all or none. When a key is taken or a limit is reached, the
-- statement calls this function, which undoes it.
create function require_complete(is_complete boolean) returns boolean language plpgsql as $$
begin
  if not is_complete then
    raise exception 'Only a part can be stored' using errcode = 'PPALL';
  end if;
  return true;
end $$;
