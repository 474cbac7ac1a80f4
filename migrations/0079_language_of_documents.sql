-- The language of the email that a file was sent with, if its template has several: that of its pages.
alter table documents add column language text;
