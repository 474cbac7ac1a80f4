-- The form in which ciphertexts are written. A database that an earlier release has used stays with the form which that
-- release can read until `pennypost rekey` says that no such process is left; a new one starts with the second form.
create table secret_form (
  singleton boolean primary key default true check (singleton),
  form smallint not null check (form in (1, 2))
);
insert into secret_form (form)
select case when (select count(*) from services) > 1 or (select count(*) from users) > 1 then 1 else 2 end;

create function announce_secret_form() returns trigger language plpgsql as $$
begin
  perform pg_notify('secret_form_changed', new.form::text);
  return null;
end
$$;
create trigger announce_change after update on secret_form for each row execute function announce_secret_form();
