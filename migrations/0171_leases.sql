-- Which worker holds a leased message. A worker's result counts only while it holds the message: one that was stalled for
-- longer than its lease changes nothing that another worker holds by then.
alter table delivery_queue add column leased_by uuid;
