import contentDisposition from 'content-disposition';
import { type TObject, type TSchema, Type } from 'typebox';
import type { Days } from '../countries/calendar.ts';
import type { PrintSettings } from '../letters/settings.ts';
import { fromStandby } from '../platform/db/servers/standby.ts';
import { type Cell, csvText, prefersCsv } from '../platform/http/csv.ts';
import type { Http } from '../platform/http/surface.ts';
import type { Platform } from '../platform/platform.ts';
import { Data, Day, Nullable, OneOf, Uuid } from '../protocol/fields.ts';
import { type DateRangeQuery, daysOf, daysOfOneYear, daysUpTo } from './days.ts';
import {
  countNotifications,
  listDailyProviderVolumes,
  listDailyVolumes,
  listDespatchedLetters,
  listLiveServices,
  listMonthsOfServices,
} from './platform-stats.ts';
import { listBills, listVolumesByService } from './service-costs.ts';

// Accepts any value, because days.ts validates dates in a fixed order.
const date = (description: string) =>
  Type.Optional(Type.Unsafe<unknown>({ description: `YYYY-MM-DD, ${description}` }));
const LondonDay = Type.String({ description: 'YYYY-MM-DD in London' });
const OrganisationId = Type.String({ description: 'Empty if the service has no organisation' });

const Counters = Type.Object({
  total: Type.Integer(),
  delivered: Type.Integer(),
  failed: Type.Integer(),
  requested: Type.Integer(),
  'technical-failure': Type.Integer(),
  'temporary-failure': Type.Integer(),
  'permanent-failure': Type.Integer(),
});

export function platformStatsRoutes(http: Http, app: Platform & { config: { letters: PrintSettings } }): void {
  const { currency, currencyField } = app.country.money;
  const Amount = Type.Number({ description: currency });
  /** Outside GBP, every row with an amount has a currency field. */
  const amounts = 'currency' in currencyField ? currencyField : undefined;
  http.get(
    '/platform-stats',
    {
      schema: {
        summary: 'Count accepted messages by type and outcome',
        querystring: Type.Object({ start_date: date('defaults to today'), end_date: date('defaults to today') }),
        response: { 200: Type.Object({ email: Counters, sms: Counters, letter: Counters }) },
      },
    },
    async (request) => {
      const days = daysUpTo(app.country.calendar.day(app.clock.now()), request.query);
      return fromStandby(app, 'page', ({ db }) => countNotifications(db, days));
    },
  );

  report(http, app, {
    name: 'data-for-billing-report',
    summary: 'Billable costs by service',
    days: (query) => daysOfOneYear(app.country.calendar, query),
    list: listBills,
    amounts,
    row: Type.Object({
      organisation_id: OrganisationId,
      organisation_name: Type.String(),
      service_id: Uuid,
      service_name: Type.String(),
      sms_cost: Amount,
      sms_chargeable_units: Type.Integer({ description: 'Fragments beyond the free allowance' }),
      total_letters: Type.Integer(),
      letter_cost: Amount,
      letter_breakdown: Type.String({ description: 'One line per postage and price' }),
      purchase_order_number: Nullable(Type.String()),
      contact_names: Nullable(Type.String()),
      contact_email_addresses: Nullable(Type.String()),
      billing_reference: Nullable(Type.String()),
    }),
  });

  report(http, app, {
    name: `data-for-${app.config.letters.printer}-billing-report`,
    summary: 'Despatched letters by day, postage, sheets and rate',
    days: (query) => daysOfOneYear(app.country.calendar, query),
    list: listDespatchedLetters,
    amounts,
    row: Type.Object({
      date: LondonDay,
      postage: Type.String(),
      cost_threshold: OneOf(['sorted', 'unsorted']),
      sheets: Type.Integer({ description: 'Per letter' }),
      rate: Amount,
      letters: Type.Integer(),
      cost: Amount,
    }),
  });

  report(http, app, {
    name: 'daily-volumes-report',
    summary: 'Messages sent by day',
    days: daysOf,
    list: ({ db }, days) => listDailyVolumes(db, days),
    row: Type.Object({
      day: LondonDay,
      sms_totals: Type.Integer(),
      sms_fragment_totals: Type.Integer(),
      sms_chargeable_units: Type.Integer({ description: 'Fragments times the destination’s rate multiplier' }),
      email_totals: Type.Integer(),
      letter_totals: Type.Integer(),
      letter_sheet_totals: Type.Integer(),
    }),
  });

  report(http, app, {
    name: 'daily-sms-provider-volumes-report',
    summary: 'Text messages by day and provider',
    days: daysOf,
    list: listDailyProviderVolumes,
    amounts,
    row: Type.Object({
      day: LondonDay,
      provider: Type.String(),
      sms_totals: Type.Integer(),
      sms_fragment_totals: Type.Integer(),
      sms_chargeable_units: Type.Integer({ description: 'Fragments times the destination’s rate multiplier' }),
      sms_cost: Amount,
    }),
  });

  report(http, app, {
    name: 'volumes-by-service',
    summary: 'Messages sent by live service',
    days: daysOf,
    list: listVolumesByService,
    amounts,
    row: Type.Object({
      service_name: Type.String(),
      service_id: Uuid,
      organisation_name: Type.String(),
      organisation_id: OrganisationId,
      free_allowance: Type.Integer(),
      sms_notifications: Type.Integer(),
      sms_chargeable_units: Type.Integer({ description: 'Fragments times the destination’s rate multiplier' }),
      email_totals: Type.Integer(),
      letter_totals: Type.Integer(),
      letter_sheet_totals: Type.Integer(),
      letter_cost: Amount,
    }),
  });
}

