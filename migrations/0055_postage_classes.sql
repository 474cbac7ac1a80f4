-- The postage classes are those of the country, which its profile lists. Code checks them when a row is written; the database
-- checks their form, so that rows of a country before this one stay valid.

alter table templates drop constraint templates_postage_check,
  add constraint templates_postage_check check (postage ~ '^[a-z][a-z0-9-]{1,19}$');
alter table templates_history drop constraint templates_history_postage_check,
  add constraint templates_history_postage_check check (postage ~ '^[a-z][a-z0-9-]{1,19}$');
-- Every row has passed a narrower check, so the table is not read for this one.
alter table notifications drop constraint notifications_postage_check,
  add constraint notifications_postage_check check (postage ~ '^[a-z][a-z0-9-]{1,19}$') not valid;
alter table letter_despatches drop constraint letter_despatches_postage_check,
  add constraint letter_despatches_postage_check check (postage ~ '^[a-z][a-z0-9-]{1,19}$');
alter table letter_rates drop constraint letter_rates_post_class_check,
  add constraint letter_rates_post_class_check check (post_class ~ '^[a-z][a-z0-9-]{1,19}$');

-- Counting a letter under the slot of another class would bill it at the wrong price without an error.
create function unknown_postage(postage text) returns integer language plpgsql immutable parallel safe as $$
begin
  raise exception 'No slot for the postage class %', coalesce(postage, 'null');
end
$$;

-- As before, but without a default. It is immutable, so it cannot read a table: the process that chooses the country replaces it
-- with the list of the country (src/notifications/rollups/letter-kind.shared.sql.ts).
create or replace function letter_kind(postage text, sheets integer) returns integer language sql immutable parallel safe
  return 5 * least(sheets, 6)
    + coalesce(array_position(array['first', 'second', 'economy', 'europe', 'rest-of-world'], postage),
      unknown_postage(postage));
