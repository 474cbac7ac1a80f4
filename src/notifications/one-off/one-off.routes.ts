import { Type } from 'typebox';
import { listPostage } from '../../countries/postage.ts';
import { acceptsFiles, acceptsLongText } from '../../platform/http/body/body-limits.ts';
import type { Http } from '../../platform/http/surface.ts';
import { Nullable, OfService, OneOf, Uuid } from '../../protocol/fields.ts';
import type { SendDeps } from '../sending/send-context.ts';
import { sendOneOff, sendUploadedLetter } from './one-off.ts';

export function oneOffRoutes(http: Http, app: SendDeps): void {
  http.post(
    '/service/:service_id/send-notification',
    {
      ...acceptsLongText,
      schema: {
        summary: 'Send a one-off message',
        params: OfService,
        body: Type.Object({
          template_id: Uuid,
          to: Type.String(),
          created_by: Uuid,
          personalisation: Type.Optional(
            Nullable(Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })),
          ),
          sender_id: Type.Optional(Nullable(Uuid)),
          reference: Type.Optional(Nullable(Type.String({ maxLength: 1000 }))),
          language: Type.Optional(
            Nullable(Type.String({ description: 'BCP 47; of templates with texts in several languages' })),
          ),
          scheduled_for: Type.Optional(
            Nullable(Type.String({ description: 'ISO 8601, at most 24 hours ahead; not for letters' })),
          ),
          send_id: Type.Optional(
            Type.String({
              format: 'uuid',
              description: 'Chosen by the client; repeated within 24 hours, requests send no second message',
            }),
          ),
        }),
        response: { 201: Type.Object({ id: Uuid }) },
      },
    },
    async (request, reply) => reply.code(201).send(await sendOneOff(app, request.params.service_id, request.body)),
  );

  http.post(
    '/service/:service_id/send-pdf-letter',
    {
      ...acceptsFiles,
      schema: {
        summary: 'Send a one-off precompiled letter',
        params: OfService,
        body: Type.Object({
          filename: Type.String({ minLength: 1, maxLength: 1000 }),
          created_by: Uuid,
          content: Type.String({ description: 'PDF in base64' }),
          postage: Type.Optional(
            Nullable(OneOf([...listPostage(app.country.postage), ...Object.keys(app.country.postage.aliases)])),
          ),
          file_id: Type.Optional(
            Nullable(
              Type.String({
                format: 'uuid',
                description: 'Becomes the id of the letter; repeated requests send no second letter',
              }),
            ),
          ),
        }),
        response: { 201: Type.Object({ id: Uuid }) },
      },
    },
    async (request, reply) => {
      const { postage, file_id, ...letter } = request.body;
      const sent = await sendUploadedLetter(app, request.params.service_id, {
        ...letter,
        postage: postage ?? undefined,
        file_id: file_id ?? undefined,
      });
      return reply.code(201).send(sent);
    },
  );
}
