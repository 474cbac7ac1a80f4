-- The reason as texts with their values, which pages write in the language of the reader.
alter table recurring_runs add reason_texts jsonb;
