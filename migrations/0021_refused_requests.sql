-- Requests of the public API that were refused, without values: for the people who write the program that sends them.
-- Bounded: so many per service and minute, so many per service, and for some days.
create table refused_requests (
  id uuid primary key,
  service_id uuid not null references services,
  api_key_id uuid not null references api_keys,
  -- The path of the API document, such as /v2/notifications/sms.
  path text not null,
  status_code smallint not null,
  -- As in the response, without values of the request: [{"error", "message"}].
  errors jsonb not null,
  template_id uuid,
  -- Names of the fields that were sent, and of those in personalisation.
  fields text[] not null,
  personalisation_fields text[] not null,
  created_at timestamptz not null
);
create index refused_requests_service_id_idx on refused_requests (service_id, id desc);

-- How many callbacks failed is shown on a page.
create index service_callbacks_failed_idx on service_callbacks (service_id, id desc) where status = 'failed';
