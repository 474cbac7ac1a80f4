-- Clients of GC Notify get its errors, and a service can say that its clients are such clients.
alter table services add api_dialect text not null default 'govuk' check (api_dialect in ('govuk', 'gc'));

alter table api_keys add manage_reports boolean not null default false;
alter table api_keys_history add manage_reports boolean not null default false;
