-- Caches also hold the author of a template, its attachment and the branding of a service. Every process hears which services
-- are concerned, so that an administrative write need not clear every cache.
create or replace function announce_member_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('service_changed', service_id::text) from (
    select service_id from service_members where user_id = new.id
    union
    select service_id from templates where created_by_id = new.id
  ) as concerned;
  return null;
end
$$;
drop trigger announce_change on users;
create trigger announce_change after update of name, email_address, mobile_number, state on users
  for each row
  when ((old.name, old.email_address, old.mobile_number, old.state)
    is distinct from (new.name, new.email_address, new.mobile_number, new.state))
  execute function announce_member_change();

create function announce_branding_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('service_changed', id::text) from services where email_branding_id = new.id;
  return null;
end
$$;
create trigger announce_change after update on email_branding
  for each row execute function announce_branding_change();

create trigger announce_change after insert or update or delete on letter_attachments
  for each row execute function announce_service_change();
