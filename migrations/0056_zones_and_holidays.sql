-- The zone of the times that a person reads and chooses in the console. Null: that of the installation.
alter table users add column time_zone text;
