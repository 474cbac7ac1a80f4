import { utcDay } from '../../platform/calendar.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Channel } from '../../protocol/channels.ts';
import type { LimitedChannel } from '../sending/notifications.sql.ts';
import type { SendingService } from '../sending/sending-service.ts';
import { selectCount } from './reserve-messages.sql.ts';

/** How many messages a service can still send today; those abroad have a limit of their own. */
export async function remainingToday(
  { db, clock }: Platform,
  { id: service_id, daily_limits }: Pick<SendingService, 'id' | 'daily_limits'>,
  channel: Channel,
): Promise<{ messages: number; international: number | null }> {
  const utc_day = utcDay(clock.now());
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
  { db, clock }: Platform,
  { id: service_id, daily_limits }: Pick<SendingService, 'id' | 'daily_limits'>,
): Promise<Record<LimitedChannel, LeftToday>> {
  const utc_day = utcDay(clock.now());
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
