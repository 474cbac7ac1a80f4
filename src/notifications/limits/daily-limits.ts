import { utcDay } from '../../platform/calendar.ts';
import { Failure } from '../../platform/failure.ts';
import type { Channel } from '../../protocol/channels.ts';
import type { ExhaustedQuota, LimitedChannel, QuotaRequest } from '../sending/notifications.sql.ts';
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

/** Its sequence numbers within the daily limits; 0 if a limit does not apply. */
interface SequenceNumbers {
  sequence: number;
  international_sequence: number;
}

const unlimited: SequenceNumbers = { sequence: 0, international_sequence: 0 };

/**
 * Numbers messages within each limit. Messages abroad come after domestic ones: if the international limit rejects some of
 * them, the remaining sequence numbers still have no gaps.
 */
export function numberMessages(messages: (LimitedMessage | null)[]): {
  numbers: SequenceNumbers[];
  quotas: QuotaRequest[];
} {
  const quotas: QuotaRequest[] = [];
  const byService = new Map<string, QuotaRequest[]>();
  const quotaOf = ({ service, utc_day }: LimitedMessage, channel: LimitedChannel): QuotaRequest => {
    const ofService = byService.get(service.id);
    const existing = ofService?.find((quota) => quota.channel === channel && quota.utc_day === utc_day);
    if (existing) return existing;
    const quota = {
      service_id: service.id,
      utc_day,
      channel,
      requested: 0,
      daily_limit: service.daily_limits[channel],
    };
    quotas.push(quota);
    if (ofService) ofService.push(quota);
    else byService.set(service.id, [quota]);
    return quota;
  };
  const numbers = messages.map((message): SequenceNumbers => {
    if (!message) return unlimited;
    const quota = quotaOf(message, message.channel);
    if (message.abroad) return unlimited;
    quota.requested += 1;
    return { sequence: quota.requested, international_sequence: 0 };
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
  return { numbers, quotas };
}

/** Returns the limit that rejected a message, if any. */
export function exceededLimit(
  { service, utc_day, channel }: LimitedMessage,
  { sequence, international_sequence }: SequenceNumbers,
  exhausted: ExhaustedQuota[],
): LimitedChannel | undefined {
  const isBeyond = (number: number, limit: LimitedChannel) =>
    exhausted.some(
      (quota) =>
        quota.service_id === service.id &&
        quota.channel === limit &&
        quota.utc_day === utc_day &&
        number > quota.last_taken,
    );
  if (isBeyond(international_sequence, 'international_sms')) return 'international_sms';
  return isBeyond(sequence, channel) ? channel : undefined;
}
