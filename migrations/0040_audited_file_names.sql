-- The name of a file of recipients may be that of a recipient, and an erasure cannot change the audit log.
create or replace trigger audit after insert or update or delete on uploads for each row
  when (coalesce(current_setting('pennypost.actor', true), '') <> '')
  execute function record_audit_entry('upload', 'id', '{header,summary,original_file_name}');
create or replace trigger audit after insert or update or delete on jobs for each row
  when (coalesce(current_setting('pennypost.actor', true), '') <> '')
  execute function record_audit_entry('job', 'id', '{client_reference,original_file_name}');
create or replace trigger audit after insert or update or delete on contact_lists for each row
  when (coalesce(current_setting('pennypost.actor', true), '') <> '')
  execute function record_audit_entry('contact_list', 'id', '{original_file_name}');
