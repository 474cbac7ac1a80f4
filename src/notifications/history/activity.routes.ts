import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { fromStandby } from '../../platform/db/servers/standby.ts';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import { channels } from '../../protocol/channels.ts';
import { isTrue, Nullable, OfService, OneOf, QueryBoolean, QueryInteger, Uuid } from '../../protocol/fields.ts';
import type { CompiledTemplates } from '../../templates/compiled-templates.ts';
import { type ActivityQuery, cancelLetter, countActivity, getActivity, isSearch, listActivity } from './activity.ts';
import { ExportRow, exportActivity } from './activity-export.ts';
import { activityRecordSchema } from './activity-record.ts';
import { listDescription } from './list-notifications.ts';
import { publicStatuses } from './public-notification.ts';

const NotificationParams = Type.Object({ service_id: Uuid, notification_id: Uuid });
const Types = OneOf(channels);
const Links = Type.Object({ prev: Type.Optional(Type.Boolean()), next: Type.Optional(Type.Boolean()) });

const lists = {
  template_type: Type.Optional(Type.Array(Types)),
  status: Type.Optional(Type.Array(OneOf(publicStatuses))),
};

const Query = Type.Object({
  ...lists,
  page: Type.Optional(QueryInteger),
  page_size: Type.Optional(QueryInteger),
  limit_days: Type.Optional(QueryInteger),
  include_jobs: Type.Optional(QueryBoolean),
  include_one_off: Type.Optional(QueryBoolean),
  include_from_test_key: Type.Optional(QueryBoolean),
  job_id: Type.Optional(Uuid),
  to: Type.Optional(Type.String()),
  older_than: Type.Optional(Uuid),
  count_pages: Type.Optional(QueryBoolean),
});

/** The same filter in a body: proxies log URLs, which must not contain a recipient. */
const Search = Type.Object({
  ...lists,
  page: Type.Optional(Nullable(Type.Integer({ minimum: 1 }))),
  page_size: Type.Optional(Nullable(Type.Integer({ minimum: 1 }))),
  limit_days: Type.Optional(Nullable(Type.Integer({ minimum: 0 }))),
  include_jobs: Type.Optional(Nullable(Type.Boolean())),
  include_one_off: Type.Optional(Nullable(Type.Boolean())),
  include_from_test_key: Type.Optional(Nullable(Type.Boolean())),
  job_id: Type.Optional(Nullable(Uuid)),
  to: Type.Optional(Nullable(Type.String())),
  older_than: Type.Optional(Nullable(Uuid)),
  count_pages: Type.Optional(Nullable(Type.Boolean())),
});

