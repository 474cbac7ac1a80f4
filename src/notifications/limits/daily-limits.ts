import { utcDay } from '../../platform/calendar.ts';
import { Failure } from '../../platform/failure.ts';
import type { NotificationType } from '../notification.ts';
import type { LimitedChannel, LimitShare, TakenShare } from '../sending/notifications.sql.ts';
import type { SendingService } from '../sending/sending-service.ts';

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

/** A message that counts towards limits. */
export interface LimitedMessage {
  service: Pick<SendingService, 'id' | 'daily_limits'>;
  channel: NotificationType;
  utc_day: string;
  abroad: boolean;
}

interface Numbers {
  place: number;
  place_abroad?: number;
}

/**
 * Numbers messages among those that want the same limit. Those abroad come after those at home: if their own limit keeps
 * some of them out, the numbers of the others still run without a gap.
 */
export function numberMessages(messages: (LimitedMessage | null)[]): {
  numbers: (Numbers | undefined)[];
  shares: LimitShare[];
} {
  const shares = new Map<string, LimitShare>();
  const shareOf = ({ service, utc_day }: LimitedMessage, channel: LimitedChannel): LimitShare => {
    const key = keyOf(service.id, utc_day, channel);
    const known = shares.get(key);
    if (known) return known;
    const share = { service_id: service.id, utc_day, channel, wanted: 0, top: service.daily_limits[channel] };
    shares.set(key, share);
    return share;
  };
  const numbers = messages.map((message): Numbers | undefined => {
    if (!message) return undefined;
    const share = shareOf(message, message.channel);
    if (message.abroad) return undefined;
    share.wanted += 1;
    return { place: share.wanted };
  });
  for (const [index, message] of messages.entries()) {
    if (!message?.abroad) continue;
    const own = shareOf(message, 'international_sms');
    own.wanted += 1;
    numbers[index] = { place: shareOf(message, message.channel).wanted + own.wanted, place_abroad: own.wanted };
  }
  return { numbers, shares: [...shares.values()] };
}

/** The limit that kept a message out; undefined when none did. */
export function limitThatRefused(
  { service, utc_day, channel }: LimitedMessage,
  { place, place_abroad }: Numbers,
  taken: ReadonlyMap<string, TakenShare>,
): LimitedChannel | undefined {
  const got = (of: LimitedChannel) => taken.get(keyOf(service.id, utc_day, of))?.last_taken ?? 0;
  if (place_abroad !== undefined && place_abroad > got('international_sms')) return 'international_sms';
  return place > got(channel) ? channel : undefined;
}

export function byKey(taken: TakenShare[]): Map<string, TakenShare> {
  return new Map(taken.map((share) => [keyOf(share.service_id, share.utc_day, share.channel), share]));
}

function keyOf(serviceId: string, utc_day: string, channel: LimitedChannel): string {
  return `${serviceId} ${utc_day} ${channel}`;
}
