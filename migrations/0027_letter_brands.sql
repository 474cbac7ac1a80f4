-- Letter brands are archived as email brands are: archiving renames a brand, which frees its names.
alter table letter_branding
  add column active boolean not null default true;
