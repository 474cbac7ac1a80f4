-- An index entry takes 2,704 bytes and a reference 1,000 characters of up to four bytes: only its beginning is indexed.
-- Storing messages waits while the index is made: about a second for each million messages that have a reference.
create index notifications_reference_start_idx on notifications (service_id, left(client_reference, 200))
  where client_reference is not null;
drop index notifications_client_reference_idx;
