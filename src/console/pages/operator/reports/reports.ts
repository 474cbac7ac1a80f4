import type { Calendar, Days } from '../../../../countries/calendar.ts';
import type { Money } from '../../../../countries/money.ts';
import { capitalised, type Text, t } from '../../../../language/text.ts';
import type { Cell } from '../../../../platform/http/csv.ts';
import { type DateRangeQuery, daysOf, daysOfOneYear } from '../../../../statistics/days.ts';
import {
  listDailyProviderVolumes,
  listDailyVolumes,
  listDespatchedLetters,
  listLiveServices,
  listMonthsOfServices,
} from '../../../../statistics/platform-stats.ts';
import { listBills, listVolumesByService } from '../../../../statistics/service-costs.ts';
import { listActiveUsers } from '../../../../users/users.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import { unitOf } from '../../../money.ts';

export type Row = Record<string, Cell>;

export interface Report {
  name: string;
  title: Text;
  about: Text;
  /** Converts the two dates into a range. Omitted for a report about the present. */
  days?: (query: DateRangeQuery, calendar: Calendar) => Days;
  list(app: ConsoleApp, days: Days): Promise<Row[]>;
  /**
   * Column headings by the column's name in the download; those of amounts include the currency. Columns without a heading are only in the
   * download.
   */
  heads: Record<string, Text | { money: Text }>;
  numeric: string[];
  /** A chart of one figure: by day, or the largest values by name. */
  chart?: { kind: 'days' | 'largest'; by: string; of: string[]; title: Text | ((money: Money) => Text) };
}

const monthColumns = [
  'month',
  'service_id',
  'service_name',
  'notification_type',
  'sending',
  'delivered',
  'technical_failure',
  'temporary_failure',
  'permanent_failure',
  'sent',
] as const;

const texts = { sms_totals: t('Texts'), sms_fragment_totals: t('Parts'), sms_chargeable_units: t('Charged') };

