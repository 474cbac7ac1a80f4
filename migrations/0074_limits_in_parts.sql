-- Whether the limits of a service count texts, or the parts that they are sent in. A change holds from the next day on: until then, the
-- other unit counts. Null if the service has always had its unit.
alter table services
  add sms_limit_unit text not null default 'messages' check (sms_limit_unit in ('messages', 'parts')),
  add sms_limit_unit_from date;

-- Counted anew where it is not that of the service.
alter table annual_counts add unit text not null default 'messages' check (unit in ('messages', 'parts'));

-- The parts of texts without problems. Null if an earlier release checked them.
alter table upload_chunks add part_count integer;

-- The parts of the rows that are reserved, where they count.
alter table jobs add reserved_parts integer;
