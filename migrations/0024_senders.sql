-- At most one default each; a service without a default letter contact prints none.
create unique index service_email_reply_to_one_default on service_email_reply_to (service_id)
  where is_default and not archived;
create unique index service_email_reply_to_address_key on service_email_reply_to (service_id, email_address)
  where not archived;
create unique index service_letter_contacts_one_default on service_letter_contacts (service_id)
  where is_default and not archived;
