-- Numbers as they are compared, however people and providers write them. The application computes them, at each start those of
-- older rows. Null: another row has the same number and receives its texts.
alter table inbound_numbers add column normalised_number varchar(255) constraint inbound_numbers_normalised_number_key unique;
