-- With many thousands of services: the first page of their list, and the requests to go live, without reading all of them.
create index services_list_idx on services (active desc, lower(name), id);
create index services_go_live_requests_idx on services (updated_at, id) where active and restricted and has_active_go_live_request;

-- Old counters are deleted every hour, without reading those of today.
create index daily_message_counts_utc_day_idx on daily_message_counts (utc_day);
