-- Messages are in one database again: those in others would no longer be found.
do $$
begin
  if exists (select from message_stores where number <> 0) or exists (select from this_store where number <> 0)
    or exists (select from service_stores where store <> 0) then
    raise exception 'This release has no message stores. Move every service to the main database with Pennypost 0.3.0 (pennypost stores drain), delete the other stores from the table message_stores, then upgrade.';
  end if;
end;
$$;

-- Without MESSAGE_STORES, release 0.3.0 uses none of these. Triggers that a former store left behind go with their functions.
drop function record_configuration_change() cascade;
drop function refuse_configuration_change() cascade;
drop function follow_moving_service() cascade;
drop function hold_new_place() cascade;
drop table configuration_changes;
drop table this_store;
drop table service_changes;
drop table held_places;
drop table arriving_rows;

-- Release 0.3.0 still reads message_stores, service_stores, service_moves and moving_services: the next release drops them, with the
-- trigger announce_change of service_stores.

-- No service is moved any more.
drop trigger count_despatches on letter_despatches;
create trigger count_despatches after insert on letter_despatches
  referencing new table as despatched for each statement execute function count_despatches();
