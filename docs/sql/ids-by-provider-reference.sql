/* prepared: ids-by-provider-reference */
select id, provider_reference
from notifications
where provider_reference = any ($1::text[])
order by id
