import { Type } from 'typebox';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import { Data, NoContent, Uuid } from '../../protocol/fields.ts';
import { createSigningSecret, removeSigningSecret } from './callback-signing.ts';

const OfCallback = Type.Object({ service_id: Uuid, callback_id: Uuid });
const Secret = Type.Object(
  { signing_secret: Type.String({ description: '`whsec_` followed by the key in base64' }) },
  { title: 'CallbackSigningSecret' },
);

export function callbackSigningRoutes(http: Http, app: Platform): void {
  http.post(
    '/service/:service_id/callback-api/:callback_id/signing-secret',
    {
      schema: {
        summary: 'Create a signing secret for callbacks, shown only once; replaces an earlier one',
        params: OfCallback,
        body: Type.Object({ updated_by_id: Uuid }),
        response: { 201: Data(Secret) },
      },
    },
    async (request, reply) => {
      const { service_id, callback_id: id } = request.params;
      const signing_secret = await createSigningSecret(app, { id, service_id }, request.body.updated_by_id);
      return reply.code(201).send({ data: { signing_secret } });
    },
  );

  http.delete(
    '/service/:service_id/callback-api/:callback_id/signing-secret',
    {
      schema: {
        summary: 'Delete the signing secret; callbacks are then signed only with the bearer token',
        params: OfCallback,
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      const { service_id, callback_id: id } = request.params;
      await removeSigningSecret(app, { id, service_id });
      return reply.code(204).send(null);
    },
  );
}
