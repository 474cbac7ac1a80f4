-- Emails of other software: what becomes of its attachments (null: as for the installation), and which keys are passwords for it.
alter table services add smtp_files text check (smtp_files in ('refuse', 'drop', 'link'));

alter table api_keys add send_over_smtp boolean not null default false;
alter table api_keys_history add send_over_smtp boolean not null default false;
