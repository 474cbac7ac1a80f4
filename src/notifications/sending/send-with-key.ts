import type { FastifyRequest } from 'fastify';
import type { ApiCaller } from '../../auth/api-caller.ts';
import type { SchemaError } from '../../platform/http/schema-errors.ts';
import type { Channel } from '../../protocol/channels.ts';
import { publicErrors } from '../../protocol/error-bodies.ts';
import { takePermit } from '../limits/rate-limits.ts';
import { digestOfRequest, findStoredResponse, replay } from './idempotency.ts';
import { type CheckedRequest, readEmailRequest, readLetterRequest, readSmsRequest } from './read-requests.ts';
import { sendEmail, sendLetter, sendSms } from './send.ts';
import type { SendContext, SendDeps } from './send-context.ts';
import { EmailRequest, LetterRequest, SmsRequest } from './send-requests.ts';
import { refuseIfDailyLimitIsReached } from './send-rules.ts';

const schemas = { sms: SmsRequest, email: EmailRequest, letter: LetterRequest };

interface KeySend {
  channel: Channel;
  /** The same fields as in a request to POST /v2/notifications/{channel}. */
  body: unknown;
  compileValidationSchema: FastifyRequest['compileValidationSchema'];
  /** An idempotency key. A repeated request is sent once; a concurrent one waits for the first. */
  once: string;
}

/** Sends a message from the console as the API would for this caller: with the same limits, rules and errors in the same order. */
export async function sendWithKey(app: SendDeps, caller: ApiCaller, send: KeySend): Promise<{ id: string }> {
  const { service_id, api_key_id, key_type, dialect } = caller;
  const service = await app.sending.services.find(service_id);
  if (!service) throw new Error('Service not found after authentication');
  const root = app.config.urls.api;
  const now = app.clock.now();
  const request_digest = digestOfRequest(send.channel, send.body);
  const key = `console ${send.once} ${request_digest}`;
  const idempotency = { key, request_digest };
  const context: SendContext = { service, dialect, key_type, api_key_id, created_by_id: null, now, root, idempotency };
  return app.sending.running.shared(service_id, key, async () => {
    const stored = await findStoredResponse(app, service_id, key);
    if (stored) return replay<{ id: string }>(stored, request_digest).response;
    context.countAs = await takePermit(app.sending.rateLimits, service, key_type);
    refuseIfDailyLimitIsReached(app, context, send.channel);
    return sendChecked(app, context, send.channel, checkedRequest(send));
  });
}

async function sendChecked(app: SendDeps, context: SendContext, channel: Channel, request: CheckedRequest) {
  switch (channel) {
    case 'sms':
      return (await sendSms(app, context, readSmsRequest(app.country, request, context))).response;
    case 'email':
      return (await sendEmail(app, context, readEmailRequest(request, context))).response;
    case 'letter':
      return (await sendLetter(app, context, readLetterRequest(request, context))).response;
  }
}

/** Returns the problems that the routes of the API would find. */
function checkedRequest({ channel, body, compileValidationSchema }: KeySend): CheckedRequest {
  const validate = compileValidationSchema(schemas[channel], 'body');
  const request = { body, compileValidationSchema };
  if (validate(body)) return request as CheckedRequest;
  const validationError = publicErrors.schemaFailure((validate.errors ?? []) as SchemaError[]);
  return { ...request, validationError } as unknown as CheckedRequest;
}
