-- The language that a person reads; null: what their browser asks for.
alter table users add column language text;
