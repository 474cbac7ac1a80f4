import { Type } from 'typebox';
import type { Http } from '../../platform/http/surface.ts';
import type { TextSenderSettings } from '../settings.ts';
import { isProtectedSenderId } from './protected-sender-ids.ts';

/** Names of other organisations. The front end checks this list before a service can use a name. */
export function protectedSenderIdRoutes(http: Http, { config }: { config: { sms: TextSenderSettings } }): void {
  http.get(
    '/protected-sender-id/check',
    {
      schema: {
        summary: 'Check whether an SMS sender is a protected name',
        querystring: Type.Object({ sender_id: Type.String() }),
        response: { 200: Type.Boolean() },
      },
    },
    async (request, reply) => reply.send(isProtectedSenderId(config, request.query.sender_id)),
  );
}
