-- A text of the product, which the next release may replace; of people if false.
alter table template_variants add seeded boolean not null default false;
