create table letter_branding (
  id uuid primary key,
  name varchar(255) not null constraint letter_branding_name_key unique,
  filename varchar(255) not null constraint letter_branding_filename_key unique,
  created_at timestamptz not null,
  created_by_id uuid references users,
  updated_at timestamptz,
  updated_by_id uuid references users
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
-- Archiving renames a brand, which frees its name; archived names may repeat (twice within a second) and grow past 255.
create unique index email_branding_name_key on email_branding (name) where active;
