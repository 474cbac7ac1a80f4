-- The category that an application chose through /v2/manage-template. The categories are fixed data of the product, so they have no
-- table.
alter table templates add category_id uuid;
alter table templates_history add category_id uuid;

-- Reports that an application requested through /v2/reports: the key, the language of the headings, and the job that one is about.
alter table report_requests add api_key_id uuid, add language text check (language in ('en', 'fr')), add job_id uuid;

-- The secret of the key comes from another server, which knows it.
alter table api_keys add imported boolean not null default false;
alter table api_keys_history add imported boolean not null default false;

-- Something keeps the id or the secret that it had on another server.
alter table audit_log drop constraint audit_log_action_check;
alter table audit_log add constraint audit_log_action_check
  check (action in ('create', 'update', 'delete', 'find', 'export', 'erase', 'import'));
