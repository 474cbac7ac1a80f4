import { type Static, Type } from 'typebox';
import type { Config } from '../../config.ts';
import { forbidden } from '../../platform/failure.ts';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import { adminErrors } from '../../protocol/error-bodies.ts';
import { OneOf } from '../../protocol/fields.ts';
import { firetextReceipt } from '../providers/firetext.ts';
import { mmgReceipt } from '../providers/mmg.ts';
import { isTwilioSignature, twilioReceipt } from '../providers/twilio.ts';
import { isReceiptToken } from './receipt-address.ts';
import { type ReceiptRecorder, receiptRecorder } from './receipt-recorder.ts';

const Success = Type.Object({ result: Type.Literal('success') });
const Missing = Type.Object({
  result: OneOf(['error']),
  message: Type.Unsafe<string[]>({
    description: 'The missing fields, or the problem of a body that is not an object',
    anyOf: [{ type: 'array', items: { type: 'string' } }, adminErrors.errorSchema.properties.message],
  }),
});
const Anything = Type.Optional(Type.Unknown());
const Token = Type.Object({
  token: Type.Optional(
    Type.String({ description: 'Part of the callback URL of the message; not needed in the sandbox' }),
  ),
});
const form = ['application/x-www-form-urlencoded'];
const responses = { 200: Success, 400: Missing };

type Deps = Platform & {
  config: Pick<Config, 'BASE_URL' | 'TWILIO_AUTH_TOKEN' | 'SMS_PROVIDERS' | 'SMS_RECEIPT_TOKENS'>;
};

const routes = { mmg: mmgRoute, firetext: firetextRoute, twilio: twilioRoute };

/**
 * Delivery receipts of the active text message gateways; the sandbox accepts those of all gateways. The response is `success`
 * even for unknown messages.
 */
export function textReceiptRoutes(http: Http, app: Deps): void {
  const receipts = receiptRecorder(app);
  const { SMS_PROVIDERS: inUse } = app.config;
  for (const name of ['mmg', 'firetext', 'twilio'] as const) {
    if (inUse.includes(name) || inUse.includes('sandbox')) routes[name](http, app, receipts);
  }
}

function mmgRoute(http: Http, app: Deps, receipts: ReceiptRecorder): void {
  http.post(
    '/notifications/sms/mmg',
    {
      schema: {
        summary: 'Delivery receipt from MMG',
        querystring: Token,
        body: Type.Object({ status: Anything, CID: Anything, substatus: Anything, deliverytime: Anything }),
        response: responses,
      },
    },
    async ({ body, query }, reply) => {
      const missing = missingFields(body, ['status', 'CID'], 'MMG');
      if (missing) return reply.code(400).send(missing);
      const proven = !app.config.SMS_RECEIPT_TOKENS || isReceiptToken(app.secrets, 'mmg', body.CID, query.token);
      await receipts.add(mmgReceipt(body, proven));
      return { result: 'success' as const };
    },
  );
}

function firetextRoute(http: Http, app: Deps, receipts: ReceiptRecorder): void {
  http.post(
    '/notifications/sms/firetext',
    {
      schema: {
        summary: 'Delivery receipt from Firetext (form)',
        consumes: form,
        querystring: Token,
        body: Type.Object({ status: Anything, reference: Anything, code: Anything, time: Anything }),
        response: responses,
      },
    },
    async ({ body, query }, reply) => {
      const missing = missingFields(body, ['status', 'reference'], 'Firetext');
      if (missing) return reply.code(400).send(missing);
      const proven =
        !app.config.SMS_RECEIPT_TOKENS || isReceiptToken(app.secrets, 'firetext', body.reference, query.token);
      await receipts.add(firetextReceipt(body, proven));
      return { result: 'success' as const };
    },
  );
}

function twilioRoute(http: Http, app: Deps, receipts: ReceiptRecorder): void {
  http.post(
    '/notifications/sms/twilio',
    {
      schema: {
        summary: 'Status callback from Twilio (signed form)',
        consumes: form,
        querystring: Type.Object({ reference: Type.Optional(Type.String()) }),
        body: Type.Record(Type.String(), Type.String(), { maxProperties: 100 }),
        response: responses,
      },
      // Check the signature before validation, so that errors do not reveal the schema.
      preValidation: async ({ body, headers, url }) => {
        const token = app.config.TWILIO_AUTH_TOKEN;
        const given = [headers['x-twilio-signature']].flat()[0];
        if (!token || !isTwilioSignature(given, token, `${app.config.BASE_URL}${url}`, body)) {
          throw forbidden('Twilio callback failed: invalid signature');
        }
      },
    },
    async ({ body, query }, reply) => {
      const missing = missingFields(body, ['MessageStatus', 'MessageSid'], 'Twilio');
      if (missing) return reply.code(400).send(missing);
      const receipt = twilioReceipt(body, query.reference);
      if (receipt) await receipts.add(receipt);
      return { result: 'success' as const };
    },
  );
}

/** Zero is a value; undefined, null and the empty string are not. */
function missingFields(
  body: Record<string, unknown>,
  names: string[],
  provider: string,
): Static<typeof Missing> | undefined {
  const missing = names.filter((name) => [undefined, null, ''].includes(body[name] as undefined));
  if (missing.length === 0) return undefined;
  return { result: 'error', message: missing.map((name) => `${provider} callback failed: ${name} missing`) };
}
