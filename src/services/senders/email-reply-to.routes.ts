import { Type } from 'typebox';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import { adminErrors } from '../../protocol/error-bodies.ts';
import { Data, Datetime, Nullable, OfService, Uuid } from '../../protocol/fields.ts';
import type { AccountMessageSender } from '../../users/account-messages/account-messages.ts';
import {
  archiveReplyTo,
  checkReplyTo,
  createReplyTo,
  getReplyTo,
  listReplyTos,
  updateReplyTo,
} from './email-reply-to.ts';

const OfReplyTo = Type.Object({ service_id: Uuid, reply_to_id: Uuid });
const EmailAddress = Type.String({ format: 'email' });

const ReplyTo = Type.Object(
  {
    id: Uuid,
    service_id: Uuid,
    email_address: Type.String(),
    is_default: Type.Boolean(),
    archived: Type.Boolean(),
    created_at: Datetime,
    updated_at: Nullable(Datetime),
  },
  { title: 'EmailReplyTo' },
);

const Request = Type.Object({ email_address: EmailAddress, is_default: Type.Boolean() });
const alreadyExists = { 409: adminErrors.errorSchema };

export function emailReplyToRoutes(http: Http, app: Platform & { accountMessages: AccountMessageSender }): void {
  http.get(
    '/service/:service_id/email-reply-to',
    {
      schema: {
        summary: 'List the reply-to addresses of a service, the default first',
        params: OfService,
        response: { 200: Type.Array(ReplyTo) },
      },
    },
    (request) => listReplyTos(app.db, request.params.service_id),
  );

  http.get(
    '/service/:service_id/email-reply-to/:reply_to_id',
    { schema: { summary: 'Get a reply-to address', params: OfReplyTo, response: { 200: ReplyTo } } },
    (request) => getReplyTo(app.db, request.params.service_id, request.params.reply_to_id),
  );

  http.post(
    '/service/:service_id/email-reply-to/verify',
    {
      schema: {
        summary: 'Send a test message to a reply-to address',
        params: OfService,
        body: Type.Object({ email: EmailAddress }),
        response: { 201: Data(Type.Object({ id: Uuid })), ...alreadyExists },
      },
    },
    async (request, reply) => {
      const id = await checkReplyTo(app, request.params.service_id, request.body.email, { isLimited: false });
      return reply.code(201).send({ data: { id } });
    },
  );

  http.post(
    '/service/:service_id/email-reply-to',
    {
      schema: {
        summary: 'Add a reply-to address; the first one must be the default',
        params: OfService,
        body: Request,
        response: { 201: Data(ReplyTo), ...alreadyExists },
      },
    },
    async (request, reply) => {
      const { email_address, is_default } = request.body;
      const replyTo = await createReplyTo(app, request.params.service_id, { email_address, is_default });
      return reply.code(201).send({ data: replyTo });
    },
  );

  http.post(
    '/service/:service_id/email-reply-to/:reply_to_id',
    {
      schema: {
        summary: 'Update a reply-to address',
        params: OfReplyTo,
        body: Request,
        response: { 200: Data(ReplyTo), ...alreadyExists },
      },
    },
    async (request) => {
      const { service_id, reply_to_id } = request.params;
      const { email_address, is_default } = request.body;
      return { data: await updateReplyTo(app, service_id, reply_to_id, { email_address, is_default }) };
    },
  );

  http.post(
    '/service/:service_id/email-reply-to/:reply_to_id/archive',
    {
      schema: {
        summary: 'Archive a reply-to address that is not the default',
        params: OfReplyTo,
        response: { 200: Data(ReplyTo) },
      },
    },
    async (request) => ({ data: await archiveReplyTo(app, request.params.service_id, request.params.reply_to_id) }),
  );
}
