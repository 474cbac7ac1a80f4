import { getAllowance, mentionedAllowance } from '../../../billing/allowance.ts';
import { findKnownPrices } from '../../../billing/rates.ts';
import { listMonthlyUsage, listYearlyUsage } from '../../../billing/usage.ts';
import { addDays, type Days } from '../../../countries/calendar.ts';
import type { Country } from '../../../countries/country.ts';
import type { Money } from '../../../countries/money.ts';
import { english } from '../../../language/language.ts';
import { T } from '../../../language/sentence.tsx';
import { formatted, type Text, t } from '../../../language/text.ts';
import { annualQuotas, countUsed } from '../../../notifications/limits/annual-limits.ts';
import { findZoneChange } from '../../../operations/country/change-country.ts';
import { channels } from '../../../protocol/channels.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { pageUrl } from '../../links.ts';
import { channelLabels, postageName } from '../../message-labels.ts';
import { count, several } from '../../money.ts';
import type { Pages } from '../../page.ts';
import { Empty, NoPrices } from '../../parts/notice.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { chosenYear, FinancialYears, monthLabel, yearLabel } from '../../parts/tabs.tsx';
import { shortDay } from '../../parts/time.tsx';
import { firstDayOfNextYear } from '../settings/annual-limits.pages.tsx';

/** What a service has sent in a financial year, and its cost. */
export function usagePages(pages: Pages, app: ConsoleApp): void {
  pages.add('/services/:service_id/usage', {
    who: { service: 'manage', organisation: true },
    menu: 'Usage',
    async show({ service, visitor, query }) {
      const now = app.clock.now();
      const year = chosenYear(app.country.calendar, query('year'), now);
      const [totals, months, { free_sms_fragment_limit }, known, zoneChange] = await Promise.all([
        listYearlyUsage(app, service.id, year),
        listMonthlyUsage(app, service.id, year),
        getAllowance(app.country, app.db, service.id, year, now),
        findKnownPrices(app),
        findZoneChange(app.db),
      ]);
      const limits = year === app.country.calendar.financialYear(now) ? await limitsOf(app, service.id) : [];
      const hasPrices = known.sms || known.letter;
      const { first_day, last_day } = app.country.calendar.financialYearDays(year);
      const changed = zoneChange && zoneChange.first_day > first_day && zoneChange.first_day <= last_day;
      return {
        title: t('Usage'),
        lead: yearLabel(app.country.calendar, year),
        actions: <FinancialYears year={year} path={pageUrl(`/services/${service.id}/usage`)} now={now} />,
        content: (
          <div class="stack stack--loose">
            {!hasPrices && <NoPrices visitor={visitor} />}
            {limits.length > 0 && <YearlyLimits country={app.country} now={now} limits={limits} />}
            <Usage
              country={app.country}
              totals={totals}
              year={app.country.calendar.financialYearMonths(year)}
              months={months}
              free={mentionedAllowance(app.country, free_sms_fragment_limit)}
              money={hasPrices ? app.country.money : undefined}
            />
            {changed && <p class="small muted">{daysBefore(zoneChange)}</p>}
          </div>
        ),
      };
    },
  });
}

