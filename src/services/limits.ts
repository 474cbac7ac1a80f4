/** Messages a day by channel, for a service that says nothing else. */
const trial = {
  email_message_limit: 50,
  sms_message_limit: 50,
  letter_message_limit: 50,
  international_sms_message_limit: 100,
};

const live = {
  email_message_limit: 250_000,
  sms_message_limit: 250_000,
  letter_message_limit: 20_000,
  international_sms_message_limit: 100,
};

type Limits = typeof trial;

export function defaultLimits(restricted: boolean): Limits {
  return restricted ? trial : live;
}

/** The limits that nobody has changed since the trial began, as they become when it ends. */
export function raisedLimits(current: Limits): Partial<Limits> {
  const untouched = (Object.keys(trial) as (keyof Limits)[]).filter((limit) => current[limit] === trial[limit]);
  return Object.fromEntries(untouched.map((limit) => [limit, live[limit]]));
}
