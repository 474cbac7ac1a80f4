-- How many of the text messages and emails that the API accepted on a London day were handed over to a provider within ten
-- seconds. Counted once, after the end of the day and before its messages are deleted.
create table daily_processing_time (
  london_day date primary key,
  messages bigint not null,
  within_ten_seconds bigint not null
);