export const reports: readonly Report[] = [
  {
    name: 'daily-volumes',
    title: t('Messages by day'),
    about: t('What was sent on each day, by channel.'),
    days: daysOf,
    list: async (app, days) => listDailyVolumes(app.db, days).then(asRows),
    heads: {
      day: t('Day'),
      email_totals: t('Emails'),
      ...texts,
      letter_totals: t('Letters'),
      letter_sheet_totals: t('Sheets'),
    },
    numeric: ['email_totals', ...Object.keys(texts), 'letter_totals', 'letter_sheet_totals'],
    chart: { kind: 'days', by: 'day', of: ['email_totals', 'sms_totals', 'letter_totals'], title: t('Messages a day') },
  },
  {
    name: 'text-providers',
    title: t('Texts by provider and day'),
    about: t('How many texts each provider sent, and what they cost without allowances.'),
    days: daysOf,
    list: async (app, days) => listDailyProviderVolumes(app, days).then(asRows),
    heads: { day: t('Day'), provider: t('Provider'), ...texts, sms_cost: { money: t('Cost') } },
    numeric: [...Object.keys(texts), 'sms_cost'],
    chart: { kind: 'largest', by: 'provider', of: ['sms_totals'], title: t('Texts by provider') },
  },
  {
    name: 'volumes-by-service',
    title: t('Messages by service'),
    about: t('What each live service has sent.'),
    days: daysOf,
    list: async (app, days) => listVolumesByService(app, days).then(asRows),
    heads: {
      service_name: t('Service'),
      organisation_name: t('Organisation'),
      email_totals: t('Emails'),
      sms_notifications: t('Texts'),
      sms_chargeable_units: t('Charged'),
      letter_totals: t('Letters'),
      letter_cost: { money: t('Letters') },
    },
    numeric: ['email_totals', 'sms_notifications', 'sms_chargeable_units', 'letter_totals', 'letter_cost'],
    chart: {
      kind: 'largest',
      by: 'service_name',
      of: ['email_totals', 'sms_notifications', 'letter_totals'],
      title: t('Messages of the services that send most'),
    },
  },
  {
    name: 'services-by-status',
    title: t('Messages by service and status'),
    about: t('What happened to the messages of live services, by month.'),
    days: daysOf,
    list: async (app, { first_day, last_day }) => {
      const lines = await listMonthsOfServices(app.db, { start_date: first_day, end_date: last_day });
      const read = JSON.parse(lines) as Cell[][];
      return read.map((line) => Object.fromEntries(monthColumns.map((column, index) => [column, line[index]])));
    },
    heads: {
      month: t('Month'),
      service_name: t('Service'),
      notification_type: t('Channel'),
      sending: t('Sending'),
      delivered: t('Delivered'),
      technical_failure: t('Technical'),
      temporary_failure: t('Temporary'),
      permanent_failure: t('Permanent'),
      sent: t('Sent'),
    },
    numeric: monthColumns.slice(4),
  },
  {
    name: 'billing',
    title: t('Bills'),
    about: t('What each service owes, within one financial year.'),
    days: (query, calendar) => daysOfOneYear(calendar, query),
    list: async (app, days) => listBills(app, days).then(asRows),
    heads: {
      service_name: t('Service'),
      organisation_name: t('Organisation'),
      sms_chargeable_units: t('Charged'),
      sms_cost: { money: t('Texts') },
      total_letters: t('Letters'),
      letter_cost: { money: t('Letters') },
      purchase_order_number: t('Purchase order'),
    },
    numeric: ['sms_chargeable_units', 'sms_cost', 'total_letters', 'letter_cost'],
    chart: {
      kind: 'largest',
      by: 'service_name',
      of: ['sms_cost', 'letter_cost'],
      title: (money) => t('{unit}, largest bills', { unit: capitalised(unitOf(money)) }),
    },
  },
  {
    name: 'printer-billing',
    title: t('Bill of the printer'),
    about: t('Letters that were posted, by day, postage and sheets, within one financial year.'),
    days: (query, calendar) => daysOfOneYear(calendar, query),
    list: async (app, days) => JSON.parse(await listDespatchedLetters(app, days)) as Row[],
    heads: {
      date: t('Day'),
      postage: t('Postage'),
      cost_threshold: t('Sorting'),
      sheets: t('Sheets'),
      rate: { money: t('Rate') },
      letters: t('Letters'),
      cost: { money: t('Cost') },
    },
    numeric: ['sheets', 'rate', 'letters', 'cost'],
    chart: { kind: 'largest', by: 'postage', of: ['letters'], title: t('Letters by postage') },
  },
  {
    name: 'live-services',
    title: t('Live services'),
    about: t('Who runs each live service, and what it has sent in this financial year.'),
    list: async (app) => listLiveServices(app).then(asRows),
    heads: {
      service_name: t('Service'),
      organisation_name: t('Organisation'),
      contact_name: t('Contact'),
      live_date: t('Live since'),
      email_totals: t('Emails'),
      sms_totals: t('Texts'),
      letter_totals: t('Letters'),
    },
    numeric: ['email_totals', 'sms_totals', 'letter_totals'],
  },
  {
    name: 'users',
    title: t('People'),
    about: t('Active people who were added on these days, with their services.'),
    days: daysOf,
    list: async (app, { first_day, last_day }) => {
      const users = await listActiveUsers(app, { created_start: first_day, created_end: last_day });
      return users.map(({ name, email_address, created_at, logged_in_at, services, platform_admin }) => ({
        name,
        email_address,
        created_at,
        logged_in_at,
        platform_admin,
        services: services.map((service) => service.name).join(', '),
      }));
    },
    heads: {
      name: t('Name'),
      email_address: t('Email address'),
      services: t('Services'),
      logged_in_at: t('Last signed in'),
    },
    numeric: [],
  },
];

function asRows(rows: readonly object[]): Row[] {
  return rows as Row[];
}
