import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Http } from '../../platform/http/surface.ts';
import { isUuid } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Urls } from '../../platform/settings.ts';
import { NoContent, Nullable } from '../../protocol/fields.ts';
import type { FrontEndSettings } from '../../protocol/settings.ts';
import type { AccountMessageSender } from '../account-messages/account-messages.ts';
import { OfUser, userOfPathExists } from '../user-of-path.ts';
import { hasTooManyCodes, sendEmailCode, sendSmsCode } from './verify-codes.ts';

type Deps = Platform & { accountMessages: AccountMessageSender; config: { urls: Urls; frontEnd: FrontEndSettings } };

export function verifyCodeRoutes(http: Http, app: Deps): void {
  const preValidation = [userOfPathExists(app), replyIfTooManyCodes(app)];

  http.post(
    '/user/:user_id/sms-code',
    {
      preValidation,
      schema: {
        summary: 'Send a sign-in code by SMS',
        params: OfUser,
        body: Type.Object(
          { to: Type.Optional(Nullable(Type.String({ description: 'Defaults to the user’s number' }))) },
          { additionalProperties: false },
        ),
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      await sendSmsCode(app, request.params.user_id, { for: 'api', to: request.body.to ?? null });
      return reply.code(204).send(null);
    },
  );

  http.post(
    '/user/:user_id/email-code',
    {
      preValidation,
      schema: {
        summary: 'Send a sign-in link by email',
        params: OfUser,
        body: Type.Object(
          {
            to: Type.Optional(Type.Null()),
            email_auth_link_host: Type.Optional(Nullable(Type.String())),
            next: Type.Optional(Nullable(Type.String())),
          },
          { additionalProperties: false },
        ),
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      await sendEmailCode(app, request.params.user_id, request.body);
      return reply.code(204).send(null);
    },
  );
}

/** Runs before body validation; the count is checked again under a lock before a code is created. */
function replyIfTooManyCodes(app: Deps) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { user_id } = request.params as { user_id: string };
    if (isUuid(user_id) && (await hasTooManyCodes(app, user_id))) return reply.code(204).send(null);
  };
}
