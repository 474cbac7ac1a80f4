-- Keyed digests of the contacts and the parts of the address: a person is found without decrypting the contents of everybody. Null in
-- messages that are older, and once the contents were encrypted with another key: their contents are decrypted to find a person.
alter table plan_messages add recipient_tags text[];
