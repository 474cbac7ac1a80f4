-- Values of a message that open something (sign-in codes, links to accounts and to files), encrypted, apart from the others.
alter table notifications add column secret_personalisation text;
