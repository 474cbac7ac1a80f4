-- Archiving a user deletes the security keys; those of users who were archived before go here.
delete from webauthn_credentials where user_id in (
  select id from users where state = 'inactive' and email_address like '\_archived\_%');
