import type { Tx } from '../../platform/db/database.ts';
import type { Channel } from '../../protocol/channels.ts';
import type { LimitedChannel } from '../sending/notifications.sql.ts';
import type { SendingService } from '../sending/sending-service.ts';
import { addWithinLimit, announceLowerCounts, selectCount, subtractFromCount } from './reserve-messages.sql.ts';

/** Messages of a service that count towards the limits of one day before they are stored. */
interface Reservation {
  service_id: string;
  utc_day: string;
  channel: Channel;
  messages: number;
  /** How many of them also count towards the international limit. */
  international: number;
}

/** The limit that has too little left. */
export interface ExceededLimit {
  channel: LimitedChannel;
  remaining: number;
}

/**
 * Reserves all messages or none; returns the limit that prevents it. The row locks make this exact under concurrency. They
 * are taken in the order of the statement that stores single messages (international first), and block it until the
 * transaction ends: reserve last.
 */
export async function reserveMessages(
  tx: Tx,
  reservation: Reservation,
  limits: SendingService['daily_limits'],
): Promise<ExceededLimit | undefined> {
  const reserved: { channel: LimitedChannel; messages: number }[] = [];
  for (const part of partsOf(reservation)) {
    const day = { service_id: reservation.service_id, utc_day: reservation.utc_day, channel: part.channel };
    const limit = limits[part.channel];
    if (await addWithinLimit(tx, day, part.messages, limit)) {
      reserved.push(part);
      continue;
    }
    for (const { channel, messages } of reserved) await subtractFromCount(tx, { ...day, channel }, messages);
    return { channel: part.channel, remaining: Math.max(0, limit - (await selectCount(tx, day))) };
  }
  return undefined;
}

/** Gives back messages that are not sent after all. */
export async function returnMessages(tx: Tx, { service_id, utc_day, ...reservation }: Reservation): Promise<void> {
  const parts = partsOf(reservation);
  for (const { channel, messages } of parts) {
    await subtractFromCount(tx, { service_id, utc_day, channel }, messages);
  }
  if (parts.length > 0) await announceLowerCounts(tx, service_id);
}

function partsOf({ channel, messages, international }: Pick<Reservation, 'channel' | 'messages' | 'international'>) {
  const parts: { channel: LimitedChannel; messages: number }[] = [
    { channel: 'international_sms', messages: international },
    { channel, messages },
  ];
  return parts.filter((part) => part.messages > 0);
}
