import { Type } from 'typebox';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import { Datetime, Nullable, OfService, Uuid } from '../../protocol/fields.ts';
import { listRefusedRequests, type RefusedRequests } from './refused-requests.ts';

const Refused = Type.Object({
  refused_requests: Type.Array(
    Type.Object({
      id: Uuid,
      api_key_id: Uuid,
      api_key_name: Nullable(Type.String()),
      path: Type.String(),
      status_code: Type.Integer(),
      errors: Type.Array(Type.Object({ error: Type.String(), message: Type.String() })),
      template_id: Nullable(Uuid),
      fields: Type.Array(Type.String()),
      personalisation_fields: Type.Array(Type.String()),
      created_at: Datetime,
    }),
  ),
});

/** For developers of the program that sends. */
export function refusedRequestRoutes(http: Http, app: Platform & { refusedRequests: RefusedRequests }): void {
  http.get(
    '/service/:service_id/refused-requests',
    {
      schema: {
        summary: 'List refused requests of the last days, newest first: errors and names of fields, no values',
        params: OfService,
        querystring: Type.Object({ older_than: Type.Optional(Uuid) }),
        response: { 200: Refused },
      },
    },
    async ({ params, query }) => ({ refused_requests: await listRefusedRequests(app, params.service_id, query) }),
  );
}
