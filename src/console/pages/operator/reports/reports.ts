import type { Calendar, Days } from '../../../../countries/calendar.ts';
import type { Money } from '../../../../countries/money.ts';
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

export type Row = Record<string, Cell>;

export interface Report {
  name: string;
  title: string;
  about: string;
  /** What the two dates mean; without them, the report is of now. */
  days?: (query: DateRangeQuery, calendar: Calendar) => Days;
  list(app: ConsoleApp, days: Days): Promise<Row[]>;
  /**
   * The heads of the table, by the column's name in the download; those of amounts name the currency. Other columns are
   * only in the download.
   */
  heads: Record<string, string | { money: string }>;
  numeric: string[];
  /** A picture of one figure: by day, or the largest by name. */
  chart?: { kind: 'days' | 'largest'; by: string; of: string[]; title: string | ((money: Money) => string) };
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

const texts = { sms_totals: 'Texts', sms_fragment_totals: 'Parts', sms_chargeable_units: 'Charged' };

/** Every report of the operator. */
export const reports: readonly Report[] = [
  {
    name: 'daily-volumes',
    title: 'Messages by day',
    about: 'What was sent on each day, by channel.',
    days: daysOf,
    list: async (app, days) => listDailyVolumes(app.db, days).then(asRows),
    heads: { day: 'Day', email_totals: 'Emails', ...texts, letter_totals: 'Letters', letter_sheet_totals: 'Sheets' },
    numeric: ['email_totals', ...Object.keys(texts), 'letter_totals', 'letter_sheet_totals'],
    chart: { kind: 'days', by: 'day', of: ['email_totals', 'sms_totals', 'letter_totals'], title: 'Messages a day' },
  },
  {
    name: 'text-providers',
    title: 'Texts by provider and day',
    about: 'What each provider was given, and what it costs without allowances.',
    days: daysOf,
    list: async (app, days) => listDailyProviderVolumes(app, days).then(asRows),
    heads: { day: 'Day', provider: 'Provider', ...texts, sms_cost: { money: 'Cost' } },
    numeric: [...Object.keys(texts), 'sms_cost'],
    chart: { kind: 'largest', by: 'provider', of: ['sms_totals'], title: 'Texts by provider' },
  },
  {
    name: 'volumes-by-service',
    title: 'Messages by service',
    about: 'What each live service has sent.',
    days: daysOf,
    list: async (app, days) => listVolumesByService(app, days).then(asRows),
    heads: {
      service_name: 'Service',
      organisation_name: 'Organisation',
      email_totals: 'Emails',
      sms_notifications: 'Texts',
      sms_chargeable_units: 'Charged',
      letter_totals: 'Letters',
      letter_cost: { money: 'Letters' },
    },
    numeric: ['email_totals', 'sms_notifications', 'sms_chargeable_units', 'letter_totals', 'letter_cost'],
    chart: {
      kind: 'largest',
      by: 'service_name',
      of: ['email_totals', 'sms_notifications', 'letter_totals'],
      title: 'Messages of the services that send most',
    },
  },
  {
    name: 'services-by-status',
    title: 'Messages by service and status',
    about: 'What became of the messages of live services, by month.',
    days: daysOf,
    list: async (app, { first_day, last_day }) => {
      const lines = await listMonthsOfServices(app.db, { start_date: first_day, end_date: last_day });
      const read = JSON.parse(lines) as Cell[][];
      return read.map((line) => Object.fromEntries(monthColumns.map((column, index) => [column, line[index]])));
    },
    heads: {
      month: 'Month',
      service_name: 'Service',
      notification_type: 'Channel',
      sending: 'Sending',
      delivered: 'Delivered',
      technical_failure: 'Technical',
      temporary_failure: 'Temporary',
      permanent_failure: 'Permanent',
      sent: 'Sent',
    },
    numeric: monthColumns.slice(4),
  },
  {
    name: 'billing',
    title: 'Bills',
    about: 'What each service owes, within one financial year.',
    days: (query, calendar) => daysOfOneYear(calendar, query),
    list: async (app, days) => listBills(app, days).then(asRows),
    heads: {
      service_name: 'Service',
      organisation_name: 'Organisation',
      sms_chargeable_units: 'Charged',
      sms_cost: { money: 'Texts' },
      total_letters: 'Letters',
      letter_cost: { money: 'Letters' },
      purchase_order_number: 'Purchase order',
    },
    numeric: ['sms_chargeable_units', 'sms_cost', 'total_letters', 'letter_cost'],
    chart: {
      kind: 'largest',
      by: 'service_name',
      of: ['sms_cost', 'letter_cost'],
      title: ({ unit }) => `${unit.charAt(0).toUpperCase()}${unit.slice(1)}, largest bills`,
    },
  },
  {
    name: 'printer-billing',
    title: 'Bill of the printer',
    about: 'Letters that were posted, by day, postage and sheets, within one financial year.',
    days: (query, calendar) => daysOfOneYear(calendar, query),
    list: async (app, days) => JSON.parse(await listDespatchedLetters(app, days)) as Row[],
    heads: {
      date: 'Day',
      postage: 'Postage',
      cost_threshold: 'Sorting',
      sheets: 'Sheets',
      rate: { money: 'Rate' },
      letters: 'Letters',
      cost: { money: 'Cost' },
    },
    numeric: ['sheets', 'rate', 'letters', 'cost'],
    chart: { kind: 'largest', by: 'postage', of: ['letters'], title: 'Letters by postage' },
  },
  {
    name: 'live-services',
    title: 'Live services',
    about: 'Who runs them, and what they have sent in this financial year.',
    list: async (app) => listLiveServices(app).then(asRows),
    heads: {
      service_name: 'Service',
      organisation_name: 'Organisation',
      contact_name: 'Contact',
      live_date: 'Live since',
      email_totals: 'Emails',
      sms_totals: 'Texts',
      letter_totals: 'Letters',
    },
    numeric: ['email_totals', 'sms_totals', 'letter_totals'],
  },
  {
    name: 'users',
    title: 'People',
    about: 'Active people who were added on these days, with their services.',
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
    heads: { name: 'Name', email_address: 'Email address', services: 'Services', logged_in_at: 'Last signed in' },
    numeric: [],
  },
];

function asRows(rows: readonly object[]): Row[] {
  return rows as Row[];
}
