-- Texts that went out as several parts, each with a receipt of its own. The message is delivered when all parts are.
create table message_parts (
  -- As in the receipt of the part.
  reference text primary key,
  -- The provider_reference of the message: that of its first part.
  message_reference text not null,
  sent_at timestamptz not null,
  delivered_at timestamptz
);
create index message_parts_message_reference_idx on message_parts (message_reference);
create index message_parts_sent_at_idx on message_parts (sent_at);
