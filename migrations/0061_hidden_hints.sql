-- Advice about a template that somebody does not want to see again.
create table template_hidden_hints (
  template_id uuid not null references templates,
  rule text not null,
  service_id uuid not null references services,
  hidden_by_id uuid not null references users,
  hidden_at timestamptz not null,
  primary key (template_id, rule)
);
create trigger audit after insert or update or delete on template_hidden_hints for each row
  execute function record_audit_entry('hidden_hint', 'template_id', '{}');
