-- With many thousands of services: the first page of their list, and the requests to go live, without reading all of them.
create index services_list_idx on services (active desc, lower(name), id);
create index services_go_live_requests_idx on services (updated_at, id) where active and restricted and has_active_go_live_request;

-- Old counters are deleted every hour, without reading those of today.
create index daily_message_counts_utc_day_idx on daily_message_counts (utc_day);

-- Each accepted message updates the counter of its service. With room in the page, the new version of the row needs no entry in the
-- index: with 20,000 services, an update takes a sixth less processor time.
alter table daily_message_counts set (fillfactor = 50);
