-- Reading has rate limits of its own, counted beside those of sending.
alter table rate_windows
  drop constraint rate_windows_key_type_check,
  add constraint rate_windows_key_type_check
    check (key_type in ('normal', 'team', 'test', 'read-normal', 'read-team', 'read-test'));
