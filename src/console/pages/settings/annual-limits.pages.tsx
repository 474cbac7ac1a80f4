import { Type } from 'typebox';
import type { Country } from '../../../countries/country.ts';
import { list, type Text, t, written } from '../../../language/text.ts';
import { annualQuotas, countUsed, endOfYear } from '../../../notifications/limits/annual-limits.ts';
import { type Channel, channels } from '../../../protocol/channels.ts';
import { updateService } from '../../../services/service-update.ts';
import type { Service } from '../../../services/services.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { count } from '../../money.ts';
import type { Pages } from '../../page.ts';
import { NumberField, readNumber, TypedValue } from '../../parts/value-fields.tsx';
import { addServiceSetting, operator } from './service-setting.ts';

const fields = {
  email: 'email_annual_limit',
  sms: 'sms_annual_limit',
  letter: 'letter_annual_limit',
} as const satisfies Record<Channel, keyof Service>;

/** What a service can send in a financial year, by channel. */
export function annualLimitPages(pages: Pages, app: ConsoleApp): void {
  addServiceSetting(pages, {
    path: annualLimitPath,
    who: operator,
    title: t('Limits a year'),
    lead: t('For each financial year. Leave a field empty for no limit.'),
    fields: (service, formState) => (
      <>
        {channels.map((channel) => (
          <NumberField
            key={channel}
            formState={formState}
            name={channel}
            label={t('{channel, select, email {Emails a year} sms {Texts a year} other {Letters a year}}', { channel })}
            value={service[fields[channel]] ?? undefined}
          />
        ))}
      </>
    ),
    form: Type.Object({
      email: Type.Optional(TypedValue),
      sms: Type.Optional(TypedValue),
      letter: Type.Optional(TypedValue),
    }),
    async save(service, form) {
      const limits = channels.map((channel) => {
        const typed = form[channel] ?? '';
        return [channel, typed === '' ? null : readNumber(typed, { field: channel })] as const;
      });
      await updateService(
        app,
        service.id,
        Object.fromEntries(limits.map(([channel, limit]) => [fields[channel], limit])),
      );
      return describeUsedUp(app, service.id, Object.fromEntries(limits) as Record<Channel, number | null>);
    },
  });
}

export const annualLimitPath = 'operator/annual-limit';

/** "Emails: 100,000, texts: none", for the summary. */
export function describeAnnualLimits(service: Service): Text {
  const limited = channels.filter((channel) => service[fields[channel]] !== null);
  if (limited.length === 0) return t('None');
  return list(
    limited.map((channel) =>
      t('{channel, select, email {Emails: {limit}} sms {Texts: {limit}} other {Letters: {limit}}}', {
        channel,
        limit: count(service[fields[channel]] ?? 0),
      }),
    ),
  );
}

/** A limit can be below what was sent. */
async function describeUsedUp(
  app: ConsoleApp,
  serviceId: string,
  limits: Record<Channel, number | null>,
): Promise<Text | undefined> {
  const now = app.clock.now();
  const annual_limits = [{ owner_kind: 'service' as const, owner_id: serviceId, limits }];
  const usedUp: Text[] = [];
  for (const quota of channels.flatMap((channel) => annualQuotas(app.country, { annual_limits }, channel, () => now))) {
    const used = await countUsed(app, quota);
    if (used > quota.limit) {
      const { channel } = quota;
      usedUp.push(
        t('{channel, select, email {{used} emails} sms {{used} texts} other {{used} letters}}', {
          channel,
          used: count(used),
        }),
      );
    }
  }
  if (usedUp.length === 0) return undefined;
  const end = firstDayOfNextYear(app.country, now);
  return t('Setting saved. The service has already sent {messages}, so it cannot send more until {day}.', {
    messages: list(usedUp),
    day: end,
  });
}

/** "1 April". */
export function firstDayOfNextYear(country: Country, now: Date): Text {
  const day = country.calendar.day(endOfYear(country, now));
  return written(({ dates }) => dates.write(day, { day: 'numeric', month: 'long' }));
}
