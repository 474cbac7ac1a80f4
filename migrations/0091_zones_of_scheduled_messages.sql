-- Null: the message is only scheduled, or waits no more. A row then keeps the time zone of a scheduled message, because changed sending
-- times may make it wait.
alter table held_messages alter held_until drop not null;
