import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { apiCallerOf } from '../../auth/api-caller.ts';
import { Failure } from '../../platform/failure.ts';
import { takeNothingForEmpty } from '../../platform/http/body/body.ts';
import { takesFiles } from '../../platform/http/body/body-limits.ts';
import { publicErrors, urlNotFound } from '../../platform/http/error-bodies.ts';
import { requestRoot } from '../../platform/http/root.ts';
import type { Http } from '../../platform/http/surface.ts';
import * as examples from '../examples.ts';
import { rateLimitExceeded, rateLimitHeaders } from '../limits/rate-limits.ts';
import type { NotificationType } from '../notification.ts';
import {
  digestOfRequest,
  findKnownAnswer,
  type KnownAnswer,
  readIdempotencyKey,
  refuseAnotherBody,
} from './idempotency.ts';
import {
  isPrecompiled,
  readEmailRequest,
  readLetterRequest,
  readPrecompiledLetterRequest,
  readSmsRequest,
} from './read-requests.ts';
import { sendEmail, sendLetter, sendPrecompiledLetter, sendSms } from './send.ts';
import {
  EmailAnswer,
  EmailRequest,
  LetterAnswer,
  LetterRequest,
  PrecompiledLetterAnswer,
  PrecompiledLetterRequest,
  SmsAnswer,
  SmsRequest,
} from './send-requests.ts';
import { refuseIfDayIsFull } from './send-rules.ts';
import type { Sender, SendingApp } from './sender.ts';
import { Replay } from './store-and-answer.ts';

declare module 'fastify' {
  interface FastifyRequest {
    sender?: Sender;
    /** The answer to an earlier request under the same Idempotency-Key. */
    knownAnswer?: KnownAnswer;
  }
}

const idempotencyHeader = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'A repeated request under the same key within 24 hours gets the first one’s answer',
    }),
  ),
});

/** Beside those of every route: the first request under a key is at work, or had another body. */
const refusals = { 409: publicErrors.errorSchema, 422: publicErrors.errorSchema };

export function sendRoutes(http: Http, app: SendingApp): void {
  const rootOf = requestRoot(app.config.BASE_URL);

  /** Everything that is asked before the body is read. */
  function admit(channel: NotificationType) {
    return async (request: FastifyRequest, reply: FastifyReply) => {
      const caller = apiCallerOf(request);
      const { api_key_id, key_type } = caller;
      const found = app.sending.services.find(caller.service_id);
      const service = found instanceof Promise ? await found : found;
      if (!service) throw new Error('A service vanished while it was sending');
      const key = readIdempotencyKey(request.headers['idempotency-key']);
      const sender: Sender = {
        service,
        key_type,
        api_key_id,
        created_by_id: null,
        now: app.clock.now(),
        root: rootOf(request),
        idempotency: key === undefined ? undefined : { key, request_digest: '' },
      };
      request.sender = sender;
      if (key !== undefined) {
        request.knownAnswer = await findKnownAnswer(app, service.id, key);
        // The same answer again uses up nothing.
        if (request.knownAnswer) return;
      }
      const taken = app.sending.rateLimits.take({ service_id: service.id, window: key_type }, service.rate_limit);
      const decision = taken instanceof Promise ? await taken : taken;
      reply.headers(rateLimitHeaders(service.rate_limit, decision));
      if (!decision.granted) throw rateLimitExceeded(key_type, service.rate_limit, decision);
      refuseIfDayIsFull(sender, channel);
    };
  }

  /** Runs the sending; under an Idempotency-Key only once. */
  async function send<Answer>(
    request: FastifyRequest,
    reply: FastifyReply,
    channel: NotificationType,
    work: (sender: Sender) => Promise<Answer>,
  ): Promise<Answer> {
    const { sender, knownAnswer } = request;
    if (!sender) throw new Error('The request was not admitted');
    const { idempotency, service } = sender;
    reply.code(201);
    if (!idempotency) return work(sender);
    idempotency.request_digest = digestOfRequest(channel, request.body);
    try {
      if (knownAnswer) {
        refuseAnotherBody(knownAnswer, idempotency.request_digest);
        throw new Replay(knownAnswer.response);
      }
      return await app.sending.running.alone(service.id, idempotency.key, () => work(sender));
    } catch (error) {
      if (!(error instanceof Replay)) throw error;
      reply.header('idempotent-replayed', 'true');
      return error.response as Answer;
    }
  }

  const shared = {
    attachValidation: true,
    preValidation: takeNothingForEmpty,
    config: { bodyRequired: true, verbatimNumbersUnder: 'personalisation' },
  };

  http.post(
    '/v2/notifications/sms',
    {
      ...shared,
      onRequest: admit('sms'),
      schema: {
        summary: 'Send a text message',
        headers: idempotencyHeader,
        body: SmsRequest,
        response: { 201: SmsAnswer, ...refusals },
      },
    },
    (request, reply) =>
      send(request, reply, 'sms', (sender) => sendSms(app, sender, readSmsRequest(request, sender.now))),
  );

  http.post(
    '/v2/notifications/email',
    {
      ...takesFiles,
      ...shared,
      onRequest: admit('email'),
      schema: {
        summary: 'Send an email',
        headers: idempotencyHeader,
        body: EmailRequest,
        response: { 201: EmailAnswer, ...refusals },
      },
    },
    (request, reply) =>
      send(request, reply, 'email', (sender) => sendEmail(app, sender, readEmailRequest(request, sender.now))),
  );

  http.post(
    '/v2/notifications/letter',
    {
      ...takesFiles,
      ...shared,
      onRequest: admit('letter'),
      schema: {
        summary: 'Send a letter, from a template or as PDF',
        headers: idempotencyHeader,
        body: Type.Union([LetterRequest, PrecompiledLetterRequest], {
          examples: [examples.letterRequest, examples.precompiledLetterRequest],
        }),
        response: {
          201: Type.Union([LetterAnswer, PrecompiledLetterAnswer], {
            examples: [examples.letterAnswer, examples.precompiledLetterAnswer],
          }),
          ...refusals,
        },
      },
    },
    (request, reply) =>
      send<LetterAnswer | PrecompiledLetterAnswer>(request, reply, 'letter', (sender) =>
        isPrecompiled(request)
          ? sendPrecompiledLetter(app, sender, readPrecompiledLetterRequest(request))
          : sendLetter(app, sender, readLetterRequest(request)),
      ),
  );

  const refuseUnknownType = async () => {
    throw new Failure('not-found', 'NotFoundError', urlNotFound);
  };
  http.post(
    '/v2/notifications/:notification_type',
    { schema: { hide: true }, onRequest: refuseUnknownType },
    refuseUnknownType,
  );
}
