import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { apiCallerOf } from '../../auth/api-caller.ts';
import { Failure } from '../../platform/failure.ts';
import { takeNothingForEmpty } from '../../platform/http/body/body.ts';
import { takesFiles } from '../../platform/http/body/body-limits.ts';
import { urlNotFound } from '../../platform/http/declared-routes.ts';
import { requestRoot } from '../../platform/http/root.ts';
import type { Http } from '../../platform/http/surface.ts';
import type { Channel } from '../../protocol/channels.ts';
import { publicErrors } from '../../protocol/error-bodies.ts';
import * as examples from '../examples.ts';
import { rateLimitExceeded, rateLimitHeaders } from '../limits/rate-limits.ts';
import {
  digestOfRequest,
  findStoredResponse,
  readIdempotencyKey,
  replay,
  type Sent,
  type StoredResponse,
} from './idempotency.ts';
import {
  isPrecompiled,
  readEmailRequest,
  readLetterRequest,
  readPrecompiledLetterRequest,
  readSmsRequest,
} from './read-requests.ts';
import { sendEmail, sendLetter, sendPrecompiledLetter, sendSms } from './send.ts';
import type { SendContext, SendDeps } from './send-context.ts';
import {
  EmailRequest,
  EmailResponse,
  LetterRequest,
  LetterResponse,
  PrecompiledLetterRequest,
  PrecompiledLetterResponse,
  SmsRequest,
  SmsResponse,
} from './send-requests.ts';
import { refuseIfDailyLimitIsReached } from './send-rules.ts';

declare module 'fastify' {
  interface FastifyRequest {
    admission?: Admission;
  }
}

/** A request that passed the checks before its body is read. */
interface Admission {
  context: SendContext;
  idempotencyKey: string | undefined;
  /** The response to an earlier request with the same Idempotency-Key. */
  stored: StoredResponse | undefined;
}

const idempotencyHeader = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'A request repeated with the same key within 24 hours returns the first response',
    }),
  ),
});

/** 409: the first request with a key is still in progress. 422: it had a different body. */
const idempotencyErrors = { 409: publicErrors.errorSchema, 422: publicErrors.errorSchema };

export function sendRoutes(http: Http, app: SendDeps): void {
  const rootOf = requestRoot(app.config.urls.api);

  /** Checks that run before the body is read. */
  function admit(channel: Channel) {
    return async (request: FastifyRequest, reply: FastifyReply) => {
      const caller = apiCallerOf(request);
      const { api_key_id, key_type } = caller;
      const found = app.sending.services.find(caller.service_id);
      const service = found instanceof Promise ? await found : found;
      if (!service) throw new Error('Service not found after authentication');
      const idempotencyKey = readIdempotencyKey(request.headers['idempotency-key']);
      const context: SendContext = {
        service,
        key_type,
        api_key_id,
        created_by_id: null,
        now: app.clock.now(),
        root: rootOf(request),
        idempotency: undefined,
      };
      const stored =
        idempotencyKey === undefined ? undefined : await findStoredResponse(app, service.id, idempotencyKey);
      request.admission = { context, idempotencyKey, stored };
      // A replayed response does not count towards limits.
      if (stored) return;
      const taken = app.sending.rateLimits.take({ service_id: service.id, window: key_type }, service.rate_limit);
      const decision = taken instanceof Promise ? await taken : taken;
      reply.headers(rateLimitHeaders(service.rate_limit, decision));
      if (!decision.granted) throw rateLimitExceeded(key_type, service.rate_limit, decision);
      refuseIfDailyLimitIsReached(context, channel);
    };
  }

  /** Runs `work`, only once per Idempotency-Key. */
  async function send<ResponseBody>(
    request: FastifyRequest,
    reply: FastifyReply,
    channel: Channel,
    work: (context: SendContext) => Promise<Sent<ResponseBody>>,
  ): Promise<ResponseBody> {
    if (!request.admission) throw new Error('Request without an admission');
    const { context, idempotencyKey: key, stored } = request.admission;
    reply.code(201);
    if (key === undefined) return (await work(context)).response;
    const idempotency = { key, request_digest: digestOfRequest(channel, request.body) };
    const { response, replayed } = stored
      ? replay<ResponseBody>(stored, idempotency.request_digest)
      : await app.sending.running.alone(context.service.id, key, () => work({ ...context, idempotency }));
    if (replayed) reply.header('idempotent-replayed', 'true');
    return response;
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
        response: { 201: SmsResponse, ...idempotencyErrors },
      },
    },
    (request, reply) =>
      send(request, reply, 'sms', (context) => sendSms(app, context, readSmsRequest(request, context.now))),
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
        response: { 201: EmailResponse, ...idempotencyErrors },
      },
    },
    (request, reply) =>
      send(request, reply, 'email', (context) => sendEmail(app, context, readEmailRequest(request, context.now))),
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
          201: Type.Union([LetterResponse, PrecompiledLetterResponse], {
            examples: [examples.letterResponse, examples.precompiledLetterResponse],
          }),
          ...idempotencyErrors,
        },
      },
    },
    (request, reply) =>
      send<LetterResponse | PrecompiledLetterResponse>(request, reply, 'letter', (context) =>
        isPrecompiled(request)
          ? sendPrecompiledLetter(app, context, readPrecompiledLetterRequest(request))
          : sendLetter(app, context, readLetterRequest(request)),
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
