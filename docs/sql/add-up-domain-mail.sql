/* prepared: add-up-domain-mail */
with taken as (
  delete from domain_mail_changes
  returning *
), volumes as (
  insert into domain_volumes as known (domain_id, day, mailbox, count)
  select domain_id, (hour at time zone 'Europe/London')::date, mailbox, sum(count)
  from taken
  where mailbox is not null
  group by 1, 2, 3
  order by 1, 2, 3
  on conflict (domain_id, day, mailbox) do update set count = known.count + excluded.count
)
insert into domain_refusals as known (domain_id, hour, code, count)
select domain_id, hour, refused_with, sum(count)
from taken
where refused_with is not null
group by 1, 2, 3
order by 1, 2, 3
on conflict (domain_id, hour, code) do update set count = known.count + excluded.count
