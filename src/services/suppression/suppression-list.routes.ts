import { Type } from 'typebox';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import { NoContent, Nullable, OfService, Uuid } from '../../protocol/fields.ts';
import { Lift, SuppressedRecipientRecord } from './suppressed-recipient-record.ts';
import { liftSuppression, listSuppressions } from './suppression-list.ts';

export function suppressionListRoutes(http: Http, app: Platform): void {
  http.get(
    '/service/:service_id/suppression-list',
    {
      schema: {
        summary: 'List the addresses that a service does not send to, newest first',
        params: OfService,
        querystring: Type.Object({ older_than: Type.Optional(Uuid) }),
        response: {
          200: Type.Object({
            suppressed_recipients: Type.Array(SuppressedRecipientRecord),
            older_than: Nullable(
              Type.String({ ...Uuid, description: 'For the request for the next page; null at the end' }),
            ),
          }),
        },
      },
    },
    async ({ params, query }) => {
      const { entries, hasOlder } = await listSuppressions(app, params.service_id, query);
      return { suppressed_recipients: entries, older_than: hasOlder ? (entries.at(-1)?.id ?? null) : null };
    },
  );

  http.post(
    '/service/:service_id/suppression-list/lift',
    {
      schema: {
        summary: 'Remove an address from the suppression list, so that the service can send to it again',
        params: OfService,
        body: Lift,
        response: { 204: NoContent },
      },
    },
    async ({ params, body }, reply) => {
      await liftSuppression(app, params.service_id, body.email_address);
      return reply.code(204).send(null);
    },
  );
}
