import { Type } from 'typebox';
import type { Config } from '../../config.ts';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import { adminErrors } from '../../protocol/error-bodies.ts';
import { plainText } from '../providers/plain-text.ts';
import { londonTime, utcTime } from '../providers/provider-times.ts';
import { receiveText, refuseUnlessGateway } from './inbound-hooks.ts';

type Deps = Platform & { config: Pick<Config, 'MMG_INBOUND_AUTH' | 'FIRETEXT_INBOUND_AUTH'> };

const Ok = Type.Object({ status: Type.Literal('ok') });
const Digits = Type.Unknown({ description: 'A phone number' });

/** Webhooks where the gateways deliver inbound texts. */
export function inboundHookRoutes(http: Http, app: Deps): void {
  http.post(
    '/notifications/sms/receive/mmg',
    {
      schema: {
        summary: 'Inbound text from MMG (basic authentication)',
        body: Type.Object({
          MSISDN: Digits,
          Number: Digits,
          Message: Type.String({ description: 'URL-encoded' }),
          ID: Type.Optional(Type.Unknown()),
          DateRecieved: Type.Optional(Type.Unknown({ description: 'URL-encoded, UTC' })),
        }),
        response: { 200: Type.Unsafe<{ status: 'ok' } | 'RECEIVED'>({}), 401: adminErrors.errorSchema },
      },
      onRequest: async ({ headers }) => refuseUnlessGateway(headers.authorization, app.config.MMG_INBOUND_AUTH),
    },
    async ({ body }, reply) => {
      const received = await receiveText(app, {
        provider: 'mmg',
        from: plainText(body.MSISDN),
        to: plainText(body.Number),
        content: decoded(body.Message),
        received_at: utcTime(typeof body.DateRecieved === 'string' ? decoded(body.DateRecieved) : undefined),
        reference: typeof body.ID === 'string' ? body.ID : undefined,
      });
      return received ? { status: 'ok' as const } : reply.type('text/plain').serializer(String).send('RECEIVED');
    },
  );

  http.post(
    '/notifications/sms/receive/firetext',
    {
      schema: {
        summary: 'Inbound text from Firetext (form, basic authentication)',
        body: Type.Object({
          source: Digits,
          destination: Digits,
          message: Type.String(),
          time: Type.Optional(Type.Unknown({ description: 'London time' })),
        }),
        consumes: ['application/x-www-form-urlencoded'],
        response: { 200: Ok, 401: adminErrors.errorSchema },
      },
      onRequest: async ({ headers }) => refuseUnlessGateway(headers.authorization, app.config.FIRETEXT_INBOUND_AUTH),
    },
    async ({ body }) => {
      await receiveText(app, {
        provider: 'firetext',
        from: plainText(body.source),
        to: plainText(body.destination),
        content: body.message,
        received_at: londonTime(body.time),
        reference: undefined,
      });
      return { status: 'ok' as const };
    },
  );
}

/** Form decoding: a plus is a space. Malformed input is returned unchanged. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