export function activityRoutes(http: Http, app: Platform & { compiledTemplates: CompiledTemplates }): void {
  const ActivityRecord = activityRecordSchema(app.country);
  const Page = Type.Object({ notifications: Type.Array(ActivityRecord), page_size: Type.Integer(), links: Links });
  const list = async (serviceId: string, query: ActivityQuery) =>
    isSearch(query)
      ? fromStandby(app, 'page', (reader) => listActivity(reader, serviceId, query))
      : listActivity(app, serviceId, query);

  http.get(
    '/service/:service_id/notifications',
    {
      schema: {
        summary: 'List messages of a service, newest first',
        description: listDescription,
        params: OfService,
        querystring: Query,
        response: { 200: Page },
      },
      preValidation: readListParameters,
    },
    async ({ params, query }) => list(params.service_id, activityQuery(query)),
  );

  http.post(
    '/service/:service_id/notifications',
    {
      schema: {
        summary: 'Search messages of a service, newest first, with the recipient in the body',
        description: listDescription,
        params: OfService,
        body: Search,
        response: { 200: Page },
      },
      config: { readsOnly: true },
      preValidation: async (request) => wrapLists(request.body),
    },
    async ({ params, body }) => list(params.service_id, searchQuery(body)),
  );

  http.get(
    '/service/:service_id/notifications/csv',
    {
      schema: {
        summary: 'Export messages of a service as spreadsheet rows, up to 10,000; older_than returns the next page',
        description: listDescription,
        params: OfService,
        querystring: Query,
        response: {
          200: Type.Object({ notifications: Type.Array(ExportRow), page_size: Type.Integer(), links: Links }),
        },
      },
      preValidation: readListParameters,
    },
    async ({ params, query }) =>
      fromStandby(app, 'file', (reader) => exportActivity(reader, params.service_id, exportQuery(query))),
  );

  http.get(
    '/service/:service_id/notifications/count',
    {
      schema: {
        summary: 'Count messages that a service sent in the last days (default 7)',
        params: OfService,
        querystring: Type.Object({ template_type: Type.Optional(Types), limit_days: Type.Optional(QueryInteger) }),
        response: { 200: Type.Object({ notifications_sent_count: Type.Integer() }) },
      },
    },
    async (request) => {
      const { template_type, limit_days } = request.query;
      const query = { template_type, limit_days: clampDays(toNumber(limit_days)) ?? 7 };
      return { notifications_sent_count: await countActivity(app, request.params.service_id, query) };
    },
  );

  http.get(
    '/service/:service_id/notifications/:notification_id',
    { schema: { summary: 'Get a message', params: NotificationParams, response: { 200: ActivityRecord } } },
    async (request) => getActivity(app, request.params.service_id, request.params.notification_id),
  );

  http.post(
    '/service/:service_id/notifications/:notification_id/cancel',
    {
      schema: {
        summary: 'Cancel a letter whose printing has not begun',
        params: NotificationParams,
        response: { 200: ActivityRecord },
      },
    },
    async (request) => cancelLetter(app, request.params.service_id, request.params.notification_id),
  );
}

const defaultPageSize = 50;
const maxPageSize = 1_000;
const maxExportSize = 10_000;

/** `older_than` already determines the page, so this ignores the page number. */
function exportQuery(query: Static<typeof Query>): ActivityQuery {
  const { page, ...others } = query;
  return activityQuery(query.older_than === undefined ? query : others, maxExportSize);
}

function activityQuery(query: Static<typeof Query>, maxSize = maxPageSize): ActivityQuery {
  return {
    ...query,
    limit_days: clampDays(toNumber(query.limit_days)),
    include_jobs: isTrue(query.include_jobs, true),
    include_one_off: isTrue(query.include_one_off, true),
    include_from_test_key: isTrue(query.include_from_test_key),
    ...pageOf(toNumber(query.page), toNumber(query.page_size), maxSize),
  };
}

function searchQuery(search: Static<typeof Search>): ActivityQuery {
  return {
    template_type: search.template_type,
    status: search.status,
    limit_days: clampDays(search.limit_days ?? undefined),
    include_jobs: search.include_jobs ?? true,
    include_one_off: search.include_one_off ?? true,
    include_from_test_key: search.include_from_test_key ?? false,
    job_id: search.job_id ?? undefined,
    to: search.to ?? undefined,
    older_than: search.older_than ?? undefined,
    ...pageOf(search.page ?? undefined, search.page_size ?? undefined),
  };
}

function pageOf(page = 1, size = defaultPageSize, maxSize = maxPageSize): Pick<ActivityQuery, 'page' | 'page_size'> {
  return {
    page: Math.min(Math.max(page, 1), 1_000_000),
    page_size: Math.min(Math.max(size, 1), maxSize),
  };
}

function toNumber(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

function clampDays(days: number | undefined): number | undefined {
  return days === undefined ? undefined : Math.min(Math.max(days, 0), 36_500);
}

async function readListParameters(request: FastifyRequest): Promise<void> {
  wrapLists(request.query);
}

function wrapLists(fields: unknown): void {
  if (typeof fields !== 'object' || fields === null) return;
  const record = fields as Record<string, unknown>;
  for (const name of ['template_type', 'status']) {
    if (record[name] !== undefined && record[name] !== null) record[name] = [record[name]].flat();
  }
}
