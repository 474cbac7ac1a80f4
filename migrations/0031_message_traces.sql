-- The trace of the request that a message came with, for the steps that follow in other processes. Only of messages whose
-- request was recorded. Unlogged: after a crash, steps are missing in traces, and nothing else.
create unlogged table message_traces (
  notification_id uuid primary key,
  -- The header of W3C Trace Context.
  traceparent text not null
);
