-- Archiving renames a brand, of letters and of emails, which frees its names.
create table letter_branding (
  id uuid primary key,
  name varchar(255) not null constraint letter_branding_name_key unique,
  filename varchar(255) not null constraint letter_branding_filename_key unique,
  created_at timestamptz not null,
  created_by_id uuid references users,
  updated_at timestamptz,
  updated_by_id uuid references users,
  active boolean not null default true
);

create table email_branding (
  id uuid primary key,
  name text not null,
  colour varchar(7),
  logo varchar(255),
  text varchar(255),
  alt_text varchar(255),
  brand_type text not null check (brand_type in ('org', 'both', 'org_banner')),
  active boolean not null default true,
  created_at timestamptz not null,
  created_by uuid references users,
  updated_at timestamptz,
  updated_by uuid references users,
  constraint email_branding_text_or_alt_text check ((text is null) <> (alt_text is null))
);
-- Archived names may repeat (twice within a second) and grow past 255.
create unique index email_branding_name_key on email_branding (name) where active;

-- Caches of a service have its branding.
create function announce_branding_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('service_changed', id::text) from services where email_branding_id = new.id;
  return null;
end
$$;
create trigger announce_change after update on email_branding
  for each row execute function announce_branding_change();
