-- Templates of the platform's own service for notices about accounts, agreements, going live and joining a service.
with template (id, name, type, subject, content) as (values
  ('cb1211ba-573f-40c6-a024-13109a541616', 'Email address changed: to the previous address', 'email', 'Your email address was changed',
   E'Hello ((name))\n\n((servicemanagername)) changed the email address of your account. You can no longer sign in with this address.\n\nIf that is wrong, tell us at once: ((support_url))'),
  ('f32ae1ee-6c8d-4f7d-bd7a-3c6e6c11bfd2', 'Mobile number changed: to the previous number', 'sms', null,
   '((servicemanagername)) changed the mobile number of your account. Sign-in codes no longer go to this number. If that is wrong, tell us at once: ((support_url))'),
  ('5c7cfc0f-c3f4-4bd6-9a84-5a144aad5425', 'Request to go live: to the organisation', 'email', '((service_name)) wants to go live',
   E'Hello ((name))\n\n((requester_name)) (((requester_email_address))) asks ((organisation_name)) to make ((service_name)) live, so that it can send to anyone.\n\nApprove or reject the request here:\n\n((make_service_live_link))\n\nReply to this email to ask ((requester_name)) about it. If you need our help: ((support_page_link))'),
  ('c7083bfe-1b9a-4ff9-bd5c-30508727df6e', 'Request to go live: receipt', 'email', 'Your request to go live',
   E'Hello ((name))\n\nYou asked for ((service_name)) to go live. The request went to these members of ((organisation_name)):\n\n((organisation_team_member_names))\n\nIf you hear nothing within two working days, ask them.'),
  ('62f12a62-742b-4458-9336-741521b131c7', 'Request to go live: next steps', 'email', 'Next steps for ((service_name))',
   '((body))'),
  ('507d0796-9e23-4ad7-b83b-5efbd9496866', 'Request to go live: rejected', 'email', 'Your request to go live was rejected',
   E'Hello ((name))\n\n((organisation_team_member_name)) of ((organisation_name)) rejected the request for ((service_name)) to go live. They wrote:\n\n((reason))\n\nIf you have questions, write to ((organisation_team_member_email)).'),
  ('4fd2e43c-309b-4e50-8fb8-1955852d9d71', 'Agreement accepted: to the signer', 'email', 'You accepted the agreement',
   E'Hello ((signed_by_name))\n\nYou accepted the data sharing and financial agreement for ((org_name)).\n\nA copy of the agreement is here: ((mou_link))\n\nThe page of your organisation: ((org_dashboard_link))'),
  ('c20206d5-bf03-4002-9a90-37d5032d9e84', 'Agreement accepted on behalf of someone: to the signer', 'email', 'You accepted the agreement on behalf of ((on_behalf_of_name))',
   E'Hello ((signed_by_name))\n\nYou accepted the data sharing and financial agreement for ((org_name)), on behalf of ((on_behalf_of_name)).\n\nA copy of the agreement is here: ((mou_link))\n\nThe page of your organisation: ((org_dashboard_link))'),
  ('522b6657-5ca5-4368-a294-6b527703bd0b', 'Agreement accepted on behalf of someone: to them', 'email', '((signed_by_name)) accepted the agreement on your behalf',
   E'Hello ((on_behalf_of_name))\n\n((signed_by_name)) accepted the data sharing and financial agreement for ((org_name)) on your behalf.\n\nA copy of the agreement is here: ((mou_link))\n\nThe page of your organisation: ((org_dashboard_link))'),
  ('38bcd263-6ce8-431f-979d-8e637c1f0576', 'Asking to join a service: receipt', 'email', 'Your request to join ((service_name))',
   E'Hello ((requester_name))\n\nYou asked to join ((service_name)). The request went to:\n\n((service_admin_names))\n\nIf you hear nothing, you can ask again: ((url_ask_to_join_page))'),
  ('4d8ee728-100e-4f0e-8793-5638cfa4ffa4', 'Asking to join a service: approved', 'email', 'You can now use ((service_name))',
   E'Hello ((requester_name))\n\n((approver_name)) approved your request to join ((service_name)).\n\nSign in to start: ((dashboard_url))')
), added as (
  insert into templates (id, service_id, name, template_type, subject, content, process_type, created_by_id, created_at)
  select template.id::uuid, 'd6aa2c68-a2d9-4437-ab19-3ae8eb202553', template.name, template.type, template.subject,
    template.content, 'priority', '6af522d0-2915-4e52-83a3-3690455a5fe6', '2000-01-01T00:00:00Z'
  from template
  returning *
)
insert into templates_history (id, version, service_id, name, template_type, subject, content, archived, hidden,
    process_type, redact_personalisation, has_unsubscribe_link, created_by_id, created_at)
select id, version, service_id, name, template_type, subject, content, archived, hidden, process_type,
  redact_personalisation, has_unsubscribe_link, created_by_id, created_at from added;
