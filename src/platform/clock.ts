/** The only source of "now": tests put a clock of their own in its place. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** The contract's datetime: UTC with six fractional digits and a Z. */
export type Timestamp = string;

export function timestamp(date: Date): Timestamp {
  return `${date.toISOString().slice(0, -1)}000Z`;
}
