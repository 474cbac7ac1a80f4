import { Type } from 'typebox';
import type { Config } from '../../config.ts';
import type { Http } from '../../platform/http/surface.ts';

/** Names of other organisations. The front end checks this list before a service can use a name. */
export function protectedSenderIdRoutes(http: Http, { config }: { config: Pick<Config, 'sms'> }): void {
  const taken = new Set(config.sms.protectedSenderIds.map(comparable));
  http.get(
    '/protected-sender-id/check',
    {
      schema: {
        summary: 'Check whether an SMS sender is a protected name',
        querystring: Type.Object({ sender_id: Type.String() }),
        response: { 200: Type.Boolean() },
      },
    },
    async (request, reply) => reply.send(taken.has(comparable(request.query.sender_id))),
  );
}

/** `H M R C`, `hmrc` and `H.M.R.C` look alike on a phone. */
function comparable(sender: string): string {
  return sender.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}
