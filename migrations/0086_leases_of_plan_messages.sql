-- Until when a worker has a message to itself: apart from when it is due, which says how late it is however often it is leased.
alter table plan_messages add column leased_until timestamptz;
