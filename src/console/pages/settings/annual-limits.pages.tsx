import { Type } from 'typebox';
import type { Country } from '../../../countries/country.ts';
import { formatted, list, type Text, t } from '../../../language/text.ts';
import { annualQuotas, countUsed, endOfYear } from '../../../notifications/limits/annual-limits.ts';
import { type Channel, channels } from '../../../protocol/channels.ts';
import { OneOf } from '../../../protocol/fields.ts';
import { updateService } from '../../../services/service-update.ts';
import { getService, type Service } from '../../../services/services.ts';
import { textUnits } from '../../../services/settings/text-unit.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { count, several } from '../../money.ts';
import type { Pages } from '../../page.ts';
import { Choices } from '../../parts/field.tsx';
import { NumberField, readNumber, TypedValue } from '../../parts/value-fields.tsx';
import { addServiceSetting, operator } from './service-setting.ts';

const fields = {
  email: 'email_annual_limit',
  sms: 'sms_annual_limit',
  letter: 'letter_annual_limit',
} as const satisfies Record<Channel, keyof Service>;

/** What a service can send in a financial year, by channel. */
export function annualLimitPages(pages: Pages, app: ConsoleApp): void {
  addTextUnit(pages, app);
  addServiceSetting(pages, {
    path: annualLimitPath,
    who: operator,
    title: t('Annual limits'),
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
export const textUnitPath = 'operator/text-unit';

const unitNames = { messages: t('Texts'), parts: t('Parts of texts') };

/** "Parts of texts", and from when, if that is not today. */
export function describeTextUnit({ country, clock }: ConsoleApp, service: Service): Text {
  const { sms_limit_unit, sms_limit_unit_from: from } = service;
  const today = country.limitCalendar.day(clock.now());
  if (from === null || from <= today) return unitNames[sms_limit_unit];
  return sms_limit_unit === 'parts'
    ? t('Texts, and parts of texts from tomorrow')
    : t('Parts of texts, and texts from tomorrow');
}

/** What the limits of texts of a service count. */
function addTextUnit(pages: Pages, app: ConsoleApp): void {
  addServiceSetting(pages, {
    path: textUnitPath,
    who: operator,
    title: t('What limits on texts count'),
    lead: t('A long text is sent in several parts. A change applies from tomorrow, to daily and annual limits.'),
    fields: (service, formState) => (
      <Choices
        formState={formState}
        name="unit"
        legend={t('What limits on texts count')}
        choices={[
          { value: 'messages', label: unitNames.messages, hint: t('However long they are.') },
          { value: 'parts', label: unitNames.parts, hint: t('As they are billed.') },
        ]}
        kind="one"
        chosen={[service.sms_limit_unit]}
      />
    ),
    form: Type.Object({ unit: OneOf(textUnits) }),
    needs: { unit: t('Choose what limits count.') },
    async save(service, { unit: sms_limit_unit }) {
      await updateService(app, service.id, { sms_limit_unit });
      return undefined;
    },
  });
}

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
  const { sms_limit_unit, sms_limit_unit_from } = await getService(app.db, serviceId);
  const text_unit = { sms_limit_unit, sms_limit_unit_from };
  const annual_limits = [{ owner_kind: 'service' as const, owner_id: serviceId, limits }];
  const usedUp: Text[] = [];
  for (const quota of channels.flatMap((channel) =>
    annualQuotas(app.country, { annual_limits, text_unit }, channel, () => now),
  )) {
    const used = await countUsed(app, quota);
    if (used > quota.limit) {
      const { channel } = quota;
      usedUp.push(
        quota.unit === 'parts'
          ? several(used, 'part')
          : t('{channel, select, email {{used} emails} sms {{used} texts} other {{used} letters}}', {
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
  return formatted(({ dates }) => dates.write(day, { day: 'numeric', month: 'long' }));
}
