import { addDays } from '../../countries/calendar.ts';
import { formatted, type Text, t } from '../../language/text.ts';
import { timestamp } from '../../platform/clock.ts';
import { inTransaction, type Tx } from '../../platform/db/database.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Urls } from '../../platform/settings.ts';
import { type AccountMessageSender, accountTemplates } from '../../users/account-messages/account-messages.ts';
import { manages } from '../../users/members/permissions.ts';
import { pageUrl } from '../../users/sign-in/link-tokens.ts';
import type { LimitedChannel } from '../notification.ts';
import { endOfYear, startOfYear } from './annual-limits.ts';
import {
  claimNotice,
  type ReachedLimit,
  selectNoticeRecipients,
  selectOwnerName,
  selectReachedLimits,
  selectUsedRatios,
} from './limit-notices.sql.ts';

type Deps = Platform & { config: { urls: Urls }; accountMessages: AccountMessageSender };

/**
 * Notifies people once when 80 % of a daily or annual limit is used, and once when it is used up. If both happen at once, for example
 * through a file, only the second notice is sent. Runs in a task, so that accepting messages does not become slower.
 */
export async function sendLimitNotices(app: Deps): Promise<void> {
  const now = app.clock.now();
  const { calendar, limitCalendar } = app.country;
  const sent = app.metrics.counter('limit_notices_total', 'Limits of which people were told', ['period', 'level']);
  const today = { utc_day: limitCalendar.day(now), year_start: startOfYear(calendar, now) };
  for (const reached of await selectReachedLimits(app.db, today)) {
    const isSent = await inTransaction(app.db, async (tx) => {
      if (!(await claimNotice(tx, reached, timestamp(now)))) return false;
      await sendNotice(app, tx, reached, now);
      return true;
    });
    if (!isSent) continue;
    const { owner_kind, owner_id, channel, period, level } = reached;
    sent.inc({ period, level: String(level) });
    app.log.info({ event: 'limit.reached', owner_kind, owner_id, channel, period, level }, 'A limit is nearly used');
  }
}

/** Sends the notice as the platform service, so that it does not count towards the limit. */
async function sendNotice(app: Deps, tx: Tx, reached: ReachedLimit, now: Date): Promise<void> {
  const { level, channel, unit, period, used, limit } = reached;
  const owner_name = await selectOwnerName(tx, reached);
  for (const { name, email_address, permissions, is_member } of await selectNoticeRecipients(tx, reached)) {
    if (!is_member && !permissions.some(manages)) continue;
    await app.accountMessages.send(tx, {
      template_id: level === 100 ? accountTemplates.limitReached : accountTemplates.limitNear,
      to: email_address,
      personalisation: {
        ...{ name, owner_name, messages: unit === 'parts' ? t('parts of texts') : messageLabels[channel] },
        used: formatted((language) => language.count(used)),
        limit: formatted((language) => language.count(limit)),
        period: period === 'day' ? t('today') : t('this year'),
        end: describeEnd(app, period, now),
        url: pageUrl(app.config.urls.admin, pathOf(reached)),
      },
    });
  }
}

const messageLabels: Record<LimitedChannel, Text> = {
  sms: t('texts'),
  email: t('emails'),
  letter: t('letters'),
  international_sms: t('texts to other countries'),
};

function describeEnd(
  { country: { calendar, limitCalendar }, country }: Deps,
  period: ReachedLimit['period'],
  now: Date,
): Text {
  const longDate = (moment: Date) => formatted(({ dates }) => dates.long(calendar.day(moment)));
  if (period === 'year') return longDate(endOfYear(country, now));
  const midnight = limitCalendar.start(addDays(limitCalendar.day(now), 1));
  return t('{time} on {day}', { time: calendar.time(midnight).slice(11, 16), day: longDate(midnight) });
}

function pathOf({ owner_kind, owner_id }: ReachedLimit): string {
  return owner_kind === 'service' ? `/services/${owner_id}/usage` : `/organisations/${owner_id}`;
}

/** Registers metrics that are read at each scrape. */
export function measureLimits({ metrics, db, country, clock }: Platform): void {
  metrics.distribution(
    'annual_limit_used_ratio',
    'Services by how much of their limit of the year they have used',
    ['channel'],
    [0.5, 0.8, 0.9, 0.99, 1],
    async () =>
      (await selectUsedRatios(db, startOfYear(country.calendar, clock.now()))).map(({ channel, ratio }) => ({
        labels: { channel },
        value: ratio,
      })),
  );
}
