-- How many files a message links to; null for none. Written only for messages with files, so accepting others costs the same.
alter table notifications add column document_download_count smallint;
