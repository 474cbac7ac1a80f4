-- What a commit that accepts messages sends to the database, as arrays of rows in binary form (see notification-row.ts).
-- Processes of different releases use the database at the same time during an upgrade: another shape needs another type.
create type new_notification as (
  id uuid,
  service_id uuid,
  template_id uuid,
  template_version integer,
  notification_type text,
  key_type text,
  api_key_id uuid,
  created_by_id uuid,
  status text,
  client_reference text,
  recipient text,
  normalised_recipient text,
  personalisation jsonb,
  reply_to_text text,
  postage text,
  international boolean,
  rate_multiplier smallint,
  one_click_unsubscribe_url text,
  scheduled_for timestamptz,
  created_at timestamptz,
  job_id uuid,
  job_row_number integer,
  -- Null if the message is not ready for delivery.
  lane smallint,
  -- Null: created_at.
  due_at timestamptz,
  -- Sequence numbers within the daily limits, from 1; 0 if a limit does not apply.
  sequence integer,
  international_sequence integer
);

-- How much of a daily limit the messages of a commit request.
create type quota_request as (
  service_id uuid,
  utc_day date,
  channel text,
  requested integer,
  daily_limit integer
);
