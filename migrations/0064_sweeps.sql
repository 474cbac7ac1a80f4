-- How far a sweep over past messages has come, so that it goes on from there whoever runs it next.
create table delivery_sweeps (
  name text primary key,
  swept_until timestamptz not null
);
insert into delivery_sweeps (name, swept_until) values ('time-outs', '-infinity');
