/** Default daily message limits by channel. */
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

/** Live values for the limits that still have their trial defaults. */
export function raisedLimits(current: Limits): Partial<Limits> {
  const unchanged = (Object.keys(trial) as (keyof Limits)[]).filter((limit) => current[limit] === trial[limit]);
  return Object.fromEntries(unchanged.map((limit) => [limit, live[limit]]));
}
