import { Type } from 'typebox';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import { Data, Datetime, NoContent, Nullable, Uuid } from '../../protocol/fields.ts';
import { OfUser, userOfPathExists } from '../user-of-path.ts';
import { createCredential, deleteCredential, listCredentials, renameCredential } from './security-keys.ts';

const OfCredential = Type.Object({ user_id: Uuid, credential_id: Uuid });
const Text = Type.String({ minLength: 1 });
const KeyName = Type.String({ minLength: 1, format: 'name' });

const Credential = Type.Object({
  id: Uuid,
  user_id: Uuid,
  name: Type.String(),
  credential_data: Type.String(),
  created_at: Datetime,
  updated_at: Nullable(Datetime),
  logged_in_at: Nullable(Datetime),
});

export function webauthnCredentialRoutes(http: Http, app: Platform): void {
  const preValidation = userOfPathExists(app);

  http.get(
    '/user/:user_id/webauthn',
    {
      preValidation,
      schema: {
        summary: 'List the security keys of a user',
        params: OfUser,
        response: { 200: Data(Type.Array(Credential)) },
      },
    },
    async (request) => ({ data: await listCredentials(app, request.params.user_id) }),
  );

  http.post(
    '/user/:user_id/webauthn',
    {
      preValidation,
      schema: {
        summary: 'Add a security key',
        params: OfUser,
        body: Type.Object(
          { name: KeyName, credential_data: Text, registration_response: Text },
          { additionalProperties: false },
        ),
        response: { 201: Data(Credential) },
      },
    },
    async (request, reply) =>
      reply.code(201).send({ data: await createCredential(app, request.params.user_id, request.body) }),
  );

  http.post(
    '/user/:user_id/webauthn/:credential_id',
    {
      preValidation,
      schema: {
        summary: 'Rename a security key',
        params: OfCredential,
        body: Type.Object({ name: KeyName }, { additionalProperties: false }),
        response: { 200: Data(Credential) },
      },
    },
    async (request) => {
      const { user_id, credential_id } = request.params;
      return { data: await renameCredential(app, user_id, credential_id, request.body.name) };
    },
  );

  http.delete(
    '/user/:user_id/webauthn/:credential_id',
    {
      schema: {
        summary: 'Delete a security key, except the last one',
        params: OfCredential,
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      await deleteCredential(app, request.params.user_id, request.params.credential_id);
      return reply.code(204).send(null);
    },
  );
}
