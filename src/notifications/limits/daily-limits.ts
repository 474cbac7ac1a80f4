import { addDays } from '../../countries/calendar.ts';
import type { Country } from '../../countries/country.ts';
import type { Tx } from '../../platform/db/database.ts';
import { Failure } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Channel } from '../../protocol/channels.ts';
import { unitOn } from '../../services/settings/text-unit.ts';
import type { LimitedChannel } from '../notification.ts';
import type { ExhaustedQuota, QuotaRequest } from '../sending/notifications.sql.ts';
import type { SendingService } from '../sending/sending-service.ts';
import type { Reserved } from './annual-limits.sql.ts';
import { type AnnualQuota, reserveInYears } from './annual-limits.ts';
import { addWithinLimit, invalidateServiceCache, selectCount, subtractFromCount } from './daily-limits.sql.ts';

/**
 * Limits apply per day of the country's limit calendar; the database calls it `utc_day`. The commit that stores a message enforces them
 * exactly.
 */

export function isDailyLimitReached(
  { limitCalendar }: Country,
  service: SendingService,
  channel: LimitedChannel,
  now: Date,
): boolean {
  const { counted, daily_limits } = service;
  const count = counted.utc_day === limitCalendar.day(now) ? (counted.counts[channel] ?? 0) : 0;
  return count >= daily_limits[channel];
}

export function dailyLimitExceeded(
  { limitCalendar }: Country,
  service: SendingService,
  channel: LimitedChannel,
  now: Date,
): Failure {
  const name = channel === 'international_sms' ? channel : 'daily';
  const tomorrow = limitCalendar.start(addDays(limitCalendar.day(now), 1));
  const untilTomorrow_s = Math.ceil((tomorrow.getTime() - now.getTime()) / 1_000);
  return new Failure(
    'too-many',
    'TooManyRequestsError',
    `Exceeded send limits (${name}: ${service.daily_limits[channel]}) for today`,
    {
      headers: { 'retry-after': String(untilTomorrow_s) },
      reason: `${name}_limit`,
      facts: { channel, restricted: service.restricted, limit: service.daily_limits[channel] },
    },
  );
}

/** Whether the limits of the service count parts of texts today. */
export function countsParts(
  { limitCalendar }: Country,
  { text_unit }: Pick<SendingService, 'text_unit'>,
  channel: Channel,
  now: Date,
): boolean {
  return channel === 'sms' && unitOn(text_unit, limitCalendar.day(now)) === 'parts';
}

/** A message that counts towards daily limits. */
export interface LimitedMessage {
  service: Pick<SendingService, 'id' | 'daily_limits'>;
  channel: Channel;
  utc_day: string;
  abroad: boolean;
  /** Empty for most services. Only their messages can be counted in the shared statement. */
  annual: readonly AnnualQuota[];
  /** The parts of a text, if limits count them; null to count it as one. */
  parts: number | null;
}

/** Its sequence numbers within the daily limits; 0 if a limit does not apply. */
interface SequenceNumbers {
  sequence: number;
  international_sequence: number;
}

const unlimited: SequenceNumbers = { sequence: 0, international_sequence: 0 };

/**
 * Numbers messages within each limit. International messages come after domestic ones: if the international limit rejects some of them, the
 * remaining sequence numbers have no gaps.
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

/** Returns how many messages a service can still send today. International texts also have their own limit. */
export async function remainingToday(
  { db, clock, country: { limitCalendar } }: Platform,
  { id: service_id, daily_limits }: Pick<SendingService, 'id' | 'daily_limits'>,
  channel: Channel,
): Promise<{ messages: number; international: number | null }> {
  const utc_day = limitCalendar.day(clock.now());
  const left = async (limited: Channel | 'international_sms') =>
    Math.max(0, daily_limits[limited] - (await selectCount(db, { service_id, utc_day, channel: limited })));
  return { messages: await left(channel), international: channel === 'sms' ? await left('international_sms') : null };
}

interface LeftToday {
  limit: number;
  remaining: number;
}

/** The same for every limit of a service. */
export async function listRemainingToday(
  { db, clock, country: { limitCalendar } }: Platform,
  { id: service_id, daily_limits }: Pick<SendingService, 'id' | 'daily_limits'>,
): Promise<Record<LimitedChannel, LeftToday>> {
  const utc_day = limitCalendar.day(clock.now());
  const left = async (channel: LimitedChannel): Promise<LeftToday> => {
    const limit = daily_limits[channel];
    return { limit, remaining: Math.max(0, limit - (await selectCount(db, { service_id, utc_day, channel }))) };
  };
  return {
    email: await left('email'),
    sms: await left('sms'),
    letter: await left('letter'),
    international_sms: await left('international_sms'),
  };
}

/** Messages that count towards the limits of one day before they are stored. */
interface Reservation extends Reserved {
  service_id: string;
  utc_day: string;
  channel: Channel;
  /** How many of them also count towards the international limit. */
  international: number;
  /** The file that the messages belong to, if it is stored. */
  job?: string;
}

/** The limit with too little left. */
export interface ExceededLimit {
  channel: LimitedChannel;
  remaining: number;
  /** Set if an annual limit was exceeded instead of a daily one. */
  annual?: AnnualQuota;
}

/**
 * Reserves all messages or none; returns the limit that prevents it. Row locks make this exact under concurrency. They are taken in the
 * order of the statement that stores single messages (international first) and block it until the transaction ends, so reserve last. Annual
 * limits come after daily ones.
 */
export async function reserveMessages(
  tx: Tx,
  reservation: Reservation,
  limits: SendingService['daily_limits'],
  annual: readonly AnnualQuota[] = [],
): Promise<ExceededLimit | undefined> {
  const reserved: { channel: LimitedChannel; messages: number }[] = [];
  const day = { service_id: reservation.service_id, utc_day: reservation.utc_day };
  const undo = async () => {
    for (const { channel, messages } of reserved) await subtractFromCount(tx, { ...day, channel }, messages);
  };
  for (const part of countedOf(reservation)) {
    const ofChannel = { ...day, channel: part.channel };
    const limit = limits[part.channel];
    if (await addWithinLimit(tx, ofChannel, part.messages, limit)) {
      reserved.push(part);
      continue;
    }
    await undo();
    return { channel: part.channel, remaining: Math.max(0, limit - (await selectCount(tx, ofChannel))) };
  }
  const exceeded = await reserveInYears(tx, annual, reservation, reservation.job);
  if (!exceeded) return undefined;
  await undo();
  return { channel: reservation.channel, remaining: exceeded.remaining, annual: exceeded.quota };
}

/** Returns reserved messages that will not be sent. */
export async function returnMessages(tx: Tx, { service_id, utc_day, ...reservation }: Reservation): Promise<void> {
  const counted = countedOf(reservation);
  for (const { channel, messages } of counted) {
    await subtractFromCount(tx, { service_id, utc_day, channel }, messages);
  }
  if (counted.length > 0) await invalidateServiceCache(tx, service_id);
}

/** International texts are counted individually. */
function countedOf({
  channel,
  messages,
  parts,
  international,
}: Pick<Reservation, 'channel' | 'messages' | 'parts' | 'international'>) {
  const counted: { channel: LimitedChannel; messages: number }[] = [
    { channel: 'international_sms', messages: international },
    { channel, messages: parts ?? messages },
  ];
  return counted.filter((one) => one.messages > 0);
}
