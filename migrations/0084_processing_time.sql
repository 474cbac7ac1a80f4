-- Of the text messages and emails that sending applications asked for on a London day: how many a provider had within ten
-- seconds. Counted once, when the day is over and while its messages are still there.
create table daily_processing_time (
  london_day date primary key,
  messages bigint not null,
  within_ten_seconds bigint not null
);
