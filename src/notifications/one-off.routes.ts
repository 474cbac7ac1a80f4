import { Type } from 'typebox';
import { Nullable, Uuid } from '../platform/http/fields.ts';
import type { Http } from '../platform/http/surface.ts';
import { sendOneOff } from './one-off.ts';
import type { SendingApp } from './sender.ts';

export function oneOffRoutes(http: Http, app: SendingApp): void {
  http.post(
    '/service/:service_id/send-notification',
    {
      schema: {
        summary: 'Send one message by hand',
        params: Type.Object({ service_id: Uuid }),
        body: Type.Object({
          template_id: Uuid,
          to: Type.String(),
          created_by: Uuid,
          personalisation: Type.Optional(
            Nullable(Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })),
          ),
          sender_id: Type.Optional(Nullable(Uuid)),
          reference: Type.Optional(Nullable(Type.String({ maxLength: 1000 }))),
        }),
        response: { 201: Type.Object({ id: Uuid }) },
      },
    },
    async (request, reply) => reply.code(201).send(await sendOneOff(app, request.params.service_id, request.body)),
  );
}
