-- A service can be called when the status of a message with a channel plan changes.
alter table service_callback_api
  drop constraint service_callback_api_callback_type_check,
  add constraint service_callback_api_callback_type_check
    check (callback_type in ('delivery_status', 'message_status', 'complaint', 'returned_letter', 'inbound_sms'));
-- Every row has passed a narrower check, so the table is not read for this one.
alter table service_callbacks
  drop constraint service_callbacks_callback_type_check,
  add constraint service_callbacks_callback_type_check
    check (callback_type in ('delivery_status', 'message_status', 'complaint', 'returned_letter', 'inbound_sms')) not valid;
