-- Why a person lifts an opt-out is part of the entry. Entries do not say whose number it was.
create function record_lifted_opt_outs() returns trigger language plpgsql as $$
declare
  lifted record;
begin
  for lifted in select service_id, count(*) as count from changed group by service_id order by service_id loop
    perform add_audit_entry('delete', tg_argv[0], lifted.service_id::text, lifted.service_id, null,
      jsonb_build_object('rows', lifted.count),
      jsonb_build_object('lift_reason', nullif(current_setting('pennypost.lift_reason', true), '')));
  end loop;
  return null;
end $$;
create or replace trigger audit_delete after delete on sms_opt_outs referencing old table as changed for each statement
  when (coalesce(current_setting('pennypost.actor', true), '') <> '')
  execute function record_lifted_opt_outs('sms_opt_out');
