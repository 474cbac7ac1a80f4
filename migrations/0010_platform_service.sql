-- The platform's own service: codes, links and notices to users are ordinary notifications of it. Ids are fixed because
-- tools that read sign-in messages look for them, and so are their times: seeded rows are older than everything else, on
-- whatever day they were seeded.
insert into users (id, name, email_address, password_hash, auth_type, state, email_access_validated_at,
    password_changed_at, created_at)
values ('6af522d0-2915-4e52-83a3-3690455a5fe6', 'Pennypost', 'pennypost@platform.invalid', 'none', 'email_auth', 'active',
  '2000-01-01T00:00:00Z', '2000-01-01T00:00:00Z', '2000-01-01T00:00:00Z');

insert into services (id, name, normalised_name, restricted, created_by_id, permissions, email_message_limit,
    sms_message_limit, letter_message_limit, international_sms_message_limit, email_sender_local_part, count_as_live,
    created_at)
values ('d6aa2c68-a2d9-4437-ab19-3ae8eb202553', 'Pennypost', 'pennypost', false, '6af522d0-2915-4e52-83a3-3690455a5fe6',
  '{email,sms,letter,international_sms,international_letters}', 2000000000, 2000000000, 2000000000, 2000000000, 'pennypost',
  false, '2000-01-01T00:00:00Z');

insert into services_history (id, version, name, active, restricted, email_message_limit, sms_message_limit,
    letter_message_limit, email_sender_local_part, permissions, created_by_id, created_at)
select id, version, name, active, restricted, email_message_limit, sms_message_limit, letter_message_limit,
  email_sender_local_part, permissions, created_by_id, created_at from services;

insert into service_members (service_id, user_id, permissions, created_at)
values ('d6aa2c68-a2d9-4437-ab19-3ae8eb202553', '6af522d0-2915-4e52-83a3-3690455a5fe6',
  '{manage_users,manage_templates,manage_settings,send_texts,send_emails,send_letters,manage_api_keys,view_activity}', '2000-01-01T00:00:00Z');

insert into service_sms_senders (id, service_id, sms_sender, is_default, created_at)
values ('286d6176-adbe-7ea7-ba26-b7606ee5e2a4', 'd6aa2c68-a2d9-4437-ab19-3ae8eb202553', 'PENNYPOST', true, '2000-01-01T00:00:00Z');

insert into templates (id, service_id, name, template_type, subject, content, process_type, created_by_id, created_at)
select template.id::uuid, 'd6aa2c68-a2d9-4437-ab19-3ae8eb202553', template.name, template.type, template.subject,
  template.content, 'priority', '6af522d0-2915-4e52-83a3-3690455a5fe6', '2000-01-01T00:00:00Z'
from (values
  ('36fb0730-6259-4da1-8a80-c8de22ad4246', 'Sign-in code', 'sms', null,
   '((verify_code)) is your sign-in code. It works for 30 minutes.'),
  ('299726d2-dba6-42b8-8209-30e1d66ea164', 'Sign-in link', 'email', 'Sign in',
   E'Hello ((name))\n\nOpen this link to sign in:\n\n((url))\n\nThe link works for 30 minutes and only once.'),
  ('ece42649-22a8-4d06-b87f-d52d5d3f0a27', 'Confirm a new account', 'email', 'Confirm your account',
   E'Hello ((name))\n\nOpen this link to finish creating your account:\n\n((url))\n\nThe link works for an hour.'),
  ('474e9242-823b-4f99-813d-ed392e7f1201', 'Reset a password', 'email', 'Reset your password',
   E'Hello ((user_name))\n\nOpen this link to choose a new password:\n\n((url))\n\nThe link works for an hour. If you did not ask for it, do nothing: your password stays as it is.'),
  ('0880fbb1-a0c6-46f0-9a8e-36c986381ceb', 'Already registered', 'email', 'You already have an account',
   E'Someone tried to create an account with this address, which already has one.\n\nSign in here: ((signin_url))\n\nForgotten the password? ((forgot_password_url))\n\nIf it was not you, tell us: ((feedback_url))'),
  ('eb4d9930-87ab-4aef-9bce-786762687884', 'Confirm a new email address', 'email', 'Confirm your new email address',
   E'Hello ((name))\n\nOpen this link to use this address from now on:\n\n((url))\n\nIf you did not ask for it, tell us: ((feedback_url))'),
  ('c73f1d71-4049-46d5-a647-d013bdeca3f0', 'Email address changed by a team member', 'email', 'Your email address was changed',
   E'Hello ((name))\n\n((servicemanagername)) changed the email address of your account to ((email address)).\n\nIf that is wrong, speak to them.'),
  ('8a31520f-4751-4789-8ea1-fe54496725eb', 'Mobile number changed by a team member', 'sms', null,
   '((servicemanagername)) changed the mobile number of your account to this one. If that is wrong, speak to them.'),
  ('4f46df42-f795-4cc4-83bb-65ca312f49cc', 'Invitation to a service', 'email', '((user_name)) invited you to ((service_name))',
   E'((user_name)) invited you to work on ((service_name)).\n\nOpen this link to join:\n\n((url))\n\nThe link works for two days.'),
  ('203566f0-d835-47c5-aa06-932439c86573', 'Invitation to an organisation', 'email', '((user_name)) invited you to ((organisation_name))',
   E'((user_name)) invited you to the organisation ((organisation_name)).\n\nOpen this link to join:\n\n((url))\n\nThe link works for two days.'),
  ('618185c6-3636-49cd-b7d2-6f6f5eb3bdde', 'A service is live', 'email', '((service_name)) is live',
   E'Hello ((name))\n\n((service_name)) is live: it can now send to anyone.'),
  ('77677459-f862-44ee-96d9-b8cb2323d407', 'Asking to join a service', 'email', '((requester_name)) wants to join ((service_name))',
   E'Hello ((approver_name))\n\n((requester_name)) (((requester_email_address))) asks to join ((service_name)).\n\n((reason_given??They wrote:))\n\n((reason))\n\nDecide here: ((url))'),
  ('a42f1d17-9404-46d5-a647-d013bdfca3e1', 'Check a reply-to address', 'email', 'Checking this reply-to address',
   'This message was sent to check that this address works as a reply-to address. Nothing else needs to be done.')
) as template (id, name, type, subject, content);

insert into templates_history (id, version, service_id, name, template_type, subject, content, archived, hidden,
    process_type, redact_personalisation, has_unsubscribe_link, created_by_id, created_at)
select id, version, service_id, name, template_type, subject, content, archived, hidden, process_type,
  redact_personalisation, has_unsubscribe_link, created_by_id, created_at from templates;
