-- A receipt can say why a message failed. That is no attempt, but it is kept and erased like the reason of one.
alter table failed_attempts
  drop constraint failed_attempts_outcome_check,
  drop constraint failed_attempts_reason_check,
  add constraint failed_attempts_outcome_check check (outcome in ('failed', 'refused', 'unknown', 'reported')),
  add constraint failed_attempts_reason_check check (length(reason) <= 255);
