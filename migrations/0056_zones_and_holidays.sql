-- The zone of the times that a person reads and chooses in the console. Null: that of the installation.
alter table users add column time_zone text;

-- Days on which the printer does not work, beside the weekends and holidays of the country.
create table days_without_printing (
  day date primary key,
  name text not null,
  created_at timestamptz not null
);
create trigger audit after insert or update or delete on days_without_printing for each row
  when (coalesce(current_setting('pennypost.actor', true), '') <> '')
  execute function record_audit_entry('day_without_printing', 'day', '{}');

-- Every process keeps the days, because it computes when a letter is printed for each response.
create function announce_days_without_printing() returns trigger language plpgsql as $$
begin
  perform pg_notify('days_without_printing_changed', '');
  return null;
end
$$;
create trigger announce_change after insert or update or delete on days_without_printing
  for each statement execute function announce_days_without_printing();
