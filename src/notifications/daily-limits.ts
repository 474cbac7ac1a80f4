import { utcDay } from '../platform/calendar.ts';
import { Failure } from '../platform/failure.ts';
import type { LimitedChannel } from './notifications.sql.ts';
import type { SendingService } from './sending-service.ts';

/** Limits are per UTC day; what exactly fits is decided by the commit that stores a message. */

export function dayIsFull(service: SendingService, channel: LimitedChannel, now: Date): boolean {
  const { counted, daily_limits } = service;
  const count = counted.utc_day === utcDay(now) ? (counted.counts[channel] ?? 0) : 0;
  return count >= daily_limits[channel];
}

export function dailyLimitExceeded(service: SendingService, channel: LimitedChannel, now: Date): Failure {
  const name = channel === 'international_sms' ? channel : 'daily';
  const untilMidnight = 86_400 - (Math.floor(now.getTime() / 1000) % 86_400);
  return new Failure(
    'too-many',
    'TooManyRequestsError',
    `Exceeded send limits (${name}: ${service.daily_limits[channel]}) for today`,
    { headers: { 'retry-after': String(untilMidnight) } },
  );
}
