/* prepared: sms-opt-outs */
select *
from sms_opt_outs
where service_id = $1 and user_number = any ($2::text[])
order by id
