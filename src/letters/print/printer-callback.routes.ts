import { Type } from 'typebox';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import { NoContent, OneOf } from '../../protocol/fields.ts';
import { jobStatuses, mailingProducts, postageClasses, sheetsPattern } from './despatch.ts';
import { readPrinterToken, recordPrinterCallback } from './printer-callback.ts';

const property = (key: string, value: object) => ({
  contains: { type: 'object', properties: { key: { const: key }, value }, required: ['key', 'value'] },
});

const Report = Type.Object({
  id: Type.String(),
  time: Type.String(),
  data: Type.Object(
    {
      jobId: Type.String(),
      jobStatus: OneOf(jobStatuses),
      transitionDate: Type.String({ format: 'datetime' }),
      despatchProperties: Type.Optional(
        Type.Array(Type.Object({ key: Type.String(), value: Type.String() }), {
          minItems: 3,
          allOf: [
            property('totalSheets', { type: 'string', pattern: sheetsPattern }),
            property('postageClass', { enum: [...postageClasses] }),
            property('mailingProduct', { enum: [...mailingProducts] }),
          ],
        }),
      ),
    },
    {
      if: { properties: { jobStatus: { const: 'DESPATCHED' } }, required: ['jobStatus'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { required: ['despatchProperties'] },
    },
  ),
  metadata: Type.Object({ correlationId: Type.String() }),
});

export function printerCallbackRoutes(http: Http, app: Platform): void {
  http.post(
    '/notifications/letter/status',
    {
      schema: {
        summary:
          'Report from the printer that a letter was posted or rejected; the token is in the URL in the manifest',
        querystring: Type.Object({ token: Type.Optional(Type.String()) }),
        body: Report,
        response: { 204: NoContent },
      },
      // Checks the token before the body, so that validation errors do not reveal the schema.
      onRequest: async (request) => {
        readPrinterToken(app, (request.query as { token?: unknown }).token);
      },
    },
    async (request, reply) => {
      await recordPrinterCallback(app, request.query.token, request.body);
      return reply.code(204).send(null);
    },
  );
}
