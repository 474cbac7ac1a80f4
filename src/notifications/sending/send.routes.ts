import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { Failure } from '../../platform/failure.ts';
import { acceptEmptyBody } from '../../platform/http/body/body.ts';
import { acceptsFiles } from '../../platform/http/body/body-limits.ts';
import { urlNotFound } from '../../platform/http/declared-routes.ts';
import type { Http } from '../../platform/http/surface.ts';
import type { Channel } from '../../protocol/channels.ts';
import * as examples from '../examples.ts';
import { admissionOf, admitSending, idempotencyErrors, idempotencyHeader } from './admission.ts';
import { digestOfRequest, replay, type Sent } from './idempotency.ts';
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
  type PrecompiledLetterResponse,
  precompiledLetterRequest,
  precompiledLetterResponse,
  SmsRequest,
  SmsResponse,
} from './send-requests.ts';
import { refuseIfDailyLimitIsReached } from './send-rules.ts';

export function sendRoutes(http: Http, app: SendDeps): void {
  /** Checks that run before the body is read. */
  function admit(channel: Channel) {
    return admitSending(app, (context) => refuseIfDailyLimitIsReached(app, context, channel));
  }

  /** Runs `work`, only once per Idempotency-Key. */
  async function send<ResponseBody>(
    request: FastifyRequest,
    reply: FastifyReply,
    channel: Channel,
    work: (context: SendContext) => Promise<Sent<ResponseBody>>,
  ): Promise<ResponseBody> {
    const { context, idempotencyKey: key, stored } = admissionOf(request);
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
    preValidation: acceptEmptyBody,
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
      send(request, reply, 'sms', (context) => sendSms(app, context, readSmsRequest(app.country, request, context))),
  );

  http.post(
    '/v2/notifications/email',
    {
      ...acceptsFiles,
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
      send(request, reply, 'email', (context) => sendEmail(app, context, readEmailRequest(request, context))),
  );

  http.post(
    '/v2/notifications/letter',
    {
      ...acceptsFiles,
      ...shared,
      onRequest: admit('letter'),
      schema: {
        summary: 'Send a letter, from a template or as PDF',
        headers: idempotencyHeader,
        body: Type.Union([LetterRequest, precompiledLetterRequest(app.country)], {
          examples: [examples.letterRequest, examples.precompiledLetterRequest],
        }),
        response: {
          201: Type.Union([LetterResponse, precompiledLetterResponse(app.country)], {
            examples: [examples.letterResponse, examples.precompiledLetterResponse],
          }),
          ...idempotencyErrors,
        },
      },
    },
    (request, reply) =>
      send<LetterResponse | PrecompiledLetterResponse>(request, reply, 'letter', (context) =>
        isPrecompiled(request)
          ? sendPrecompiledLetter(app, context, readPrecompiledLetterRequest(request, app.country))
          : sendLetter(app, context, readLetterRequest(request, context)),
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