interface Report<Row extends { [Column in keyof Row]: Cell }> {
  name: string;
  summary: string;
  days(query: DateRangeQuery): Days;
  /** Returns rows, or JSON built by the database. */
  list(app: Platform, days: Days): Promise<Row[] | string>;
  /** Added to every row. */
  amounts?: { currency?: string } | undefined;
  row: TObject<{ [Column in keyof Row]: TSchema }>;
}

/** Serves rows as JSON, or as CSV with `Accept: text/csv`. */
function report<Row extends { [Column in keyof Row]: Cell }>(
  http: Http,
  app: Platform,
  { name, summary, days, list, amounts, row: fields }: Report<Row>,
): void {
  const row = amounts
    ? Type.Object({ ...fields.properties, currency: Type.String({ description: 'ISO 4217, such as EUR' }) })
    : fields;
  const columns = Object.keys(row.properties) as (keyof Row & string)[];
  http.get(
    `/platform-stats/${name}`,
    {
      schema: {
        summary,
        querystring: Type.Object({ start_date: date('required'), end_date: date('required') }),
        response: {
          200: {
            description: 'Rows as JSON, or as CSV with Accept: text/csv',
            content: {
              'application/json': { schema: Type.Array(Type.Unsafe<Row>(row)) },
              'text/csv': { schema: Type.String() },
            },
          },
        },
      },
    },
    async (request, reply) => {
      const range = days(request.query);
      const found = await fromStandby(app, 'page', (reader) => list(reader, range));
      const listed = amounts ? withFields(found, amounts) : found;
      reply.header('vary', 'Accept');
      if (!prefersCsv(request)) {
        // Reports have thousands of rows: JSON.stringify takes a quarter of the time of the schema serializer.
        const json = typeof listed === 'string' ? listed : JSON.stringify(listed);
        return reply.type('application/json; charset=utf-8').serializer(String).send(json);
      }
      const rows: Row[] = typeof listed === 'string' ? JSON.parse(listed) : listed;
      const file = `${name}-${range.first_day}-to-${range.last_day}.csv`;
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', contentDisposition(file))
        .send(csvText(columns, rows));
    },
  );
}

function withFields<Row>(listed: Row[] | string, fields: object): Row[] {
  const rows: Row[] = typeof listed === 'string' ? JSON.parse(listed) : listed;
  return rows.map((row) => ({ ...row, ...fields }));
}

const LiveService = Type.Object({
  service_id: Uuid,
  service_name: Type.String(),
  organisation_name: Nullable(Type.String()),
  organisation_type: Nullable(Type.String()),
  consent_to_research: Nullable(Type.Boolean()),
  contact_name: Nullable(Type.String()),
  contact_email: Nullable(Type.String()),
  contact_mobile: Nullable(Type.String()),
  live_date: Nullable(Type.String({ description: 'HTTP date, such as Sun, 15 Nov 2026 12:19:32 GMT' })),
  sms_volume_intent: Nullable(Type.Integer()),
  email_volume_intent: Nullable(Type.Integer()),
  letter_volume_intent: Nullable(Type.Integer()),
  sms_totals: Type.Integer(),
  email_totals: Type.Integer(),
  letter_totals: Type.Integer(),
  free_sms_fragment_limit: Nullable(Type.Integer()),
});

export function serviceListRoutes(http: Http, app: Platform): void {
  http.get(
    '/service/live-services-data',
    {
      schema: {
        summary: 'List live services with their contact and volumes in this financial year',
        response: { 200: Data(Type.Array(LiveService)) },
      },
    },
    async () => ({ data: await fromStandby(app, 'page', listLiveServices) }),
  );

  http.get(
    '/service/monthly-data-by-service',
    {
      schema: {
        summary: 'Message counts of live services by month and type',
        querystring: Type.Object({ start_date: Day, end_date: Day }),
        response: {
          200: {
            description:
              'Month, service id, service name, type; sending, delivered, technical, temporary and permanent failures, sent',
            content: {
              'application/json': {
                schema: Type.Unsafe<string>(Type.Array(Type.Array(Type.Unsafe({ type: ['string', 'integer'] })))),
              },
            },
          },
        },
      },
    },
    async (request, reply) => {
      const lines = await fromStandby(app, 'page', (reader) => listMonthsOfServices(reader.db, request.query));
      return reply.type('application/json; charset=utf-8').serializer(String).send(lines);
    },
  );
}
