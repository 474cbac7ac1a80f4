-- When messages of a service may go out, by the clock of the recipient. Without a row: at any time.
create table send_windows (
  id uuid primary key,
  service_id uuid not null references services (id),
  name text not null,
  -- On which the window begins: mon to sun.
  days text[] not null,
  -- HH:MM; inclusive and exclusive. 24:00 is midnight; a time not after from_time is on the next day.
  from_time text not null,
  until_time text not null,
  -- No window begins on these.
  closed_days date[] not null,
  created_at timestamptz not null,
  updated_at timestamptz,
  constraint send_windows_name_key unique (service_id, name),
  unique (service_id, id)
);

-- Which window applies to which channel; and the zone of recipients of whom none is known, null: that of the installation.
create table service_sending_times (
  service_id uuid primary key references services (id),
  sms_window_id uuid,
  email_window_id uuid,
  time_zone text,
  constraint service_sending_times_sms_window_fkey foreign key (service_id, sms_window_id) references send_windows (service_id, id),
  constraint service_sending_times_email_window_fkey foreign key (service_id, email_window_id) references send_windows (service_id, id)
);

-- Templates with a window of their own; null: none, so that their messages go out at any time.
create table template_sending_times (
  template_id uuid primary key references templates (id),
  service_id uuid not null references services (id),
  window_id uuid,
  constraint template_sending_times_window_fkey foreign key (service_id, window_id) references send_windows (service_id, id)
);
create index template_sending_times_service_id_idx on template_sending_times (service_id);

-- Processes keep them with the settings of the service.
create trigger announce_change after insert or update or delete on send_windows
  for each row execute function announce_service_change();
create trigger announce_change after insert or update or delete on service_sending_times
  for each row execute function announce_service_change();
create trigger announce_change after insert or update or delete on template_sending_times
  for each row execute function announce_service_change();
create trigger audit after insert or update or delete on send_windows for each row
  when (coalesce(current_setting('pennypost.actor', true), '') <> '')
  execute function record_audit_entry('send_window', 'id', '{}');
create trigger audit after insert or update or delete on service_sending_times for each row
  when (coalesce(current_setting('pennypost.actor', true), '') <> '')
  execute function record_audit_entry('sending_times', 'service_id', '{}');
create trigger audit after insert or update or delete on template_sending_times for each row
  when (coalesce(current_setting('pennypost.actor', true), '') <> '')
  execute function record_audit_entry('template_sending_times', 'template_id', '{}');

-- Messages that wait for a window to open. Like any scheduled message they are due at notifications.scheduled_for, which is up to
-- WINDOW_SPREAD_S after held_until.
create table held_messages (
  notification_id uuid primary key,
  service_id uuid not null,
  notification_type text not null,
  held_until timestamptz not null,
  -- That of the request or the row, if it had one.
  time_zone text,
  -- The time it was scheduled for, if it was.
  wanted_at timestamptz
);
create index held_messages_channel_idx on held_messages (notification_type, held_until);
create index held_messages_service_id_idx on held_messages (service_id, notification_id);
