-- Totals by status and kind of letter, kept for processes that were older than release 0.1.0; nobody reads them any more.
drop view monthly_usage;
drop table service_usage_totals;
drop table service_status_totals;
