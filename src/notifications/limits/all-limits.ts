import { addDays } from '../../countries/calendar.ts';
import { type Timestamp, timestamp } from '../../platform/clock.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Channel } from '../../protocol/channels.ts';
import type { TextUnit } from '../../services/settings/text-unit.ts';
import type { SendingService } from '../sending/sending-service.ts';
import { selectYearCount, type YearOfLimit } from './annual-limits.sql.ts';
import { annualQuotas, endOfYear } from './annual-limits.ts';
import { countsParts, listRemainingToday } from './daily-limits.ts';

interface Used {
  limit: number;
  used: number;
  remaining: number;
  resets_at: Timestamp;
}

interface LimitsOfChannel {
  /** The unit of the service's daily and annual limits. Organisations count messages. */
  unit: TextUnit;
  day: Used;
  /** Null if there is no limit. */
  year: Used | null;
  year_of_organisation: Used | null;
}

/** Returns how many messages a service can still send today within every limit. For texts, assumes this many parts each. */
export async function countLeft(
  app: Platform,
  service: Pick<SendingService, 'id' | 'daily_limits' | 'annual_limits' | 'text_unit'>,
  channel: Channel,
  parts: number,
): Promise<number> {
  const now = app.clock.now();
  const { remaining } = (await listRemainingToday(app, service))[channel];
  const left = [countsParts(app.country, service, channel, now) ? remaining / parts : remaining];
  for (const quota of annualQuotas(app.country, service, channel, () => now)) {
    const ofYear = Math.max(0, quota.limit - (await selectYearCount(app.db, quota)));
    left.push(quota.unit === 'parts' ? ofYear / parts : ofYear);
  }
  return Math.floor(Math.min(...left));
}

/** Returns what a service has used and can still send, by channel. */
export async function listLimits(
  app: Platform,
  service: Pick<SendingService, 'id' | 'daily_limits' | 'annual_limits' | 'text_unit'>,
): Promise<Record<Channel, LimitsOfChannel>> {
  const now = app.clock.now();
  const { limitCalendar } = app.country;
  const tomorrow = timestamp(limitCalendar.start(addDays(limitCalendar.day(now), 1)));
  const nextYear = timestamp(endOfYear(app.country, now));
  const days = await listRemainingToday(app, service);
  const ofChannel = async (channel: Channel): Promise<LimitsOfChannel> => {
    const { limit, remaining } = days[channel];
    const quotas = annualQuotas(app.country, service, channel, () => now);
    const yearOf = async (kind: YearOfLimit['owner_kind']): Promise<Used | null> => {
      const quota = quotas.find(({ owner_kind }) => owner_kind === kind);
      if (!quota) return null;
      const used = await selectYearCount(app.db, quota);
      return { limit: quota.limit, used, remaining: Math.max(0, quota.limit - used), resets_at: nextYear };
    };
    return {
      unit: countsParts(app.country, service, channel, now) ? 'parts' : 'messages',
      // If a limit was lowered, more than the limit may have been sent.
      day: { limit, used: limit - remaining, remaining, resets_at: tomorrow },
      year: await yearOf('service'),
      year_of_organisation: await yearOf('organisation'),
    };
  };
  return { sms: await ofChannel('sms'), email: await ofChannel('email'), letter: await ofChannel('letter') };
}
