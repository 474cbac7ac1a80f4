-- An entry for each service whose rows changed: returned letters are reported for many services at once.
create or replace function record_audited_rows() returns trigger language plpgsql as $$
declare
  audited record;
  rows jsonb;
begin
  for audited in select service_id, count(*) as count from changed group by service_id order by service_id loop
    rows := jsonb_build_object('rows', audited.count);
    perform add_audit_entry(
      case tg_op when 'INSERT' then 'create' when 'UPDATE' then 'update' else 'delete' end, tg_argv[0], audited.service_id::text,
      audited.service_id, null, case when tg_op = 'DELETE' then rows end, case when tg_op <> 'DELETE' then rows end);
  end loop;
  return null;
end $$;
