/* prepared: sms-opt-outs */
select o.*, k.scope
from sms_opt_outs o
left join keyword_settings k on k.service_id = o.service_id
where o.service_id = $1 and o.user_number = any ($2::text[])
order by o.id
