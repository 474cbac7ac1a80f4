-- The print run whose folder a letter was first handed over to, even in part. A batch that is handed over again on a later day goes there.
alter table letter_files add column print_day date;
