-- Messages that wait for another attempt, of each channel the oldest first. Messages of a first attempt are never in it, so that
-- delivering without errors does not write it.
create index delivery_queue_retries_idx on delivery_queue (notification_type, notification_id)
  where attempts > 1 or attempts > 0 and leased_by is null;
