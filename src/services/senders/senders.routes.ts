import { Type } from 'typebox';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import { adminErrors } from '../../protocol/error-bodies.ts';
import { Data, Datetime, ImportedId, Nullable, OfService, Uuid } from '../../protocol/fields.ts';
import type { AccountMessageSender } from '../../users/account-messages/account-messages.ts';
import { assignInboundNumber } from '../inbound-numbers/inbound-numbers.ts';
import type { TextSenderSettings } from '../settings.ts';
import {
  archiveLetterContact,
  archiveReplyTo,
  archiveSmsSender,
  checkReplyTo,
  createLetterContact,
  createReplyTo,
  createSmsSender,
  getLetterContact,
  getReplyTo,
  getSmsSender,
  isProtectedSenderId,
  listLetterContacts,
  listReplyTos,
  listSmsSenders,
  updateLetterContact,
  updateReplyTo,
  updateSmsSender,
} from './senders.ts';

const OfSmsSender = Type.Object({ service_id: Uuid, sms_sender_id: Uuid });

export const SmsSender = Type.Object(
  {
    id: Uuid,
    sms_sender: Type.String(),
    service_id: Uuid,
    is_default: Type.Boolean(),
    archived: Type.Boolean(),
    inbound_number_id: Nullable(Uuid),
    created_at: Datetime,
    updated_at: Nullable(Datetime),
  },
  { title: 'SmsSender' },
);

const smsSenderFields = {
  sms_sender: Type.String({ minLength: 1, maxLength: 11, format: 'name' }),
  is_default: Type.Boolean(),
};

export function smsSenderRoutes(http: Http, app: Platform): void {
  http.get(
    '/service/:service_id/sms-sender',
    {
      schema: {
        summary: 'List the SMS senders of a service, the default first',
        params: OfService,
        response: { 200: Type.Array(SmsSender) },
      },
    },
    (request) => listSmsSenders(app.db, request.params.service_id),
  );

  http.post(
    '/service/:service_id/sms-sender',
    {
      schema: {
        summary: 'Add an SMS sender or an inbound number',
        params: OfService,
        body: Type.Object({
          ...smsSenderFields,
          inbound_number_id: Type.Optional(Nullable(Uuid)),
          id: Type.Optional(ImportedId),
        }),
        response: { 201: SmsSender },
      },
    },
    async (request, reply) => {
      const { service_id } = request.params;
      const { sms_sender, is_default, inbound_number_id, id } = request.body;
      const sender = inbound_number_id
        ? await assignInboundNumber(app, service_id, { inbound_number_id, is_default })
        : await createSmsSender(app, service_id, { sms_sender, is_default }, id);
      return reply.code(201).send(sender);
    },
  );

  http.get(
    '/service/:service_id/sms-sender/:sms_sender_id',
    { schema: { summary: 'Get an SMS sender', params: OfSmsSender, response: { 200: SmsSender } } },
    (request) => getSmsSender(app.db, request.params.service_id, request.params.sms_sender_id),
  );

  http.post(
    '/service/:service_id/sms-sender/:sms_sender_id',
    {
      schema: {
        summary: 'Update an SMS sender',
        params: OfSmsSender,
        body: Type.Object(smsSenderFields),
        response: { 200: SmsSender },
      },
    },
    (request) => {
      const { sms_sender, is_default } = request.body;
      const { service_id, sms_sender_id } = request.params;
      return updateSmsSender(app, service_id, sms_sender_id, { sms_sender, is_default });
    },
  );

  http.post(
    '/service/:service_id/sms-sender/:sms_sender_id/archive',
    {
      schema: {
        summary: 'Archive an SMS sender that is not the default',
        params: OfSmsSender,
        response: { 200: Data(SmsSender) },
      },
    },
    async (request) => ({
      data: await archiveSmsSender(app, request.params.service_id, request.params.sms_sender_id),
    }),
  );
}

/** Names of other organisations. The front end checks this list before a service can use a name. */
export function protectedSenderIdRoutes(http: Http, { config }: { config: { sms: TextSenderSettings } }): void {
  http.get(
    '/protected-sender-id/check',
    {
      schema: {
        summary: 'Check whether an SMS sender is a protected name',
        querystring: Type.Object({ sender_id: Type.String() }),
        response: { 200: Type.Boolean() },
      },
    },
    async (request, reply) => reply.send(isProtectedSenderId(config, request.query.sender_id)),
  );
}

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

const ReplyToRequest = Type.Object({ email_address: EmailAddress, is_default: Type.Boolean() });
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
        body: Type.Object({ ...ReplyToRequest.properties, id: Type.Optional(ImportedId) }),
        response: { 201: Data(ReplyTo), ...alreadyExists },
      },
    },
    async (request, reply) => {
      const { email_address, is_default, id } = request.body;
      const replyTo = await createReplyTo(app, request.params.service_id, { email_address, is_default }, id);
      return reply.code(201).send({ data: replyTo });
    },
  );

  http.post(
    '/service/:service_id/email-reply-to/:reply_to_id',
    {
      schema: {
        summary: 'Update a reply-to address',
        params: OfReplyTo,
        body: ReplyToRequest,
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

const OfContact = Type.Object({ service_id: Uuid, letter_contact_id: Uuid });

const LetterContact = Type.Object(
  {
    id: Uuid,
    service_id: Uuid,
    contact_block: Type.String(),
    is_default: Type.Boolean(),
    archived: Type.Boolean(),
    created_at: Datetime,
    updated_at: Nullable(Datetime),
  },
  { title: 'LetterContact' },
);

const LetterContactRequest = Type.Object({ contact_block: Type.String({ minLength: 1 }), is_default: Type.Boolean() });

export function letterContactRoutes(http: Http, app: Platform): void {
  http.get(
    '/service/:service_id/letter-contact',
    {
      schema: {
        summary: 'List the letter contact blocks of a service, the default first',
        params: OfService,
        response: { 200: Type.Array(LetterContact) },
      },
    },
    (request) => listLetterContacts(app.db, request.params.service_id),
  );

  http.get(
    '/service/:service_id/letter-contact/:letter_contact_id',
    { schema: { summary: 'Get a letter contact block', params: OfContact, response: { 200: LetterContact } } },
    (request) => getLetterContact(app.db, request.params.service_id, request.params.letter_contact_id),
  );

  http.post(
    '/service/:service_id/letter-contact',
    {
      schema: {
        summary: 'Add a letter contact block',
        params: OfService,
        body: LetterContactRequest,
        response: { 201: Data(LetterContact) },
      },
    },
    async (request, reply) => {
      const { contact_block, is_default } = request.body;
      const contact = await createLetterContact(app, request.params.service_id, { contact_block, is_default });
      return reply.code(201).send({ data: contact });
    },
  );

  http.post(
    '/service/:service_id/letter-contact/:letter_contact_id',
    {
      schema: {
        summary: 'Update a letter contact block',
        params: OfContact,
        body: LetterContactRequest,
        response: { 200: Data(LetterContact) },
      },
    },
    async (request) => {
      const { service_id, letter_contact_id } = request.params;
      const { contact_block, is_default } = request.body;
      return { data: await updateLetterContact(app, service_id, letter_contact_id, { contact_block, is_default }) };
    },
  );

  http.post(
    '/service/:service_id/letter-contact/:letter_contact_id/archive',
    {
      schema: {
        summary: 'Archive a letter contact block, also removing it from templates',
        params: OfContact,
        response: { 200: Data(LetterContact) },
      },
    },
    async (request) => ({
      data: await archiveLetterContact(app, request.params.service_id, request.params.letter_contact_id),
    }),
  );
}
