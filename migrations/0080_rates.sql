-- Prices are data with a start: a day costs what the newest rate says that began no later than its London midnight.
-- Pounds, exact decimals.
create table sms_rates (
  valid_from timestamptz primary key,
  rate numeric not null check (rate >= 0) -- per fragment
);

insert into sms_rates (valid_from, rate) values
  ('2016-05-18T00:00Z', 0.0165),
  ('2017-03-31T23:00Z', 0.0158),
  ('2021-03-31T23:00Z', 0.016),
  ('2022-03-31T23:00Z', 0.0161),
  ('2022-04-30T23:00Z', 0.0172),
  ('2023-03-31T23:00Z', 0.0197),
  ('2024-03-31T23:00Z', 0.0227),
  ('2025-03-31T23:00Z', 0.0233),
  ('2026-03-31T23:00Z', 0.024);

create table letter_rates (
  post_class text not null check (post_class in ('first', 'second', 'economy', 'europe', 'rest-of-world')),
  sheet_count integer not null check (sheet_count > 0),
  start_date timestamptz not null,
  rate numeric not null check (rate >= 0), -- per letter
  primary key (post_class, sheet_count, start_date)
);

-- One row per price list; the price of n sheets is the n-th of the array.
insert into letter_rates (post_class, sheet_count, start_date, rate)
select post_class, sheet_count, start_date::timestamptz, rate
from (values
  ('second', '2016-03-31T23:00Z', array[0.30, 0.33, 0.36]),
  ('second', '2018-06-30T23:00Z', array[0.30, 0.33, 0.36, 0.39, 0.42]),
  ('second', '2018-09-30T23:00Z', array[0.30, 0.35, 0.40, 0.45, 0.50]),
  ('second', '2019-09-30T23:00Z', array[0.35, 0.40, 0.45, 0.50, 0.55]),
  ('second', '2021-02-01T00:00Z', array[0.39, 0.44, 0.49, 0.54, 0.59]),
  ('second', '2022-03-01T00:00Z', array[0.41, 0.46, 0.51, 0.56, 0.61]),
  ('second', '2023-01-23T00:00Z', array[0.47, 0.52, 0.57, 0.62, 0.67]),
  ('second', '2023-11-01T00:00Z', array[0.54, 0.59, 0.63, 0.68, 0.73]),
  ('second', '2024-06-30T23:00Z', array[0.61, 0.65, 0.68, 0.75, 0.79]),
  ('second', '2025-03-31T23:00Z', array[0.68, 0.72, 0.77, 0.82, 0.86]),
  ('second', '2026-01-05T00:00Z', array[0.73, 0.77, 0.82, 0.87, 0.91]),
  ('first', '2018-08-31T23:00Z', array[0.56, 0.61, 0.66, 0.71, 0.76]),
  ('first', '2019-09-30T23:00Z', array[0.61, 0.66, 0.71, 0.76, 0.81]),
  ('first', '2021-02-01T00:00Z', array[0.69, 0.74, 0.79, 0.84, 0.89]),
  ('first', '2022-03-01T00:00Z', array[0.63, 0.68, 0.73, 0.78, 0.83]),
  ('first', '2023-01-23T00:00Z', array[0.72, 0.77, 0.82, 0.87, 0.92]),
  ('first', '2023-11-01T00:00Z', array[0.82, 0.86, 0.90, 0.96, 1.00]),
  ('first', '2024-06-30T23:00Z', array[0.97, 1.01, 1.05, 1.11, 1.15]),
  ('first', '2025-03-31T23:00Z', array[1.49, 1.53, 1.57, 1.63, 1.67]),
  ('first', '2026-04-06T23:00Z', array[1.56, 1.61, 1.66, 1.71, 1.76]),
  ('economy', '2025-03-31T23:00Z', array[0.59, 0.64, 0.68, 0.73, 0.78]),
  ('economy', '2026-01-05T00:00Z', array[0.64, 0.69, 0.73, 0.78, 0.82]),
  ('economy', '2026-06-30T23:00Z', array[0.638, 0.684, 0.724, 0.779, 0.823])
) as price_list (post_class, start_date, rates)
cross join unnest(rates) with ordinality as price (rate, sheet_count);

insert into letter_rates (post_class, sheet_count, start_date, rate)
select post_class, sheet_count, start_date::timestamptz, rate
from (values
  ('2020-07-01T00:00Z', array[0.84, 0.92, 1.00, 1.08, 1.16]),
  ('2021-02-01T00:00Z', array[0.89, 0.97, 1.05, 1.13, 1.21]),
  ('2022-03-01T00:00Z', array[0.96, 1.04, 1.12, 1.20, 1.28]),
  ('2023-01-23T00:00Z', array[1.05, 1.13, 1.21, 1.29, 1.37]),
  ('2023-11-01T00:00Z', array[1.26, 1.31, 1.35, 1.40, 1.45]),
  ('2024-01-02T00:00Z', array[1.44, 1.49, 1.53, 1.58, 1.63]),
  ('2025-02-06T00:00Z', array[1.56, 1.61, 1.66, 1.71, 1.76]),
  ('2026-01-05T00:00Z', array[1.72, 1.77, 1.82, 1.85, 1.90]),
  ('2026-05-02T23:00Z', array[1.80, 1.84, 1.88, 1.92, 1.96])
) as price_list (start_date, rates)
cross join unnest(array['europe', 'rest-of-world']) as post_class
cross join unnest(rates) with ordinality as price (rate, sheet_count);
