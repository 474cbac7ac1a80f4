-- What a text to another country costs, in texts at home. Countries whose profile has a table of its own do not use it.
create table rates_abroad (
  -- A country calling code, or one with a region where several countries share it: 49, 1:JM.
  prefix text not null check (prefix ~ '^[1-9][0-9]{0,2}(:[A-Z]{2})?$'),
  valid_from timestamptz not null,
  -- Null: from then on there is no price.
  multiplier smallint check (multiplier between 1 and 1000),
  receipts boolean not null,
  numeric_sender boolean not null,
  primary key (prefix, valid_from)
);

create trigger audit after insert or update or delete on rates_abroad for each row
  when (coalesce(current_setting('pennypost.actor', true), '') <> '')
  execute function record_audit_entry('rate_abroad', 'prefix', '{}');

-- Processes keep the whole table, so any change announces all of it.
create function announce_rates_abroad() returns trigger language plpgsql as $$
begin
  perform pg_notify('rates_abroad_changed', 'all');
  return null;
end
$$;
create trigger announce_change after insert or update or delete on rates_abroad
  for each statement execute function announce_rates_abroad();
