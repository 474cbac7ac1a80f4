import { Type } from 'typebox';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import { Data, NoContent, Nullable, OneOf, Uuid } from '../../protocol/fields.ts';
import { OfUser, userOfPathExists } from '../user-of-path.ts';
import { UserRecord } from '../user-record.ts';
import { completeWebauthnSignIn, resetFailedLoginCount, verifyCode, verifyPassword } from './sign-in.ts';

export function signInRoutes(http: Http, app: Platform): void {
  http.post(
    '/user/:user_id/verify/password',
    {
      preValidation: userOfPathExists(app),
      schema: {
        summary: 'Check a password',
        params: OfUser,
        body: Type.Object({ password: Type.String() }),
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      await verifyPassword(app, request.params.user_id, request.body.password);
      return reply.code(204).send(null);
    },
  );

  http.post(
    '/user/:user_id/verify/code',
    {
      schema: {
        summary: 'Check a code and sign in',
        params: OfUser,
        body: Type.Object({ code: Type.String(), code_type: OneOf(['sms', 'email']) }, { additionalProperties: false }),
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      await verifyCode(app, request.params.user_id, { ...request.body, purpose: { for: 'api' } });
      return reply.code(204).send(null);
    },
  );

  http.post(
    '/user/:user_id/complete/webauthn-login',
    {
      schema: {
        summary: 'Record the result of a sign-in with a security key',
        params: OfUser,
        body: Type.Object(
          { successful: Type.Boolean(), webauthn_credential_id: Type.Optional(Nullable(Uuid)) },
          { additionalProperties: false },
        ),
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      await completeWebauthnSignIn(app, request.params.user_id, request.body);
      return reply.code(204).send(null);
    },
  );

  http.post(
    '/user/:user_id/reset-failed-login-count',
    { schema: { summary: 'Unlock a user', params: OfUser, response: { 200: Data(UserRecord) } } },
    async (request) => ({ data: await resetFailedLoginCount(app, request.params.user_id) }),
  );
}
