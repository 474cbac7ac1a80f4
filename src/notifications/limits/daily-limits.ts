import { utcDay } from '../../platform/calendar.ts';
import { Failure } from '../../platform/failure.ts';
import type { Channel } from '../../protocol/channels.ts';
import type { ClaimedQuota, LimitedChannel, QuotaRequest } from '../sending/notifications.sql.ts';
import type { SendingService } from '../sending/sending-service.ts';

/** Limits apply per UTC day. The commit that stores a message enforces them exactly. */

export function isDailyLimitReached(service: SendingService, channel: LimitedChannel, now: Date): boolean {
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

/** A message that counts towards daily limits. */
export interface LimitedMessage {
  service: Pick<SendingService, 'id' | 'daily_limits'>;
  channel: Channel;
  utc_day: string;
  abroad: boolean;
}

interface SequenceNumbers {
  sequence: number;
  international_sequence?: number;
}

/**
 * Numbers messages within each limit. Messages abroad come after domestic ones: if the international limit rejects some of
 * them, the remaining sequence numbers still have no gaps.
 */
export function numberMessages(messages: (LimitedMessage | null)[]): {
  numbers: (SequenceNumbers | undefined)[];
  quotas: QuotaRequest[];
} {
  const quotas = new Map<string, QuotaRequest>();
  const quotaOf = ({ service, utc_day }: LimitedMessage, channel: LimitedChannel): QuotaRequest => {
    const key = keyOf(service.id, utc_day, channel);
    const existing = quotas.get(key);
    if (existing) return existing;
    const quota = {
      service_id: service.id,
      utc_day,
      channel,
      requested: 0,
      daily_limit: service.daily_limits[channel],
    };
    quotas.set(key, quota);
    return quota;
  };
  const numbers = messages.map((message): SequenceNumbers | undefined => {
    if (!message) return undefined;
    const quota = quotaOf(message, message.channel);
    if (message.abroad) return undefined;
    quota.requested += 1;
    return { sequence: quota.requested };
  });
  for (const [index, message] of messages.entries()) {
    if (!message?.abroad) continue;
    const international = quotaOf(message, 'international_sms');
    international.requested += 1;
    numbers[index] = {
      sequence: quotaOf(message, message.channel).requested + international.requested,
      international_sequence: international.requested,
    };
  }
  return { numbers, quotas: [...quotas.values()] };
}

/** Returns the limit that rejected a message, if any. */
export function exceededLimit(
  { service, utc_day, channel }: LimitedMessage,
  { sequence, international_sequence }: SequenceNumbers,
  claimed: ReadonlyMap<string, ClaimedQuota>,
): LimitedChannel | undefined {
  const claimedUpTo = (limit: LimitedChannel) => claimed.get(keyOf(service.id, utc_day, limit))?.last_taken ?? 0;
  if (international_sequence !== undefined && international_sequence > claimedUpTo('international_sms'))
    return 'international_sms';
  return sequence > claimedUpTo(channel) ? channel : undefined;
}

export function indexByKey(claimed: ClaimedQuota[]): Map<string, ClaimedQuota> {
  return new Map(claimed.map((quota) => [keyOf(quota.service_id, quota.utc_day, quota.channel), quota]));
}

function keyOf(serviceId: string, utc_day: string, channel: LimitedChannel): string {
  return `${serviceId} ${utc_day} ${channel}`;
}
