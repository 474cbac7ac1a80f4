/* prepared: template-versions */
select template.id, template.service_id as service, template.name, template.template_type, template.subject,
  template.content, template.version, template.archived, template.hidden, template.process_type,
  template.category_id, template.redact_personalisation, template.postage, template.reply_to,
  case template.template_type
  when 'letter' then (
    select contact.contact_block
    from service_letter_contacts contact
    where contact.id = template.reply_to and not contact.archived
  )
  when 'email' then (
    select reply_to.email_address
    from service_email_reply_to reply_to
    where reply_to.service_id = template.service_id and not reply_to.archived
      and (reply_to.id = template.reply_to or reply_to.is_default)
    order by reply_to.id = template.reply_to desc nulls last
    limit 1
  )
  else (
    select sender.sms_sender
    from service_sms_senders sender
    where sender.service_id = template.service_id and not sender.archived
      and (sender.id = template.reply_to or sender.is_default)
    order by sender.id = template.reply_to desc nulls last
    limit 1
  )
end as reply_to_text, template.letter_languages, template.letter_welsh_subject, template.letter_welsh_content,
  template.has_unsubscribe_link, (
  select jsonb_build_object('id', attachment.id, 'original_filename', attachment.original_filename,
    'page_count', attachment.page_count, 'created_by_id', attachment.created_by_id, 'created_at',
    to_char(attachment.created_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'archived_by_id',
    attachment.archived_by_id, 'archived_at',
    to_char(attachment.archived_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))
  from letter_attachments attachment
  where attachment.id = template.letter_attachment_id
) as letter_attachment, case when template.template_type = 'email' then (
  select coalesce(jsonb_agg(jsonb_build_object('id', file.id, 'filename', file.filename, 'link_text',
    file.link_text, 'retention_period', file.retention_period, 'validate_users_email',
    file.validate_users_email, 'pending', file.pending) order by file.created_at, file.id), '[]')
  from (
    select distinct on (past.id) past.*
    from template_email_files_history past
    where past.template_id = template.id and past.template_version <= template.version
    order by past.id, past.version desc
  ) file
  where file.archived_at is null and not file.pending
) else '[]'::jsonb end as email_files, template.created_by_id, author.name as created_by_name,
  author.email_address as created_by_email_address, template.created_at, template.updated_at,
  case when template.language is not null then jsonb_build_object( 'enabled',
  'template_languages' = any (service.permissions), 'default', template.language, 'field',
  template.language_field, 'refuse_unknown', template.refuse_unknown_languages, 'variants', (
  select coalesce(jsonb_agg(jsonb_build_object('language', variant.language, 'subject', variant.subject,
    'content', variant.content) order by variant.language collate "C"), '[]')
  from template_variants variant
  where variant.template_id = template.id and variant.version = template.version
)) end as languages, service.api_dialect, 'keep_characters' = any (service.permissions) as keeps_characters
from templates_history template
join users author on author.id = template.created_by_id
join services service on service.id = template.service_id
where template.id = any ($1::uuid[]) and (template.id, template.version) in (
  select w.id, w.version
  from json_to_recordset($2::json) as w (id uuid, version int)
)
order by 1
