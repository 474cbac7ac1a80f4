import { Type } from 'typebox';
import { readPrintCallbackToken } from '../letters/print-callback.ts';
import { Failure } from '../platform/failure.ts';
import { OneOf } from '../platform/http/fields.ts';
import type { Http } from '../platform/http/surface.ts';
import type { Platform } from '../platform/platform.ts';
import { recordPrintReport } from './letter-receipts.ts';

const Report = Type.Object({
  id: Type.String(),
  time: Type.String(),
  data: Type.Object({
    jobId: Type.String({ description: 'The notification’s id' }),
    jobStatus: OneOf(['DESPATCHED', 'REJECTED']),
    transitionDate: Type.String({ format: 'datetime' }),
    despatchProperties: Type.Optional(
      Type.Array(Type.Object({ key: Type.String(), value: Type.Unknown() }), {
        minItems: 3,
        description: 'totalSheets, postageClass and mailingProduct; required with DESPATCHED',
      }),
    ),
  }),
  metadata: Type.Object({ correlationId: Type.String() }),
});

/** What the printer says about a letter. The link that it was given proves who is calling. */
export function letterReceiptRoutes(http: Http, app: Platform): void {
  http.post(
    '/notifications/letter/status',
    {
      schema: {
        summary: 'Report of the letter printer',
        querystring: Type.Object({ token: Type.Optional(Type.String()) }),
        body: Report,
        response: { 204: Type.Null() },
      },
      // Before the body is even looked at.
      onRequest: async (request) => {
        if (!tokenOf(request.query)) {
          throw new Failure('forbidden', 'BadRequestError', 'A valid token must be provided in the query string');
        }
      },
    },
    async ({ query, body }, reply) => {
      await recordPrintReport(app, tokenOf(query) ?? '', body.data);
      return reply.code(204).send(null);
    },
  );

  function tokenOf(query: unknown): string | undefined {
    const { token } = query as { token?: unknown };
    return typeof token === 'string' ? readPrintCallbackToken(app, token) : undefined;
  }
}
