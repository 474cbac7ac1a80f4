import { Type } from 'typebox';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Urls } from '../../platform/settings.ts';
import { Data, NoContent, Nullable, OneOf, Uuid } from '../../protocol/fields.ts';
import type { FrontEndSettings } from '../../protocol/settings.ts';
import type { AccountMessageSender } from '../account-messages/account-messages.ts';
import { OfUser, userOfPathExists } from '../user-of-path.ts';
import {
  readAccountLink,
  sendAlreadyRegistered,
  sendChangeEmailVerification,
  sendEmailVerification,
  sendPasswordReset,
} from './account-links.ts';

type Deps = Platform & { accountMessages: AccountMessageSender; config: { urls: Urls; frontEnd: FrontEndSettings } };

const Email = Type.String({ format: 'email' });
const unlimited = { isLimited: false };

export function accountLinkRoutes(http: Http, app: Deps): void {
  const preValidation = userOfPathExists(app);

  http.post(
    '/user/reset-password',
    {
      schema: {
        summary: 'Send a link to choose a new password',
        body: Type.Object({
          email: Email,
          admin_base_url: Type.Optional(Type.String()),
          next: Type.Optional(Type.String()),
        }),
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      await sendPasswordReset(app, request.body, unlimited);
      return reply.code(204).send(null);
    },
  );

  http.post(
    '/user/:user_id/email-verification',
    {
      preValidation,
      schema: {
        summary: 'Send a new user a link to confirm the address',
        params: OfUser,
        body: Type.Object({ admin_base_url: Type.Optional(Nullable(Type.String())) }),
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      await sendEmailVerification(app, request.params.user_id, {
        adminBaseUrl: request.body.admin_base_url ?? null,
        ...unlimited,
      });
      return reply.code(204).send(null);
    },
  );

  http.post(
    '/user/:user_id/change-email-verification',
    {
      preValidation,
      schema: {
        summary: 'Send a confirmation link to a new address',
        params: OfUser,
        body: Type.Object({ email: Email }),
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      await sendChangeEmailVerification(app, request.params.user_id, request.body.email, unlimited);
      return reply.code(204).send(null);
    },
  );

  http.post(
    '/user/:user_id/email-already-registered',
    {
      preValidation,
      schema: {
        summary: 'Notify an address that it already has an account',
        params: OfUser,
        body: Type.Object({ email: Email }),
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      await sendAlreadyRegistered(app, request.body.email);
      return reply.code(204).send(null);
    },
  );

  http.post(
    '/user/check-link',
    {
      schema: {
        summary: 'Check a link sent to a user and return its contents',
        body: Type.Object({
          purpose: OneOf(['reset-password', 'verify-email', 'change-email', 'email-auth']),
          token: Type.String(),
        }),
        response: {
          200: Data(
            Type.Object({
              user_id: Type.Optional(Uuid),
              email: Type.Optional(Type.String()),
              secret_code: Type.Optional(Type.String()),
              created_at: Type.Optional(Type.String()),
            }),
          ),
        },
      },
    },
    async (request) => ({ data: await readAccountLink(app, request.body.purpose, request.body.token) }),
  );
}