/** "Until 3 Nov 2026, days are London days." */
function daysBefore({ first_day, old_zone }: { first_day: string; old_zone: string }): string {
  const city = old_zone.replace(/^.*\//, '').replaceAll('_', ' ');
  return t('Until {day}, days follow the time in {city}.', { day: shortDay(addDays(first_day, -1)), city });
}

interface YearlyLimit {
  name: Text;
  used: number;
  limit: number;
}

/** The annual limits of the service and its organisation. */
async function limitsOf(app: ConsoleApp, serviceId: string): Promise<YearlyLimit[]> {
  const service = await app.sending.services.find(serviceId);
  if (!service || service.annual_limits.length === 0) return [];
  const now = app.clock.now();
  const quotas = channels.flatMap((channel) => annualQuotas(app.country, service, channel, () => now));
  return Promise.all(
    quotas.map(async (quota) => {
      const { names } = channelLabels[quota.channel];
      const isOwn = quota.owner_kind === 'service';
      const ownNames = quota.unit === 'parts' ? t('Parts of texts') : names;
      const name = isOwn
        ? ownNames
        : t(
            '{channel, select, email {Emails of your organisation} sms {Texts of your organisation} other {Letters of your organisation}}',
            { channel: quota.channel },
          );
      return { name, used: await countUsed(app, quota), limit: quota.limit };
    }),
  );
}

function YearlyLimits({ country, now, limits }: { country: Country; now: Date; limits: YearlyLimit[] }) {
  return (
    <section class="card stack" aria-labelledby="limits">
      <h2 id="limits">{t('Left until {day}', { day: firstDayOfNextYear(country, now) })}</h2>
      {limits.map(({ name, used, limit }) => (
        <div class="stack stack--tight" key={name}>
          <p>
            <T>
              <b>{{ name }}</b>: {{ left: count(Math.max(0, limit - used)) }} of {{ limit: count(limit) }} left
            </T>
          </p>
          <progress
            class="meter"
            max={Math.max(1, limit)}
            value={Math.min(used, limit)}
            aria-label={t('Used of the limit: {name}', { name })}
          />
        </div>
      ))}
    </section>
  );
}

type Total = Awaited<ReturnType<typeof listYearlyUsage>>[number];
type Month = Awaited<ReturnType<typeof listMonthlyUsage>>[number];

interface UsageProps {
  country: Country;
  year: Days[];
  totals: Total[];
  months: Month[];
  /** The free parts of texts per year; undefined if no service has an allowance. */
  free: number | undefined;
  /** The currency of the amounts; undefined if there are no prices. */
  money: Money | undefined;
}

function Usage({ country, year, totals, months, free, money }: UsageProps) {
  const of = (type: Total['notification_type']) => totals.find((total) => total.notification_type === type);
  const [email, sms, letter] = [of('email'), of('sms'), of('letter')];
  const cost = totals.reduce((sum, total) => sum + total.cost, 0);
  const used = sms?.free_allowance_used ?? 0;
  const names = new Map(year.map((days) => [monthName(days.first_day), nameOfMonth(days)]));
  return (
    <div class="stack stack--loose">
      <dl class="stats">
        <Figure label={t('Emails sent')} value={count(email?.notifications_sent ?? 0)} note={t('free')} />
        <Figure
          label={t('Texts sent')}
          value={count(sms?.notifications_sent ?? 0)}
          note={several(sms?.chargeable_units ?? 0, 'part')}
        />
        {free !== undefined && (
          <Figure
            label={t('Free parts left')}
            value={count(Math.max(0, free - used))}
            note={t('of {free} this year', { free: count(free) })}
          />
        )}
        <Figure
          label={t('Letters sent')}
          value={count(letter?.notifications_sent ?? 0)}
          note={money?.total(letter?.cost ?? 0)}
        />
        {money && (
          <Figure
            label={t('Cost')}
            value={money.total(cost)}
            note={t('texts {amount}', { amount: money.total(sms?.cost ?? 0) })}
          />
        )}
      </dl>
      <section class="stack" aria-labelledby="by-month">
        <h2 id="by-month">{t('By month')}</h2>
        {months.length === 0 ? (
          <Empty title={money ? t('No costs yet') : t('Nothing sent yet')}>
            {t('No texts or letters were sent this year.')}
          </Empty>
        ) : (
          <Table
            caption={
              money ? t('Texts and letters by month, rate and postage') : t('Texts and letters by month and postage')
            }
            rows={months}
            keyOf={({ month, notification_type, rate, postage }) => `${month} ${notification_type} ${rate} ${postage}`}
            columns={[
              { head: t('Month'), cell: ({ month }) => names.get(month) ?? month },
              { head: t('Sent'), cell: (row) => <Sent country={country} row={row} /> },
              ...(free === undefined ? [] : [{ head: t('Free'), cell: freeParts, numeric: true as const }]),
              { head: t('Charged'), cell: ({ charged_units }) => count(charged_units), numeric: true },
              ...(money ? amounts(money) : []),
            ]}
          />
        )}
        <p class="small muted">
          {t(
            'A long text has several parts, and a text to another country counts as more than one part. Emails are free.',
          )}
          {money && <> {t('Prices are those of the day a message was sent.')}</>}
        </p>
      </section>
    </div>
  );
}

/** The month name as the API writes it. */
const monthName = (day: string) => english.dates.write(day, { month: 'long' });

function nameOfMonth(days: Days): Text {
  return isWithinMonths(days)
    ? monthLabel(days)
    : formatted(({ dates }) => dates.write(days.first_day, { month: 'long' }));
}

/** Whether financial months start within a calendar month, so that they need their days to be clear. */
function isWithinMonths({ first_day }: Days): boolean {
  return !first_day.endsWith('-01');
}

/** A channel may have no prices while the other has some. */
function amounts(money: Money): Column<Month>[] {
  return [
    {
      head: t('Rate'),
      cell: ({ rate, price_known = true }) => (price_known || rate > 0 ? money.price(rate) : '–'),
      numeric: true,
    },
    { head: t('Cost'), cell: (row) => formatCost(money, row), numeric: true },
  ];
}

/** Texts to other countries count as domestic texts until there are rates for them. */
function formatCost(money: Money, { cost, price_known }: Month): string {
  if (price_known !== false) return money.total(cost);
  return cost > 0 ? t('at least {amount}', { amount: money.total(cost) }) : '–';
}

function Figure({ label, value, note }: { label: string; value: string; note: string | undefined }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd class="figure-mid">{value}</dd>
      {note !== undefined && <dd>{note}</dd>}
    </div>
  );
}

function Sent({ country, row }: { country: Country; row: Month }) {
  const { notification_type, notifications_sent, postage } = row;
  if (notification_type === 'letter') {
    return (
      <>
        {several(notifications_sent, 'letter')}
        <small>{postage && postageName(country, postage)}</small>
      </>
    );
  }
  return (
    <>
      {several(notifications_sent, 'text')}
      <small>{several(row.chargeable_units, 'part')}</small>
    </>
  );
}

function freeParts({ notification_type, free_allowance_used }: Month): string {
  return notification_type === 'sms' ? count(free_allowance_used) : '–';
}
