import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { apiCallerOf } from '../../auth/api-caller.ts';
import { fromStandby } from '../../platform/db/servers/standby.ts';
import { requestRoot } from '../../platform/http/request-facts.ts';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Urls } from '../../platform/settings.ts';
import { channels } from '../../protocol/channels.ts';
import { OneOf, Raw, Uuid } from '../../protocol/fields.ts';
import type { CompiledTemplates } from '../../templates/compiled-templates.ts';
import { notifications as example } from '../examples.ts';
import { problemsWith, refuse } from '../sending/read-requests.ts';
import { listDescription } from './list-notifications.ts';
import { publicNotificationSchema, publicStatuses, statusesForGc } from './public-notification.ts';
import {
  getLetterPdf,
  getPublicNotification,
  isSearch,
  listPublicNotifications,
  type PublicFilter,
} from './public-notifications.ts';

const path = '/v2/notifications';

type Deps = Platform & { config: { urls: Urls }; compiledTemplates: CompiledTemplates };

const queryFields = {
  reference: Type.Optional(Type.String({ examples: ['appointment-4711'] })),
  status: Type.Optional(Type.Array(OneOf(publicStatuses))),
  template_type: Type.Optional(Type.Array(OneOf(channels))),
  include_jobs: Type.Optional(OneOf(['true', 'True'])),
  older_than: Type.Optional(Uuid),
};
const ListQuery = Type.Object(queryFields, { additionalProperties: false });
/** Clients of GC Notify may send more parameters. */
const GcListQuery = Type.Object(
  {
    ...queryFields,
    status: Type.Optional(Type.Array(OneOf(statusesForGc))),
    include_jobs: Type.Optional(OneOf(['true', 'True', 'false', 'False'])),
  },
  { additionalProperties: false },
);

export function publicNotificationRoutes(http: Http, app: Deps): void {
  const PublicNotification = publicNotificationSchema(app.country);
  const rootOf = requestRoot(app.config.urls.api);

  http.get(
    `${path}/:notification_id`,
    {
      schema: {
        summary: 'Get a notification',
        params: Type.Object({ notification_id: Uuid }),
        response: { 200: PublicNotification },
      },
    },
    async (request) =>
      getPublicNotification(app, apiCallerOf(request), request.params.notification_id, rootOf(request)),
  );

  http.get(
    `${path}/:notification_id/pdf`,
    {
      schema: {
        summary: 'Download a letter as PDF',
        params: Type.Object({ notification_id: Uuid }),
        response: { 200: Raw('application/pdf', 'The letter') },
      },
    },
    async (request, reply) => {
      const pdf = await getLetterPdf(app, apiCallerOf(request), request.params.notification_id);
      return reply.type('application/pdf').send(pdf);
    },
  );

  http.get(
    path,
    {
      schema: {
        summary: 'List notifications sent with keys of the same type, newest first, 250 per page',
        description: listDescription,
        querystring: ListQuery,
        response: {
          200: Type.Object(
            {
              notifications: Type.Array(PublicNotification),
              links: Type.Object({ current: Type.String(), next: Type.Optional(Type.String()) }),
            },
            { examples: [example] },
          ),
        },
      },
      preValidation: readListParameters,
      attachValidation: true,
    },
    async (request) => {
      const ofGc = apiCallerOf(request).dialect === 'gc';
      if (ofGc) refuse(problemsWith(request, GcListQuery, 'querystring'));
      else if (request.validationError) throw request.validationError;
      const list = (reader: Deps) =>
        listPublicNotifications(reader, apiCallerOf(request), request.query, rootOf(request));
      const notifications = isSearch(request.query) ? await fromStandby(app, 'page', list) : await list(app);
      const here = `${rootOf(request)}${path}`;
      const last = notifications.at(-1);
      return {
        notifications,
        links: {
          current: `${here}${queryText(request.query)}`,
          ...(last ? { next: `${here}${queryText({ ...request.query, older_than: last.id })}` } : {}),
        },
      };
    },
  );
}

/** `status` and `template_type` may be repeated; for other parameters the first value wins. */
async function readListParameters(request: FastifyRequest): Promise<void> {
  const query = request.query as Record<string, unknown>;
  for (const [name, value] of Object.entries(query)) {
    if (name === 'status' || name === 'template_type') query[name] = [value].flat();
    else if (Array.isArray(value)) query[name] = value[0];
  }
}

/** Puts `older_than` first, because clients parse the first id in a link. */
function queryText({ older_than, ...filter }: PublicFilter): string {
  const parameters = new URLSearchParams(older_than === undefined ? {} : { older_than });
  for (const [name, value] of Object.entries(filter)) {
    for (const single of [value].flat()) if (single !== undefined) parameters.append(name, single);
  }
  return parameters.size === 0 ? '' : `?${parameters}`;
}
